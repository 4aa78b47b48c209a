"""The process of backtracking on tiny examples, enumerated, and written as clauses of Prolog."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

import slp
from slp.data import table_of
from slp.engines.mcmc.proposals import Proposal
from slp.lower import program_to_tree_grammar
from slp.reference.boxes import Geometry
from slp.reference.derivations import TreeProof, proof_of
from slp.reference.local_process import Choices, LocalProcess, goals_below
from slp.reference.mh.backtracking import BacktrackingTarget
from slp.reference.tree_tests import tree_tests
from tests.engines.cases import random_grammar, random_table
from tests.reference.mh.matrices import transitions

#: A root split whose sides must split again, or one of them: a side of one row fails.
SIDES = """
:- failure(backtrack).
:- start(root).
0.5 :: root --> split(_, _), side, side.
0.5 :: root --> split(_, _), leafy, side.
1 :: side --> split(_, _), leafy, leafy.
0.7 :: leafy --> leaf.
0.3 :: leafy --> split(_, _), leafy, leafy.
"""
#: Leaves that meet the box must be mostly `a`, and a node of one row cannot split: dead ends.
MAJORITY = """
:- failure(backtrack).
:- use(growtree, [alpha = 0.7, beta = 0.5]).
box(b, x0, 2.5, 3).
:- constraint(majority(b, a)).
"""
#: The finished tree is tested, so a draw goes back from its end.
LEAVES = """
:- failure(backtrack).
:- use(growtree, [alpha = 0.9, beta = 0.3]).
:- constraint(max_leaves(3)).
"""
#: A box that no split may cut, and tests of the finished tree.
BOX = """
:- failure(backtrack).
:- use(growtree, [alpha = 0.9, beta = 0.3]).
box(b, x0, 2.5, 3). box(b, x1, 1.2, 1.8).
:- constraint(constant(b)).
:- constraint(max_leaves(3)).
"""
FEATURES = """
:- failure(backtrack).
:- use(growtree, [alpha = 0.7, beta = 0.5]).
:- constraint(max_features(1)).
"""
#: By name: a program, and how many of the rows it is on.
PROGRAMS = {
    "sides": (SIDES, 5),
    "majority": (MAJORITY, 4),
    "leaves": (LEAVES, 4),
    "box and leaves": (BOX, 4),
    "features": (FEATURES, 4),
}
#: Those in which no test of a finished tree fails.
WITHOUT_TESTS = ("sides", "majority")
ROWS = {
    "x0": [1.0, 2.0, 3.0, 3.0, 0.5],
    "x1": [2.0, 1.0, 2.0, 3.0, 3.0],
    "y": ["a", "b", "a", "a", "b"],
}


class _Open(NamedTuple):
    """A choice that has alternatives left: (weight, what it makes of a goal)."""

    alternatives: tuple[tuple[float, Any], ...]
    then: Any
    pending: Any
    drawn: tuple[Choices, ...]


class TooLongError(Exception):
    """The recursion takes too many steps."""


class Backtracking:
    """A target under backtracking, and the exact distribution of its draws by a recursion that
    follows every outcome, with the choices that are open as a value; at most so many steps."""

    def __init__(self, target: BacktrackingTarget, most: int = 1_000_000) -> None:
        self.target, self.process = target, target.process
        self._left = most
        found: dict[tuple[tuple[int, int], ...], float] = {}
        self._proofs: dict[tuple[tuple[int, int], ...], TreeProof] = {}
        self.failed = 0.0
        root = self.process.root
        for probability, proof in self._goals(((root.box, root.state), None), (), (), 1.0):
            if proof is None:
                self.failed += probability
                continue
            self._proofs.setdefault(proof.key(), proof)
            found[proof.key()] = found.get(proof.key(), 0.0) + probability
        self.proofs = list(self._proofs.values())
        self.number = {key: i for i, key in enumerate(self._proofs)}
        self.prior = np.array([found[key] for key in self._proofs])

    @cached_property
    def posterior(self) -> NDArray[np.float64]:
        """Prior times likelihood at the target's power, normalised."""
        weight = self.prior * np.exp(self.target.power * self._fit)
        return np.asarray(weight / weight.sum())

    @cached_property
    def _fit(self) -> NDArray[np.float64]:
        return np.array([proof.log_likelihood for proof in self.proofs])

    @property
    def log_evidence(self) -> float:
        return float(np.log(self.prior @ np.exp(self._fit)))

    def matrix(self, proposal: Proposal[Any, TreeProof], turn: int = 0) -> NDArray[np.float64]:
        """See `transitions`."""
        return transitions(self.target, self.proofs, proposal, turn)

    # --- the recursion ---------------------------------------------------------------------------

    def _goals(
        self, pending: Any, drawn: tuple[Choices, ...], stack: tuple[_Open, ...], p: float
    ) -> Iterator[tuple[float, TreeProof | None]]:
        self._left -= 1
        if self._left < 0:
            raise TooLongError
        if pending is None:
            proof = proof_of(self.process, drawn)
            if self.target.holds(proof):
                yield p, proof
            else:
                yield from self._back(stack, p)
            return
        (box, state), rest = pending
        goal = self.process.goal(box, state)
        rules = tuple((math.exp(r.log_weight), (goal, i)) for i, r in enumerate(goal.rules))
        yield from self._choose(_Open(rules, self._rule, rest, drawn), stack, p)

    def _choose(
        self, at: _Open, stack: tuple[_Open, ...], p: float
    ) -> Iterator[tuple[float, TreeProof | None]]:
        if not at.alternatives:
            yield from self._back(stack, p)
            return
        total = math.fsum(weight for weight, _ in at.alternatives)
        for i, (weight, taken) in enumerate(at.alternatives):
            left = at.alternatives[:i] + at.alternatives[i + 1 :]
            after = (*stack, at._replace(alternatives=left))
            yield from at.then(taken, at.pending, at.drawn, after, p * weight / total)

    def _back(self, stack: tuple[_Open, ...], p: float) -> Iterator[tuple[float, TreeProof | None]]:
        if stack:
            yield from self._choose(stack[-1], stack[:-1], p)
        else:
            yield p, None

    def _rule(
        self, taken: Any, pending: Any, drawn: tuple[Choices, ...], stack: Any, p: float
    ) -> Iterator[tuple[float, TreeProof | None]]:
        goal, rule = taken
        shares = goal.rules[rule].log_probabilities
        if not shares:
            yield from self._made((goal, rule, -1), pending, drawn, stack, p)
            return
        splits = tuple((math.exp(share), (goal, rule, i)) for i, share in enumerate(shares))
        yield from self._choose(_Open(splits, self._made, pending, drawn), stack, p)

    def _made(
        self, made: Choices, pending: Any, drawn: tuple[Choices, ...], stack: Any, p: float
    ) -> Iterator[tuple[float, TreeProof | None]]:
        for below in reversed(goals_below(*made)):
            pending = (below, pending)
        yield from self._goals(pending, (*drawn, made), stack, p)

    # --- as clauses ------------------------------------------------------------------------------

    def term(self, proof: TreeProof) -> str:
        """A proof as the term that the clauses make."""
        parts = [self.term(part) for part in proof.parts]
        return f"t({', '.join([str(proof.rule), str(proof.split), *parts])})".replace("-1", "none")

    def clauses(self) -> str:
        """`prior(T)`: a labelled clause for each alternative, and a test of the finished tree."""
        lines = [f"prior(T) :- {self._name(self.process.root)}(T), holds(T)."]
        lines += [f"holds({self.term(proof)})." for proof in self.proofs]
        todo, seen = [self.process.root], set()
        while todo:
            goal = todo.pop()
            if (goal.box, goal.state) in seen:
                continue
            seen.add((goal.box, goal.state))
            name = self._name(goal)
            if not goal.rules:
                lines.append(f"{name}(_) :- fail.")
            total = sum(math.exp(rule.log_weight) for rule in goal.rules)
            for i, rule in enumerate(goal.rules):
                label = math.exp(rule.log_weight) / total
                if rule.splits:
                    lines.append(f"{label!r} :: {name}(T) :- {name}_{i}(T).")
                    shares = [math.exp(share) for share in rule.log_probabilities]
                    labels = [share / sum(shares) for share in shares]
                    made = [(label, f"{name}_{i}", j) for j, label in enumerate(labels)]
                else:
                    made = [(label, name, -1)]
                for own, head, j in made:
                    below = [self.process.goal(*b) for b in goals_below(goal, i, j)]
                    todo += below
                    lines.append(_clause(own, head, i, j, [self._name(b) for b in below]))
        return "\n".join(sorted(lines, key=lambda line: line.split("(")[0].split(":: ")[-1]))

    def _name(self, goal: Any) -> str:
        return f"g{goal.box}_{goal.state}"


