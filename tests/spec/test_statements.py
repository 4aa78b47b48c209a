"""Which statements leave no tree, and which take no tree away, against enumeration.

Each case is a random program with a few more constraints on a random table. The trees of every part
of its statements that a finding is about are listed one by one. `pytest -m '' FILE` runs 2,000.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import cache
from itertools import combinations

import pytest

from slp.compile import compile_problem, compile_program
from slp.errors import Diagnostic, ProgramError
from slp.ir.program import CheckedProgram
from slp.problem.problem import Problem
from slp.program import dead_weight, no_tree
from slp.program.dead_weight import find_dead_weight
from slp.program.no_tree import find_no_tree
from slp.program.statements import Statement, places_of, with_only
from slp.source import SourceFile
from tests.spec.brute_force import BruteForce, TooManyDerivationsError, TreeKey
from tests.spec.program_text import ProgramText, quoted, random_box
from tests.spec.random_programs import random_program
from tests.spec.random_tables import RandomTable, random_table

N_CASES = 2000
#: Derivations of the rules alone; a table with more loses rows.
MOST = 600


class StatementCase:
    """A program of some statements on a table, and the trees of any part of these."""

    def __init__(self, seed: int) -> None:
        rng = random.Random(f"statements {seed}")
        table = random_table(rng)
        while True:
            self.text = _with_more(rng, table, random_program(rng, table))
            try:
                self.program = compile_program(SourceFile("test.slp", self.text))
                break
            except ProgramError:  # another measure than the weights of features know, E142
                continue
        self.statements = places_of(self.program)
        while True:
            self.table = table
            self.problem: Problem = compile_problem(self.program, table.frame())
            try:
                self.rules = self.trees(())
                break
            except TooManyDerivationsError:
                table = table.without_last_row()
        # Among trees that part the rows alike one stands for all, and soft trees are not counted.
        partition = "partition)" in self.text or "bcart_pcfg" in self.text
        self.undecided = partition or self.program.has_gates

    @cache  # noqa: B019 - a case is dropped with its test
    def trees(self, part: tuple[Statement, ...]) -> frozenset[TreeKey]:
        """The trees that the rules and some statements allow."""
        program: CheckedProgram = with_only(self.program, self.statements, part)
        example = self.table.example(self.problem.table)
        spec = BruteForce(program, example, self.table.leaf, MOST)
        return frozenset(d.tree for d in spec.derivations)

    def part(self, spans: Sequence[object]) -> tuple[Statement, ...]:
        """The statements at some places."""
        return tuple(s for s in self.statements if s.span in spans)

    def __repr__(self) -> str:
        return f"\n{self.text}\n{self.table.frame()}"


def _with_more(rng: random.Random, table: RandomTable, program: str) -> str:
    """A program with two to five more constraints, many of them strict."""
    text = ProgramText(rng, table)
    text.lines = []
    classes = getattr(table.leaf, "classes", ())
    for i in range(rng.randint(2, 5)):
        f, g = (quoted(rng.choice(table.features)) for _ in range(2))
        goals = [f"first({f})", f"forbid({f})", f"forbid({f}, below({rng.randint(1, 2)}))"]
        goals += [f"before({f}, {g})", f"once({f})", f"max_leaves({rng.randint(1, 4)})"]
        if classes and rng.random() < 0.6 and random_box(text, f"more{i}"):
            outcome = rng.choice(classes)
            outcome = outcome if outcome.isdigit() else quoted(outcome)
            goals = [f"majority(more{i}, {outcome})"]
        text.add(f":- constraint({rng.choice(goals)}).")
    if "max_depth" not in program and rng.random() < 0.4:
        text.add(f":- support(max_depth({rng.randint(0, 2)})).")
    lines = text.lines
    rng.shuffle(lines)
    return program + "\n".join(lines) + "\n"


def places(found: Diagnostic) -> list[object]:
    return [found.span, *(related.span for related in found.related)]


@pytest.fixture
def in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """No limit of time that a busy machine could meet."""
    for room, name in [
        (no_tree, "_SECONDS"),
        (no_tree, "_SECONDS_OF_BLAME"),
        (dead_weight, "_SECONDS"),
        (dead_weight, "_SECONDS_OF_DEFINITIONS"),
        (dead_weight, "_SECONDS_OF_COUNT"),
    ]:
        monkeypatch.setattr(room, name, 300.0)


@pytest.mark.usefixtures("in_time")
@pytest.mark.thinned(100)
@pytest.mark.parametrize("seed", range(N_CASES))
def test_statements(seed: int) -> None:
    case = StatementCase(seed)
    found = find_no_tree(case.problem)
    if not case.trees(tuple(case.statements)):
        check_contradiction(case, *found)
    elif found:
        check_one_leaf(case, *found)
    else:
        check_dead_weight(case, find_dead_weight(case.problem))


def check_contradiction(case: StatementCase, found: Diagnostic) -> None:
    """The set has no tree, each proper part has some, and no other set is complete before it."""
    assert (found.code, found.severity) == ("E504", "error"), case
    assert "a sum over all trees proves it" in found.message, case
    part = case.part(places(found))
    if not part:
        assert "the rules alone leave no tree" in found.message and not case.rules, case
        return
    assert len(part) == len(places(found)), case
    assert not case.trees(part), case
    for size in range(len(part)):
        assert all(map(case.trees, combinations(part, size))), case
    assert case.trees(tuple(case.statements[: case.statements.index(part[-1])])), case
    others = len(part) < len(case.statements)
    assert found.message.endswith("there may be more contradictions") == others, case


def check_one_leaf(case: StatementCase, found: Diagnostic) -> None:
    """The set leaves the single leaf, and no proper part of it does."""
    assert found.code == "W151", case
    part = case.part(places(found))
    assert case.trees(part) == {"leaf"}, case
    assert all(case.trees(without(part, s)) != {"leaf"} for s in part), case


def check_dead_weight(case: StatementCase, found: Sequence[Diagnostic]) -> None:
    """What is found is idle, by the smallest of reasons; all of it is idle together; and nothing
    else is idle."""
    assert not (found and case.program.has_gates), case
    for finding in found:
        (own,), reasons = case.part([finding.span]), case.part(places(finding)[1:])
        assert finding.code == ("W155" if reasons else "W151"), case
        assert is_idle(case, own, reasons), case
        if not re.search("perhaps from fewer", finding.message):
            for reason in reasons:
                assert not is_idle(case, own, without(reasons, reason)), (case, finding)
    spans = [finding.span for finding in found]
    left = tuple(s for s in case.statements if s.span not in spans)
    assert case.trees(left) == case.trees(tuple(case.statements)), case
    if not case.undecided:
        for statement in left:
            assert not is_idle(case, statement, without(left, statement)), (case, statement)


def is_idle(case: StatementCase, statement: Statement, others: tuple[Statement, ...]) -> bool:
    """Whether no tree that others allow breaks a statement."""
    both = [s for s in case.statements if s is statement or s in others]
    return case.trees(tuple(both)) == case.trees(others)


def without(part: tuple[Statement, ...], statement: Statement) -> tuple[Statement, ...]:
    return tuple(other for other in part if other is not statement)


@pytest.mark.slow
def test_the_cases_are_varied() -> None:
    """Enough of them contradict themselves, by sets of several sizes."""
    sizes: dict[int, int] = {}
    for seed in range(400):
        case = StatementCase(seed)
        if not case.trees(tuple(case.statements)):
            (found,) = find_no_tree(case.problem)
            size = len(case.part(places(found)))
            sizes[size] = sizes.get(size, 0) + 1
    assert sum(sizes.values()) > 60 and min(sizes[1], sizes[2]) >= 8
