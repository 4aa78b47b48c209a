"""The edits that lead from one tree to another.

Growing a leaf, pruning a pair of leaves and changing a split leave all other nodes where they are,
so nodes are compared place by place. A place that splits in only one tree was grown or pruned once.
A place that splits in both by different tests was changed once. No sequence of edits is shorter.
(Thresholds that moved because a node has other rows count as changes. A test on the same level is
the same where other levels are left in its box.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from slp.columns.names import name_text
from slp.trees.parts import Asked, Node, Split
from slp.trees.tree import Tree


@dataclass(frozen=True)
class TreeEdit:
    """One difference: the kind of edit, the path of the node (`root`, `left.right`), and its tests
    before and after, None for a leaf; a test of two levels without the second."""

    kind: Literal["grown", "pruned", "changed"]
    path: str
    before: str | None
    after: str | None

    def __str__(self) -> str:
        """As text: ``left: pruned `age < 24` ``."""
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
        if was is None or now is None or _edited(was) != _edited(now):
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


def _edited(split: Split) -> Asked:
    """What an edit changes: the feature and the test, without a second level, which follows from
    the rows of the node."""
    feature, test = split.asked
    return feature, test.alone


def _text(split: Split | None) -> str | None:
    if split is None:
        return None
    feature, test = _edited(split)
    return test.condition(name_text(feature))