def _clause(label: float, head: str, rule: int, split: int, below: Sequence[str]) -> str:
    names = [f"P{k}" for k in range(len(below))]
    made = ", ".join([str(rule), "none" if split < 0 else str(split), *names])
    body = ", ".join(f"{goal}({name})" for goal, name in zip(below, names, strict=True))
    return f"{label!r} :: {head}(t({made}))" + (f" :- {body}." if body else ".")


def of_program(name: str, power: float = 1.0) -> Backtracking:
    """The example of a program on the first rows."""
    text, n = PROGRAMS[name]
    program = slp.parse(f"{text} :- response(y, [ordinal([a, b])]).").ir
    table = table_of(program, rows(n), None)
    grammar = program_to_tree_grammar(program, table.schema(1), tests_on_trees=True)
    process = LocalProcess(grammar, Geometry(grammar, table))
    tests = tree_tests(grammar, program.constraints, process.geometry)
    return Backtracking(BacktrackingTarget(process, power, tests))


def rows(n: int) -> pl.DataFrame:
    """The first rows of the table."""
    return pl.DataFrame({name: column[:n] for name, column in ROWS.items()})


def of_seed(seed: int) -> BacktrackingTarget:
    """A random grammar on a random table of a few rows."""
    rng = np.random.default_rng(seed)
    table = random_table(rng, largest=4)
    grammar = replace(random_grammar(rng, table), failure="backtrack")
    process = LocalProcess(grammar, Geometry(grammar, table))
    return BacktrackingTarget(process, 1.0, tree_tests(grammar, (), process.geometry))
