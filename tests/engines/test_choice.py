"""The decision of `auto`: exact sums if the estimated size fits, else draws; and its reason."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars
import pytest

import slp
from slp.engines import choose as choice
from slp.engines.shared import choices
from slp.engines.shared.chain_messages import told_by_cause
from slp.engines.shared.fitting import Room, changes_that_fit, fits_in_words
from slp.engines.shared.size import estimate_size
from slp.errors import Diagnostic, SlpWarning, UsageError
from slp.ir import program as ir
from slp.messages import entries
from slp.problem.problem import Problem
from slp.results.record.size import MOST_SPLITS, Fit, Size
from slp.source import draw_diagnostic

pytestmark = pytest.mark.usefixtures("compiled_kernels")

FINITE = "the program has a finite tree grammar, so its trees can be summed exactly"
DENISON = slp.parse(":- use(denison).")
MIB = 2**20
ROOT = Path(__file__).resolve().parent.parent.parent


def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    X = rng.random((30, 3))
    return X, ((X[:, 0] < 0.5) ^ (rng.random(30) < 0.2)).astype(np.int64)


def drawn(**options: object) -> tuple[slp.Posterior, list[SlpWarning]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", SlpWarning)
        posterior = DENISON.posterior(*data(), seed=1, draws=40, warmup=50, rounds=1, **options)
    return posterior, [w.message for w in caught if isinstance(w.message, SlpWarning)]


def test_exact_where_it_fits() -> None:
    posterior = DENISON.posterior(*data(), draws=0, memory=64 * MIB)
    assert (posterior.engine, posterior.reason) == ("exact", FINITE)
    size = posterior.choice.size
    assert size is not None and size.fits(64 * MIB) and posterior.choice.would_fit == ()


def test_draws_where_it_does_not_and_says_so() -> None:
    posterior, found = drawn(memory=MIB)
    assert posterior.engine == "mh" and len(posterior.draws) == 40
    made = posterior.choice
    assert made.size is not None and made.size.exceeds(MIB, MOST_SPLITS)
    assert made.would_fit and all(fit.size.fits(MIB) for fit in made.would_fit)
    assert posterior.reason == (
        f"exact sums would be too large: {made.size} (estimate; it may be "
        f"{1 + 2 * made.size.error:.2g} times as much) against the memory of 1.0 MiB; "
        + fits_in_words(made.would_fit, posterior.table)
    )
    assert [w.diagnostic.code for w in found] == ["W530"]  # one cause, one warning
    with pytest.warns(SlpWarning) as caught:
        DENISON.posterior(*data(), seed=1, draws=0, warmup=50, rounds=1, memory=MIB)
    (only,) = (w.message for w in caught if isinstance(w.message, SlpWarning))
    assert draw_diagnostic(only.diagnostic) == (
        f"warning[W540]: `auto` draws with mh: {posterior.reason}\n"
        f"  help: for exact sums add this line to the program: {made.would_fit[0].directive}"
    )


def test_a_change_says_what_it_replaces() -> None:
    text = ":- use(denison). :- support([min_leaf(2), max_depth(9)])."
    problem = slp.parse(f"{text} :- feature(_, [bins(width, 29)]).").compile(*data())
    fits = changes_that_fit(problem, Room(MIB, MOST_SPLITS))
    assert {fit.instead for fit in fits} <= {"max_depth(9)", "min_leaf(2)", "feature(_, ...)"}
    assert any(fit.instead == "max_depth(9)" for fit in fits)
    made = replace(drawn(memory=MIB)[0].choice, would_fit=tuple(fits))
    said = choices.draws_instead(made).help
    assert said is not None and f", in place of {fits[0].instead}: " in said


def test_a_prior_that_no_machine_sums_is_called_too_large_once() -> None:
    X = np.random.default_rng(2).random((700, 8))
    prior = slp.parse(":- use(growtree).").prior(X, X[:, 0] < 0.5, seed=1, draws=20)
    assert prior.choice.size is not None and prior.choice.size.vast
    assert prior.reason == (
        f"exact sums would be {prior.choice.size}, so these are independent draws, made by running "
        "the program forward"
    )


def test_what_no_machine_sums_has_its_limit_beside_it() -> None:
    X = np.random.default_rng(2).random((700, 8))
    with pytest.warns(SlpWarning, match="W540.*boxes.*against the memory of 64.0 MiB") as caught:
        posterior = slp.parse(":- use(growtree).").posterior(
            X, X[:, 0] < 0.5, seed=1, draws=0, warmup=1, chains=1, memory=64 * MIB
        )
    assert posterior.choice.size is not None and posterior.choice.size.vast
    assert posterior.reason in str(caught[-1].message)


@pytest.mark.slow
def test_the_same_each_time() -> None:
    assert drawn(memory=MIB)[0].choice == drawn(memory=MIB)[0].choice


def test_no_more_splits_than_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "MOST_SPLITS", 1e5)
    posterior, _ = drawn(memory=64 * MIB)
    assert posterior.engine == "mh" and " against 1e+05 splits; " in posterior.reason


def test_time_does_not_decide() -> None:
    assert DENISON.posterior(*data(), draws=0, memory=64 * MIB, time="1h").engine == "exact"


def test_a_time_in_which_exact_sums_surely_do_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it goes into draws, on any machine."""
    monkeypatch.setattr(Size, "least_seconds", 7200.0)
    posterior, found = drawn(memory=64 * MIB, time="1h")
    assert posterior.engine == "mh" and not posterior.choice.by_clock
    assert posterior.reason == (
        "exact sums would take about 1 s (estimate), more than the time of 1 h"
    )
    assert [w.diagnostic.code for w in found] == ["W530"]
    with pytest.warns(SlpWarning, match="W540") as caught:
        DENISON.posterior(*data(), seed=1, draws=0, warmup=50, rounds=1, memory=64 * MIB, time="1h")
    assert "for exact sums leave --time out" in str(caught[0].message)


