"""Derivatives of what a random case answers, by differences of the enumeration of all derivations.

As a program, `python -m tests.spec.sensitivity` compares 2,000 cases, or as many as
SLP_SENSITIVITY_CASES says, from the seed SLP_SENSITIVITY_FIRST on (0).
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slp.compile import compile_program
from slp.errors import DataError, SlpError, SlpWarning
from slp.ir.program import CheckedProgram
from slp.learn.evidence import grammar_on
from slp.learn.text import ProgramText
from slp.sensitivity import Found, VariedProgram, sensitivities
from slp.sensitivity.numbers import Varied
from slp.source import SourceFile, SourceSpan
from slp.terms import Term
from tests.spec.brute_force import BruteForce, Row, TooManyDerivationsError, ValueMissingError
from tests.spec.cases import Case, random_case
from tests.spec.derivations import Choice
from tests.spec.example import Node
from tests.spec.leaf_formulas import DirichletFormula, ExponentialFormula, WeightedFormula

LIMIT = 2000
TOLERANCE = 1e-6
#: Step of the differences, as a share of the way to the nearer end of the range.
_STEP = 4e-3
#: How lines begin on which no label depends: the search for the ends of ranges, which takes two
#: thirds of the time of a case, leaves them out.
_NOT_OF_LABELS = ("box(", ":- constraint(", ":- cost(", ":- leaf(", ":- response(")

_Floats = NDArray[np.float64]


class Scaled(BruteForce):
    """All derivations where the labels of one clause have a factor, and those of the other clauses
    of a state another, so that they sum to what they did; without `rescaled` others stay."""

    def __init__(
        self, case: Case, span: SourceSpan, factor: float, *, rescaled: bool, limit: int = LIMIT
    ) -> None:
        self.span, self.factor, self.rescaled = span, factor, rescaled
        super().__init__(case.model.program, case.spec.example, case.table.leaf, limit)

    def _choices(self, state: Term, node: Node) -> Iterator[Choice]:
        choices = list(super()._choices(state, node))
        total = sum(c.label for c in choices)
        own = sum(c.label for c in choices if c.rule.span == self.span)
        others = 1.0
        if self.rescaled:
            if own >= total * (1 - 1e-12):
                yield from choices
                return
            others = (total - own * self.factor) / (total - own)
        for c in choices:
            by = self.factor if c.rule.span == self.span else others
            yield replace(c, label=c.label * by)


@dataclass(frozen=True)
class Question:
    """What is asked of a case: the features, and the rows that can be told something."""

    features: tuple[str, ...]
    rows: tuple[Row, ...]

    @classmethod
    def of(cls, case: Case, n: int = 1) -> Question:
        plain = case.table.leaf
        plain = plain.leaf if isinstance(plain, WeightedFormula) else plain
        rows = []
        for row in case.new_rows if not isinstance(plain, ExponentialFormula) else ():
            try:
                case.spec.predictive(row)
            except ValueMissingError:
                continue
            rows.append(row)
        return cls(case.model.table.feature_names, tuple(rows[:n]))

    def answers(self, spec: BruteForce) -> _Floats:
        """The log evidence, P(used) of each feature, what each row is told."""
        told = [x for row in self.rows for x in spec.predictive(row)]
        used = [spec.feature_probability(f) for f in self.features]
        return np.array([spec.log_evidence(), *used, *told])

    def frame(self, case: Case) -> pl.DataFrame:
        return pl.DataFrame(
            {
                f: [case.table.shown(f, row[i]) for row in self.rows]
                for i, f in enumerate(case.table.features)
            }
        )


def found_of(case: Case, question: Question) -> Found:
    """By the adjoints of the chart."""
    source = SourceFile("test.slp", case.text)
    table = case.model.table
    lines = [x for x in case.text.splitlines() if not x.startswith(_NOT_OF_LABELS)]

    def compiles(parameters: Any) -> bool:
        return _compiles("\n".join(lines), tuple(sorted(parameters.items())))

    rows = np.empty((0, len(table.features)), np.object_)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        if question.rows:
            rows = table.new_rows(question.frame(case))
        program = case.model.program
        of = (program, ProgramText(source), compiles, table, grammar_on(program, table))
        return sensitivities(VariedProgram(*of, rows, 2**30, None))


@lru_cache(100_000)
def _compiles(text: str, parameters: tuple[tuple[str, float], ...]) -> bool:
    """Whether labels are sound with these values. Many cases share their rules."""
    try:
        compile_program(SourceFile("test.slp", text), dict(parameters))
    except SlpError:
        return False
    return True


def spec_at(case: Case, one: Varied, span: SourceSpan | None) -> Callable[[float], BruteForce]:
    """All derivations where a number that varies has another value."""
    program, example, leaf = case.model.program, case.spec.example, case.table.leaf

    def of(changed: CheckedProgram, formula: Any = leaf) -> BruteForce:
        return BruteForce(changed, example, formula, LIMIT)

    match one.kind:
        case "parameter":
            return lambda x: of(replace(program, parameters={**program.parameters, one.name: x}))
        case "feature_weight":
            weights = program.feature_weights
            return lambda x: of(replace(program, feature_weights={**weights, one.name: x}))
        case "label":
            assert span is not None
            return lambda x: Scaled(case, span, x, rescaled=not program.weights)
        case _:
            unit = one.concentrations
            assert unit is not None
            return lambda x: of(program, _moved(leaf, unit * (x - one.value)))


def _moved(leaf: Any, by: _Floats) -> Any:
    if isinstance(leaf, WeightedFormula):
        return replace(leaf, leaf=_moved(leaf.leaf, by))
    assert isinstance(leaf, DirichletFormula)
    return replace(leaf, a=tuple(a + float(x) for a, x in zip(leaf.a, by, strict=True)))


def spans(case: Case, found: Found) -> list[SourceSpan | None]:
    """The clause of each label that varies; labels stand in the order of the clauses."""
    left = [r.span for r in case.model.program.rules]
    out: list[SourceSpan | None] = []
    for one in found.varied:
        span = None
        if one.kind == "label":
            text = {s: " ".join(s.file.text[s.start : s.end].split()) for s in left}
            span = next(s for s in left if text[s].removesuffix(".").endswith(one.name))
            del left[: left.index(span) + 1]
        out.append(span)
    return out


def slope_at(answers: Callable[[float], _Floats], one: Varied) -> _Floats:
    """Central differences of fourth order."""
    low, high, x = one.interval.low, one.interval.high, one.value
    h = _STEP * min(x - low, high - x, abs(x) or 1.0)
    far, near, near_up, far_up = (answers(x + k * h) for k in (-2, -1, 1, 2))
    return np.asarray((8 * (near_up - near) - (far_up - far)) / (12 * h))


def compare(case: Case) -> int:
    """Hold the derivatives of a case to those of the enumeration; how many numbers varied, 0 where
    there are too many derivations."""
    formula = case.table.leaf
    classes = getattr(formula, "classes", ())
    if not case.spec.derivations or len(classes) != len(case.model.table.leaf.classes):
        return 0  # no tree, or a class whose rows the case has lost
    question = Question.of(case)
    try:
        found = found_of(case, question)
    except DataError:  # a row that misses a value comes to a split that refuses it
        question = replace(question, rows=())
        found = found_of(case, question)
    have = np.array([found.log_evidence, *found.used, *found.told.ravel()])
    np.testing.assert_allclose(have, question.answers(case.spec), 1e-7, 1e-9, err_msg=repr(case))
    for i, (one, span) in enumerate(zip(found.varied, spans(case, found), strict=True)):
        at = spec_at(case, one, span)
        try:
            want = slope_at(lambda x, at=at: question.answers(at(x)), one)
        except TooManyDerivationsError:
            return 0
        have = np.array([found.of_evidence[i], *found.of_used[i], *found.of_told[i].ravel()])
        slack = TOLERANCE * max(1.0, float(np.abs(want).max()), case.rounding / 1e-9)
        np.testing.assert_allclose(have, want, 0, slack, err_msg=f"{one.kind} {one.name} {case!r}")
    return len(found.varied)


def main() -> None:
    """Compare many cases."""
    first = int(os.environ.get("SLP_SENSITIVITY_FIRST", "0"))
    n_cases = int(os.environ.get("SLP_SENSITIVITY_CASES", "2000"))
    cases = numbers = 0
    seed = first
    while cases < n_cases:
        found = compare(random_case(seed, 100))
        random_case.cache_clear()
        seed, cases, numbers = seed + 1, cases + (found > 0), numbers + found
    print(f"{cases} cases with {numbers} numbers, seeds {first} to {seed - 1}: all equal")


if __name__ == "__main__":
    main()
