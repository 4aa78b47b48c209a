"""What edits lead from one tree to another, in words.

Growing a leaf, pruning a pair of leaves and changing a split leave all other nodes where they are,
so nodes are compared place by place. A place that splits in one tree only has been grown or pruned
once, one that splits in both by different tests has been changed once: no sequence of edits gets
by with fewer. (Thresholds that moved because other rows came to a node count as changes.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from slp.trees.drawing import condition_text
from slp.trees.tree import Node, Split, Tree

__all__ = ["TreeEdit", "edits_between"]


@dataclass(frozen=True)
class TreeEdit:
    """One difference: what was done at a node, where (`root`, `left.right`), and the tests that
    were and are there, None where there is a leaf."""

    kind: Literal["grown", "pruned", "changed"]
    path: str
    before: str | None
    after: str | None

    def __str__(self) -> str:
        """In words: ``left: pruned `age < 24` ``."""
        if self.kind == "changed":
            return f"{self.path}: changed `{self.before}` to `{self.after}`"
        return f"{self.path}: {self.kind} `{self.after or self.before}`"


def edits_between(old: Tree, new: Tree) -> list[TreeEdit]:
    """The differences, in preorder of their places."""
    out: list[TreeEdit] = []
    stack: list[tuple[Node | None, Node | None, tuple[str, ...]]] = [(old.root, new.root, ())]
    while stack:
        before, after, path = stack.pop()
        was, now = _split(before), _split(after)
        if was is None and now is None:
            continue
        if was is None or now is None or was.test != now.test:
            kind: Literal["grown", "pruned", "changed"] = (
                "grown" if was is None else "pruned" if now is None else "changed"
            )
            out.append(TreeEdit(kind, ".".join(path) or "root", _text(was), _text(now)))
        stack += (
            (was and was.right, now and now.right, (*path, "right")),
            (was and was.left, now and now.left, (*path, "left")),
        )
    return out


def _split(node: Node | None) -> Split | None:
    return node if isinstance(node, Split) else None


def _text(split: Split | None) -> str | None:
    return None if split is None else condition_text(split)