def test_one_warning_for_a_limit_of_time() -> None:
    """Of the code that comes first, with its remedy, and all that it led to; others stay."""
    known, codes = entries(), ("W544", "W543", "W530")
    said = [known[code].says(code.lower(), f"to {code}")() for code in codes]
    assert told_by_cause(said[::2]) == said[::2]
    other, one = told_by_cause([*said, known["W541"].says("w541", "more")()])
    assert other == said[0] and (one.code, one.help) == ("W541", "more")
    assert one.message == "w541; w543; w530"


@pytest.mark.parametrize(("memory", "kinds"), [(0.3 * MIB, 2), (2 * MIB, 2), (16 * MIB, 3)])
def test_what_would_fit_does(memory: float, kinds: int) -> None:
    X, y = data()
    model = DENISON.compile(X, y)
    fits = changes_that_fit(model, Room(memory, MOST_SPLITS))
    assert [re.sub(r"\d+", "K", fit.directive) for fit in fits] == [
        ":- feature(_, [bins(quantile, K)]).",
        ":- support(max_depth(K)).",
        ":- support(min_leaf(K)).",
    ][:kinds]
    for fit in fits:
        changed = slp.parse(f":- use(denison). {fit.directive}")
        changed.posterior(X, y, engine="exact", memory=int(memory), draws=0)
    assert fits_in_words(fits[:1], model.table) == (
        f"it would fit with `{fits[0].directive}` ({fits[0].size}, about 1 s) (estimates)"
    )


def test_where_nothing_fits() -> None:
    X, y = data()
    model = DENISON.compile(X, y)
    room = Room(100, MOST_SPLITS)
    assert changes_that_fit(replace(model, _vary=lambda problem, _: problem), room) == []
    assert (
        fits_in_words([], model.table)
        == "no change of cuts, depth or leaves alone was found that makes it fit"
    )


