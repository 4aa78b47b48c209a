"""The program of all trees, used if a prior has no tree grammar."""

from __future__ import annotations

from dataclasses import replace

from slp.ir.program import CheckedProgram, LeafBody, SplitBody, TreeRule
from slp.source import SourceFile, SourceSpan
from slp.terms import Atom, Number, Var


def any_tree(program: CheckedProgram) -> CheckedProgram:
    """A program with `1 :: tree --> leaf.` and `1 :: tree --> split(F, V, each), tree, tree.` as
    rules, and the declarations and constraints of the given program. Its trees are those in which a
    sequence of edits may end."""
    tree = Atom("tree")
    span = SourceSpan(SourceFile("edittree", ""), 0, 0)
    split = SplitBody(Var("F"), Var("V"), "each", (), tree, tree)
    rules = tuple(TreeRule(Number(1), tree, (), body, span) for body in (LeafBody(), split))
    return replace(program, start=tree, rules=rules, weights=True, failure="restrict", edits=None)
