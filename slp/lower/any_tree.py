"""The program of all trees, in place of a prior that is none of a tree grammar."""

from __future__ import annotations

from dataclasses import replace

from slp.ir.program import LeafBody, Program, SplitBody, TreeRule
from slp.source import SourceFile, SourceSpan
from slp.terms import Atom, Number, Var

__all__ = ["any_tree"]


def any_tree(program: Program) -> Program:
    """A program with `1 :: tree --> leaf.` and `1 :: tree --> split(F, V, each), tree, tree.` for
    rules, and the declarations and constraints of the program given. Its trees are those that may
    be the last of a sequence of edits."""
    tree = Atom("tree")
    span = SourceSpan(SourceFile("edittree", ""), 0, 0)
    split = SplitBody(Var("F"), Var("V"), "each", (), tree, tree)
    rules = tuple(TreeRule(Number(1), tree, (), body, span) for body in (LeafBody(), split))
    return replace(program, start=tree, rules=rules, weights=True, failure="restrict", edits=None)