def test_of_a_large_table_only_bins_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = data()
    model = DENISON.compile(X, y)
    n_cells = len(model.table.counts) * len(model.table.features)
    monkeypatch.setattr("slp.engines.shared.fitting._LARGE", n_cells - 1)
    tried = []

    def vary(problem: Problem, program: ir.CheckedProgram) -> Problem:
        tried.append(program)
        return problem

    assert changes_that_fit(replace(model, _vary=vary), Room(100, MOST_SPLITS)) == []
    assert tried and all(p.support == model.program.support for p in tried)
    assert fits_in_words([], model.table) == (
        "no change of cuts alone was found that makes it fit (nothing else was tried)"
    )


def test_a_vector_takes_more_room_than_a_number() -> None:
    assert Room(300, 1).memory_for_numbers == 300
    assert Room(300, 1, words=7).memory_for_numbers == 100


def test_sizes_with_their_spread() -> None:
    size = Size(1000.0, 1000.0, 1e6, 50_000, 0.1)
    assert size.fits(60_000) and not size.fits(59_999) and not size.fits(1e9, 1.1e6)
    assert not size.exceeds(50_000, 1e6) and size.exceeds(49_999, 1e6)
    assert str(Fit(":- support(max_depth(2)).", size)) == (
        "`:- support(max_depth(2)).` (about 1,000 boxes, 48.8 KiB, about 1 s)"
    )


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "about 1 s"),
        (1.2, "up to 4 s"),
        (47.3, "20 s to 3 min"),
        (431.0, "3 min to 30 min"),
        (5000.0, "40 min to 5 h"),
    ],
)
def test_how_long_a_change_takes_is_told_as_a_range(seconds: float, words: str) -> None:
    """From half of the estimate, rounded down, to three times it, rounded up."""
    size = Size(1e6, 1e6, 5e7, 52_000_000, 0.1, seconds=seconds)
    assert str(Fit(":- x.", size)) == f"`:- x.` (about 1,000,000 boxes, 49.6 MiB, {words})"


def test_advice_holds_for_the_whole_summary() -> None:
    """Not for the pass of the evidence alone: for the largest one, and for the time of all."""
    size = Size(1e3, 1e3, 1e4, 1000, 0.0, seconds=10.0, summary_memory=5000.0)
    assert Room(5000, 1e5, seconds=30).holds(size)
    assert not Room(4999, 1e5, seconds=30).holds(size)
    assert not Room(5000, 1e5, seconds=29).holds(size)


@pytest.mark.parametrize(
    ("table", "program", "seconds"),
    [
        ("haberman", ":- use(denison).", 2.5),
        ("haberman", ":- use(growtree).", 24.0),
        ("haberman", ":- use(bcart_pcfg).", 13.0),
        ("iris", ":- use(growtree). :- feature(_, [bins(quantile, 10)]).", 0.67),
        ("few values", ":- use(growtree).", 18.8),
        ("few values", ":- use(denison).", 13.8),
    ],
)
def test_how_long_a_summary_takes_is_known_within_three_times(
    table: str, program: str, seconds: float
) -> None:
    """CPU seconds of all passes on one thread, measured (docs/design/exact-passes.md)."""
    if table == "few values":
        rng = np.random.default_rng(7)
        args = (rng.integers(0, 3, (200, 10)).astype(float), rng.integers(0, 2, 200))
    else:
        args = (polars.read_csv(ROOT / "examples" / table / f"{table}.csv"),)
    model = slp.parse(program).compile(*args)
    size = estimate_size(model)
    assert size is not None and seconds / 3 < size.seconds < 3 * seconds


def test_advice_leaves_trees_something_to_say() -> None:
    """No larger leaves than a tenth of the rows, no depth of 1."""
    X, y = data()
    model = DENISON.compile(X, y)
    asked = []

    def vary(problem: Problem, program: ir.CheckedProgram) -> Problem:
        asked.append(program)
        raise UsageError(Diagnostic("E000", "too large"))

    assert changes_that_fit(replace(model, _vary=vary), Room(1, 1)) == []
    assert max(p.support.min_leaf for p in asked) == 5 < len(y)
    assert min(p.support.max_depth for p in asked if p.support.max_depth is not None) == 2


