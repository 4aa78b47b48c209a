"""The choice points of proof trees (`slp.reference.derivations.TreeProof`), and cuts at them.

At each goal (a box in a state) there is the choice of rule and, where the rule splits, the choice
of split. A choice with one alternative is no choice point. The order of choice points is
breadth-first from the root: goals level by level, left before right, and at a goal the rule before
the split. A call is a separate goal, one level below. Their *sequence* is the order in which they
are drawn: depth-first, left before right.

To *cut* at a choice point is to draw that choice and the whole subtree below it anew from the local
process, and to keep the rest. All choice points before it in the order stay unchanged. To cut the
sequence is to draw all that comes later in it anew.
"""

from __future__ import annotations

from typing import NamedTuple

from slp.ir.tree_grammar import LeafRule
from slp.reference.derivations import TreeProof, draw_choices, joined, proof_of
from slp.reference.local_process import BoxGoal, Choices, LocalProcess, goals_below
from slp.runner.randomness import Randomness


class ProofPoint(NamedTuple):
    """A choice point: the position of its goal in breadth-first order, and which of the two."""

    goal: int
    of_split: bool


class Begun(NamedTuple):
    """The begin of a sequence: the choices made, in preorder; the boxes and states still to prove,
    the next one last; the rule there, if it is chosen too."""

    drawn: list[Choices]
    stack: list[tuple[int, int]]
    rule: int | None


def grow(
    process: LocalProcess,
    randomness: Randomness,
    goal: BoxGoal,
    rule: int | None = None,
    *,
    end_early: float = 0.0,
) -> TreeProof | None:
    """Draw a proof of a goal from the local process; None if it reaches a dead end.

    `rule`: the rule at the goal itself, if it is fixed. `end_early`: the probability of taking a
    leaf rule at each goal that has one, which gives smaller trees than the local process; 0 except
    in a search.
    """
    return _grown(process, randomness, Begun([], [(goal.box, goal.state)], rule), end_early)


def _grown(
    process: LocalProcess, randomness: Randomness, begun: Begun, end_early: float = 0.0
) -> TreeProof | None:
    """`grow` from the begin of a sequence."""
    drawn, stack, rule = begun
    while stack:
        goal = process.goal(*stack.pop())
        if not goal.rules:
            return None
        taken, rule = rule, None
        if taken is None and end_early and randomness.happens(end_early):
            taken = _first_leaf(goal)
        drawn.append(draw_choices(randomness, goal, taken))
        stack += reversed(goals_below(*drawn[-1]))
    return proof_of(process, drawn)


def _first_leaf(goal: BoxGoal) -> int | None:
    leaves = (i for i, taken in enumerate(goal.rules) if isinstance(taken.rule, LeafRule))
    return next(leaves, None)


class _Placed(NamedTuple):
    """A goal's proof, the position of its parent's in breadth-first order, and which part it is."""

    proof: TreeProof
    parent: int
    part: int


def _breadth_first(proof: TreeProof) -> list[_Placed]:
    out = [_Placed(proof, -1, -1)]
    for i, placed in enumerate(out):  # grows while it is read
        out += [_Placed(part, i, j) for j, part in enumerate(placed.proof.parts)]
    return out


def goals_of(proof: TreeProof) -> list[TreeProof]:
    """The proofs of its goals in breadth-first order, its own first."""
    return [placed.proof for placed in _breadth_first(proof)]


def choice_points(proof: TreeProof) -> list[ProofPoint]:
    """Its choice points in breadth-first order."""
    out = []
    for i, (node, _, _) in enumerate(_breadth_first(proof)):
        if len(node.goal.rules) > 1:
            out.append(ProofPoint(i, False))
        if len(node.goal.rules[node.rule].splits) > 1:
            out.append(ProofPoint(i, True))
    return out


def cut(
    process: LocalProcess, randomness: Randomness, proof: TreeProof, point: ProofPoint
) -> TreeProof | None:
    """Cut at a choice point; None if the draw reaches a dead end."""
    old = _breadth_first(proof)[point.goal].proof
    new = grow(process, randomness, old.goal, old.rule if point.of_split else None)
    return None if new is None else replaced(process, proof, point.goal, new)


def cut_sequence(
    process: LocalProcess, randomness: Randomness, proof: TreeProof, k: int
) -> TreeProof | None:
    """Cut the sequence at its choice point k, from 0; None if the draw reaches a dead end."""
    return _grown(process, randomness, before_point(proof, k))


def before_point(proof: TreeProof, k: int) -> Begun:
    """What the sequence has before its choice point k, from 0."""
    drawn: list[Choices] = []
    stack = [(proof.goal.box, proof.goal.state)]
    for goal, rule, split in proof.choices():
        of_rule, of_split = len(goal.rules) > 1, len(goal.rules[rule].splits) > 1
        if k < of_rule + of_split:
            of_split_alone = k == 1 or not of_rule
            return Begun(drawn, stack, rule if of_split_alone else None)
        k -= of_rule + of_split
        stack.pop()
        drawn.append((goal, rule, split))
        stack += reversed(goals_below(*drawn[-1]))
    raise IndexError(k)


def replaced(process: LocalProcess, proof: TreeProof, position: int, new: TreeProof) -> TreeProof:
    """The proof with another proof of the goal at a position in breadth-first order."""
    nodes = _breadth_first(proof)
    while position > 0:
        _, parent, part = nodes[position]
        above = nodes[parent].proof
        parts = tuple(new if j == part else old for j, old in enumerate(above.parts))
        new = joined(process, above.goal, above.rule, above.split, parts)
        position = parent
    return new


def path_to_row(proof: TreeProof, row: int) -> list[tuple[int, TreeProof]]:
    """The goals whose boxes hold a (distinct) row, from the root down, each with its position in
    breadth-first order."""
    out: list[tuple[int, TreeProof]] = []
    for i, placed in enumerate(_breadth_first(proof)):
        above = out[-1][0] if out else -1
        if placed.parent == above and placed.proof.goal.box >> row & 1:
            out.append((i, placed.proof))
    return out
