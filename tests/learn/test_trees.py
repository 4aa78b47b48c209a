"""Parameters of tree programs learned from tables: gradients against differences of the evidence, a
closed form, the increase of the evidence, and the written program."""

from __future__ import annotations

import itertools
import math
from random import Random

import numpy as np
import polars as pl
import pytest

import slp
from slp.learn.ascent import Interval
from slp.learn.evidence import Differences, InsideOutside, OtherStepsError
from slp.learn.text import ProgramText
from slp.learn.unknowns import Unknowns

GROWTREE = ":- use(growtree, [alpha = 0.7, beta = 0.8]).  % a start\n:- support(max_depth(2)).\n"
PROGRAMS = {
    "growtree": GROWTREE,
    "failing": GROWTREE
    + ":- failure(condition).\n:- constraint(forbid(age, below(1))).\n:- feature_weight(age, 3).\n",
    "counted": GROWTREE + ":- constraint(max_leaves(3)).\n:- feature_weight(dose, 0.5).\n",
    "weights": ":- use(denison).\n:- support(max_depth(2)).\n",
    "lost shares": ":- use(gmt).\n:- support(max_depth(2)).\n",
    "computed": ":- use(growtree, [beta = 2 * alpha]).\n:- support(max_depth(2)).\n",
}


def tables(n: int = 2) -> list[pl.DataFrame]:
    random = Random(4)
    return [
        pl.DataFrame(
            {
                "age": [random.randint(0, 3) for _ in range(7)],
                "dose": [random.randint(0, 2) for _ in range(7)],
                "ill": list("nyynnyn"),
            }
        )
        for _ in range(n)
    ]


def unknowns_of(program: slp.Program) -> Unknowns:
    text = ProgramText(program.source)
    parameters = {n: Interval(*INTERVALS[n]) for n in text.learnable(program.parameters)}
    features = {f: Interval(0.0, math.inf) for f in text.feature_weights()}
    return Unknowns(program.ir, text, parameters, features, lambda _: True)


#: Finding these by trial takes longer than all else.
INTERVALS = {"alpha": (0.0, 1.0), "beta": (-0.1, math.inf), "phi": (0, math.inf), "q": (0, 1)}


@pytest.mark.parametrize("name", PROGRAMS)
def test_slopes_are_those_of_the_evidence(name: str) -> None:
    """Expected counts times slopes of log labels, against differences of the evidence as another
    engine gives it; the error of the latter is far below 1e-6."""
    program = slp.parse(PROGRAMS[name])
    (frame,) = tables(1)
    model = program.compile(frame)
    unknowns = unknowns_of(program)
    sums = InsideOutside(model.grammar, model.table, 2**28)
    u = np.array(unknowns.start) + 0.1

    def evidence(u: np.ndarray) -> float:
        values = dict(zip(unknowns.parameters, unknowns.values(u), strict=False))
        text = program.source.text
        for feature, weight in zip(
            unknowns.features, unknowns.values(u)[len(values) :], strict=True
        ):
            old = program.ir.feature_weights[feature]
            text = text.replace(f"weight({feature}, {old:g})", f"weight({feature}, {weight!r})")
        posterior = slp.parse(text, **values).posterior(frame, draws=0, engine="enumerate")
        assert posterior.log_evidence is not None
        return posterior.log_evidence

    assert sums.value(unknowns, u) == pytest.approx(evidence(u), abs=1e-9)
    slope = sums.slope(unknowns, u)
    for i in range(len(u)):
        step = np.eye(len(u))[i] * 1e-4
        want = (evidence(u + step) - evidence(u - step)) / 2e-4
        assert slope[i] == pytest.approx(want, abs=1e-6)


def test_the_slope_at_the_end_of_a_range() -> None:
    """A little further on, `1 - alpha` is 0 by rounding, and the leaf at the root is no step. The
    difference of one side is that of a point before, up to the curvature."""
    program = slp.parse(PROGRAMS["growtree"])
    model = program.compile(tables(1)[0])
    unknowns = unknowns_of(program)
    sums = InsideOutside(model.grammar, model.table, 2**28)

    def has_leaf(u: float) -> bool:
        try:
            return math.isfinite(sums.value(unknowns, np.array([u, 0.1])))
        except OtherStepsError:
            return False

    low, high = 10.0, 50.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (middle, high) if has_leaf(middle) else (low, middle)
    assert low > 30 and not has_leaf(low + 1e-5)
    at_end = sums.slope(unknowns, np.array([low, 0.1]))
    before = sums.slope(unknowns, np.array([low - 1e-3, 0.1]))
    assert at_end == pytest.approx(before, abs=1e-6)