def test_the_table_is_coded_anew_for_other_cuts_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = data()
    model = DENISON.compile(X, y)
    monkeypatch.setattr("slp.compile.table_of", None)
    deeper = replace(model.program, support=replace(model.program.support, max_depth=2))
    changed = model.varied(deeper)
    assert changed.table is model.table and len(changed.grammar.states) > 1


def test_advice_ends_when_it_is_told_to() -> None:
    X, y = data()
    model = DENISON.compile(X, y)
    asked = []

    def vary(problem: Problem, program: ir.CheckedProgram) -> Problem:
        asked.append(program)
        return problem

    stop = lambda: len(asked) >= 2  # noqa: E731
    assert changes_that_fit(replace(model, _vary=vary), Room(1, 1), stop) == []
    assert len(asked) == 2


@pytest.mark.slow
def test_new_rows_that_sums_have_no_room_for_are_predicted_by_draws() -> None:
    """The sums of `growtree` on 24 x 3 fit into 14 MiB, and those for new rows do not.

    200 probabilities are within 5 of their errors. By chance that fails for one in two million
    of them.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(24, 3))
    y = X[:, 0] + rng.normal(size=24) > 0
    new = rng.normal(size=(200, 3))
    program = slp.parse(":- use(growtree).")
    exact = program.posterior(X, y, seed=1, draws=0)
    tight = program.posterior(X, y, seed=1, draws=0, memory="14MiB")
    assert tight.engine == "exact" and tight.log_evidence == exact.log_evidence
    with pytest.warns(slp.SlpWarning, match="W540.*1,000 independent draws.*14.0 MiB") as told:
        have = tight.predict_proba(new)
        error = tight.predict_error(new)
        intervals = tight.predict_interval(new[:5])
    assert len(told) == 1
    assert (error > 0).any() and (error < 0.03).all()
    assert (np.abs(have - exact.predict_proba(new)) <= 5 * error + 1e-12).all()
    np.testing.assert_allclose(intervals, exact.predict_interval(new[:5]), atol=0.05)
    again = program.posterior(X, y, seed=1, draws=0, memory="14MiB")
    with pytest.warns(slp.SlpWarning, match="W540"):
        assert (again.predict_error(new) == error).all()
    assert (again.predict_proba(new) == have).all()
    asked = program.posterior(X, y, engine="exact", draws=0, memory="14MiB")
    with pytest.raises(slp.BudgetError, match="E501"):
        asked.predict_proba(new)


@pytest.mark.slow
def test_uses_of_features_that_sums_have_no_room_for_are_averages_over_draws() -> None:
    """The evidence of `growtree` on 24 x 3 fits into 14 MiB, and sums from the root down do not.

    Ten numbers are within 5 of their errors. By chance that fails for one in two million of them.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(24, 3))
    y = X[:, 0] + rng.normal(size=24) > 0
    program = slp.parse(":- use(growtree).")
    exact = program.posterior(X, y, seed=1, draws=0)
    tight = program.posterior(X, y, seed=1, draws=0, memory="14MiB")
    with pytest.warns(slp.SlpWarning, match="W540.*leaves and features are.*14.0 MiB") as told:
        uses = tight.split_probabilities()
        leaves, error = tight.expected_leaves(), tight.expected_leaves_error()
        roots = tight.root_probabilities()
    assert len(told) == 1
    assert tight.uses_are_drawn and not exact.uses_are_drawn
    assert 0 < error < 0.2 and abs(leaves - exact.expected_leaves()) <= 5 * error
    for name, want in exact.split_probabilities().items():
        have = uses[name]
        assert abs(have.probability - want.probability) <= 5 * have.probability_error
        assert abs(have.expected_splits - want.expected_splits) <= 5 * have.expected_splits_error
        assert abs(roots[name] - exact.root_probabilities()[name]) <= 5 / (2 * 1000**0.5)
    assert exact.expected_leaves_error() == 0
    asked = program.posterior(X, y, engine="exact", draws=0, memory="14MiB")
    with pytest.raises(slp.BudgetError, match="E501"):
        asked.split_probabilities()