@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize("name", ["growtree", "failing"])
def test_differences_of_exact_sums_agree(name: str) -> None:
    program = slp.parse(PROGRAMS[name])
    model = program.compile(tables(1)[0])
    unknowns = unknowns_of(program)
    u = np.array(unknowns.start)
    chart = InsideOutside(model.grammar, model.table, 2**28)
    sums = Differences(model.table, 2**28)
    assert sums.value(unknowns, u) == pytest.approx(chart.value(unknowns, u), abs=1e-9)
    assert sums.slope(unknowns, u) == pytest.approx(chart.slope(unknowns, u), abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["failing", "counted", "weights", "lost shares", "computed"])
def test_the_evidence_never_falls_and_is_that_of_the_program_learned(name: str) -> None:
    program = slp.parse(PROGRAMS[name])
    found = program.learn(*tables(), tolerance=1e-4)
    assert found.converged and len(found.log_likelihoods) > 2
    assert all(b >= a for a, b in itertools.pairwise(found.log_likelihoods))
    for have, of in (
        (found.log_likelihoods[0], program),
        (found.log_likelihoods[-1], found.program),
    ):
        evidence = [of.posterior(frame, draws=0).log_evidence for frame in tables()]
        assert have == pytest.approx(math.fsum(e or 0.0 for e in evidence), abs=1e-6)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*label is 0")
def test_a_mixture_of_two_trees_per_table() -> None:
    """Two distinct rows: a table's tree splits with alpha or does not, so alpha is the weight of a
    mixture over tables, which EM for mixtures finds too."""
    random = Random(1)
    frames = []
    for _ in range(40):
        n, split = 40, random.random() < 0.5
        rates = (0.2, 0.9) if split else (0.5, 0.5)
        frames.append(
            pl.DataFrame(
                {
                    "x": [0] * n + [1] * n,
                    "y": [str(random.random() < rates[i // n]) for i in range(2 * n)],
                }
            )
        )
    program = slp.parse(":- use(growtree, [alpha = 0.3]).\n")
    ends = [program.with_parameters(alpha=a) for a in (0.0, 1.0)]
    evidence = [[end.posterior(f, draws=0).log_evidence for f in frames] for end in ends]
    ratio = [math.exp((split or 0) - (leaf or 0)) for leaf, split in zip(*evidence, strict=True)]
    alpha = 0.3
    for _ in range(3000):
        odds = [alpha * r / (1 - alpha) for r in ratio]
        alpha = sum(o / (1 + o) for o in odds) / len(odds)
    found = program.learn(*frames, only=["alpha"])
    (change,) = found.changes
    assert change.after == pytest.approx(alpha, abs=1e-4)
    assert 0.5 < change.after < 0.95
    assert found.text.startswith(":- use(growtree, [alpha = 0.")


@pytest.mark.slow
def test_only_the_numbers_change() -> None:
    text = (
        "% mine\n:- use(growtree, [alpha = 0.9 /* high */]).\n"
        ":- feature_weight(age,   2).  % by half\n:- constraint(max_leaves(3)).\n"
    )
    found = slp.parse(text).learn(*tables(), tolerance=1e-3)
    values = {c.name: float(f"{c.after:.10g}") for c in found.changes}
    assert [c.kind for c in found.changes] == ["parameter", "parameter", "feature_weight"]
    assert found.text == (
        f"% mine\n:- use(growtree, [alpha = {values['alpha']} /* high */, "
        f"beta = {values['beta']}]).\n"
        f":- feature_weight(age,   {values['age']}).  % by half\n:- constraint(max_leaves(3)).\n"
    )


def test_what_the_caller_set_is_where_it_begins() -> None:
    program = slp.parse(GROWTREE, beta=2.0)
    found = program.learn(*tables(), iterations=0)
    assert [c.before for c in found.changes] == [0.7, 2.0]
    fixed = program.learn(*tables(), only=["alpha"], iterations=0)
    assert [c.name for c in fixed.changes] == ["alpha"]


@pytest.mark.slow
def test_a_parameter_that_runs_away_is_noted() -> None:
    frame = pl.DataFrame({"x": [0, 0, 0, 1, 1, 1] * 5, "y": list("aaabbb") * 5})
    found = slp.parse(":- use(growtree).").learn(frame)
    assert found.notes == ("the evidence rises towards the end of the range of alpha",)
