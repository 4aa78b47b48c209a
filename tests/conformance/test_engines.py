"""What every engine of the registry must do, and the toy of the docs: a walk over all of them.

Exact numbers agree with those of `enumerate` to 1e-9. An estimate agrees with them within `LIMIT`
of its own standard errors; seeds are fixed. With so many comparisons the probability that a right
engine fails by chance is below 0.001 for a fresh seed.
"""

from __future__ import annotations

import dataclasses
import math
import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from scipy.stats import norm

import slp
from slp.cli import slp_command
from slp.cli.as_json import posterior_to_json
from slp.cli.page import Page
from slp.compile import compile_problem
from slp.engines import infer
from slp.engines.contract import DrawingOptions, Request
from slp.engines.registry import ENGINES, all_options, engine_named
from slp.errors import BudgetError, SlpError, SlpWarning, UnsupportedError, UsageError
from slp.results import Posterior, Result
from slp.results.record.choice import EngineChoice

NAMES = [*ENGINES, "toy"]
every_engine = pytest.mark.parametrize("name", NAMES)

#: Programs of the zoo: priors with and without constraints that decompose, a mixture, a prior whose
#: weights do not sum to 1, and a continuous response.
ZOO = {
    "growtree": ":- use(growtree, [beta = 0.5]).",
    "denison": ":- use(denison, [phi = 3]).",
    "box": ":- use(growtree). :- constraint(constant(low)). box(low, a, 0, 2).",
    "support": ":- use(growtree). :- support([min_leaf(2), max_depth(2)]).",
    "mixture": ":- start(tree). 0.3 :: tree --> few. 0.7 :: tree --> many. 0.8 :: few --> leaf. "
    "0.2 :: few --> split(F, V), few, few. 0.4 :: many --> leaf. "
    "0.6 :: many --> split(F, V), many, many.",
}
#: Leaves need 100 rows, and the table has 9.
NO_TREES = (
    ":- start(tree). 0.5 :: tree --> {rows(N), N >= 100}, leaf. "
    "0.5 :: tree --> split(F, V), tree, tree."
)
#: One that no exact engine can sum.
TESTED_WHEN_FINISHED = ":- use(growtree). :- constraint(max_features(1))."
#: 11 numbers are compared for each engine that draws and each program.
LIMIT = float(norm.ppf(1 - 0.0005 / (11 * len(ZOO) * 4)))

DRAWN: dict[str, dict[str, Any]] = {
    "mh": {"draws": 4000, "thin": 20, "warmup": 2000},
    "prolog": {"draws": 800, "warmup": 50, "thin": 3},
    "smc": {"draws": 4000, "islands": 40, "particles": 100},
    "forward": {"draws": 4000},
    "toy": {"draws": 1, "islands": 24, "particles": 60},
    "rjhmc": {"draws": 400, "warmup": 50},
    "additive": {"draws": 400, "warmup": 50},
}
#: Engines that give no posterior but predictions (`tests/engines/stacked`), of so many rows.
PREDICTING = {"stacked": 400}
#: Engines of soft trees take other programs; `tests/engines/rjhmc` compares them with quadrature.
SOFT = ("rjhmc",)
SOFT_PROGRAM = ":- use(rjhmc)."
#: Engines of sums of trees take other programs; `tests/engines/additive` compares them with
#: enumeration.
SUMMING = ("additive",)
#: Engines that grow or search trees: what they give is of these trees alone.
GROWN = ("modal", "search")


def frame(n: int = 9) -> pl.DataFrame:
    rng = np.random.default_rng(8)
    a, b = rng.integers(0, 4, n), rng.integers(0, 3, n)
    return pl.DataFrame({"a": a, "b": b, "y": np.where(a + rng.normal(size=n) > 1.5, "q", "p")})


def rows_for(name: str) -> pl.DataFrame:
    """The smallest table that is given to an engine."""
    return frame(PREDICTING.get(name, 9))


def needs(name: str, request: pytest.FixtureRequest) -> None:
    if name == "prolog":
        request.getfixturevalue("janus")


def program_of(name: str, text: str) -> str:
    """The program that an engine is run on where any will do."""
    return SOFT_PROGRAM if name in SOFT else f"{text} :- trees(3)." if name in SUMMING else text


def run(name: str, text: str, **options: Any) -> Posterior:
    """A posterior, or, of an engine that gives none, the prior."""
    program = slp.parse(text)
    ask = program.prior if name == "forward" else program.posterior
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        return ask(rows_for(name), engine=name, **{"seed": 5, **DRAWN.get(name, {}), **options})


# --- what an engine says of itself ----------------------------------------------------------------


@every_engine
def test_it_describes_itself(name: str) -> None:
    engine = engine_named(name)
    assert engine.name == name
    for text in (engine.title, engine.gives, engine.refuses):
        assert text and not text.endswith(".")
    assert isinstance(engine.needs_grammar, bool)
    assert isinstance(engine.few_states, bool)
    assert engine.soft_trees == (name in SOFT)
    assert isinstance(engine.needs_weights, bool)
    assert isinstance(engine.refuses_options, bool)


@every_engine
def test_its_options_are_a_frozen_dataclass_with_a_doc_for_each(name: str) -> None:
    options = engine_named(name).Options
    assert dataclasses.is_dataclass(options)
    made = options()
    for field in dataclasses.fields(options):
        assert field.metadata["doc"]
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(made, field.name, None)


@every_engine
def test_its_options_are_keywords_and_flags(name: str) -> None:
    listed = CliRunner().invoke(slp_command, ["engines"]).output
    assert re.search(rf"^{name}\b", listed, re.MULTILINE)
    for field in dataclasses.fields(engine_named(name).Options):
        assert field.name in all_options()
        assert f"--{field.name.replace('_', '-')}  " in listed  # apart from its text


@every_engine
def test_a_wrong_option_is_told(name: str) -> None:
    with pytest.raises(UsageError, match="E544.*no option"):
        run(name, ZOO["growtree"], no_such_option=1)


# --- what it gives --------------------------------------------------------------------------------


@every_engine
def test_it_gives_a_result(name: str, request: pytest.FixtureRequest) -> None:
    needs(name, request)
    problem = compile_problem(slp.parse(program_of(name, ZOO["growtree"])).ir, rows_for(name))
    asked = {"choice": EngineChoice(name, "asked for"), "likelihood": name != "forward", "draws": 8}
    asked |= {"seed": 1, "memory": 2**30, "deadline": slp.budgets.Deadline(), "threads": 1}
    asked |= {"progress": None, "allow_code": False, "advise": False}
    engine = engine_named(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        result = engine.run(problem, Request(**asked), engine.Options())  # type: ignore[arg-type]
    assert type(result) is Result
    found = result.evidence.estimate()
    if found is not None:
        assert found.low <= found.value <= found.high
        assert found.kind in ("exact", "estimate") and (found.error == 0) == (found.kind == "exact")
    assert (result.monte_carlo is None) == (result.diagnostics() is None)
    assert (result.stacked is None) == (name not in PREDICTING)
    if name in PREDICTING:
        with pytest.raises(UsageError, match="E559"):
            result.draws()
        return
    assert sum(draw.weight for draw in result.draws()) == pytest.approx(len(result.draws()))


@pytest.mark.thinned(16)
@pytest.mark.parametrize("text", ZOO.values(), ids=ZOO.keys())
@pytest.mark.parametrize("name", [name for name in NAMES if name not in PREDICTING])
def test_it_agrees_with_enumeration(name: str, text: str, request: pytest.FixtureRequest) -> None:
    needs(name, request)
    try:
        have = run(name, text)
    except UnsupportedError as refused:
        assert name in ("forward", "prolog", *SOFT, *SUMMING), refused
        assert refused.diagnostics[0].code in ("E163", "E164", "E533", "E539", "E577")
        return
    want = run("enumerate", text)
    if name in GROWN:
        compare_trees(have, want)
        return
    want = want if have.likelihood else want.prior()
    exact = have.diagnostics is None
    drawn = have._result.monte_carlo

    def compare(value: float, error: float, wanted: float) -> None:
        if exact:
            assert value == pytest.approx(wanted, rel=1e-9, abs=1e-12)
        else:
            assert abs(value - wanted) <= LIMIT * error + 1e-12, (value, error, wanted)

    check_kind(have)
    if have.log_evidence is not None:
        assert have.log_evidence_error is not None
        compare(have.log_evidence, have.log_evidence_error, want.log_evidence or math.nan)
    compare(have.expected_leaves(), have.expected_leaves_error(), want.expected_leaves())
    compare(have.expected_depth(), have.expected_depth_error(), want.expected_depth())
    for feature, use in have.split_probabilities().items():
        other = want.split_probabilities()[feature]
        compare(use.probability, use.probability_error, other.probability)
        compare(use.expected_splits, use.expected_splits_error, other.expected_splits)
    rows = frame()[:4]
    if have.likelihood:
        errors = have.predict_error(rows)[:, 0]
        pairs = zip(have.predict_proba(rows)[:, 0], errors, strict=True)
        for (value, error), wanted in zip(pairs, want.predict_proba(rows)[:, 0], strict=True):
            compare(float(value), float(error), float(wanted))
    for draw in list(have.draws)[:50]:
        assert draw.log_likelihood == pytest.approx(want.log_likelihood(draw.tree), rel=1e-9)
        prior = have.log_prior(draw.tree)
        assert prior == pytest.approx(want.log_prior(draw.tree), rel=1e-9) or (
            prior is None and not have.normalised
        )
    assert drawn is None or have.k_best(1)[0].certified is False


def check_kind(posterior: Posterior) -> None:
    """The kind of the log evidence, in Python, in JSON and on the page; an error of 0 alone tells
    nothing, as islands may agree."""
    told = posterior_to_json(posterior, posterior.split_probabilities(), draws=0)
    page = "\n".join(Page(posterior, posterior.split_probabilities(), "", "data", []).lines())
    kind = posterior.log_evidence_kind
    want = "exact" if posterior.diagnostics is None else "estimate"
    assert kind == told["log_evidence_kind"] == (want if posterior.log_evidence else None)
    if kind == "exact":
        assert posterior.log_evidence_bounds == (posterior.log_evidence,) * 2
        assert re.search(r"^evidence  log P\(y \| features\) = \S+, exact$", page, re.MULTILINE)
    elif kind == "estimate":
        assert posterior.log_evidence_bounds is None
        assert re.search(r"^evidence  .* = \S+, estimate, Monte Carlo standard", page, re.MULTILINE)
    else:
        assert re.search(r"^evidence  not known: ", page, re.MULTILINE)


def compare_trees(have: Posterior, want: Posterior) -> None:
    """The trees that an engine grew have their log joint, and averages are over them."""
    assert have.trees_found == len(have.draws) and have.log_evidence is None
    best = have.map()
    assert best.log_joint is not None and best.certified == (have.engine == "search")
    other = want.log_posterior(best.tree)
    top = want.map()
    assert other is not None and top.log_joint is not None and top.log_posterior is not None
    joint = top.log_joint - top.log_posterior + other
    assert best.log_joint == pytest.approx(joint, rel=1e-9)
    if have.derivations_are_trees:
        assert best.log_joint <= top.log_joint + 1e-9
    if best.certified:
        assert best.ranked_log_joint == pytest.approx(top.ranked_log_joint, rel=1e-9)
    assert have.expected_leaves() == pytest.approx(best.tree.n_leaves)
    for draw in have.draws:
        assert draw.log_likelihood == pytest.approx(want.log_likelihood(draw.tree), rel=1e-9)
        assert have.log_prior(draw.tree) == pytest.approx(want.log_prior(draw.tree), rel=1e-9) or (
            have.log_prior(draw.tree) is None and not have.normalised
        )


@pytest.mark.slow
@every_engine
def test_the_seed_determines_the_draws(name: str, request: pytest.FixtureRequest) -> None:
    needs(name, request)
    one, same, other = (
        told_by(run(name, program_of(name, ZOO["growtree"]), draws=60, seed=seed, threads=threads))
        for seed, threads in ((3, 1), (3, 2), (4, 1))
    )
    assert list(one) == list(same)
    assert list(one) != list(other) or name in GROWN


def told_by(posterior: Posterior) -> Sequence[Any]:
    """The draws, or, of an engine that has none, predictions."""
    if posterior.stacked is None:
        return posterior.draws
    told: list[Any] = posterior.predict_proba(frame()).tolist()
    return told


# --- what it refuses ------------------------------------------------------------------------------


@every_engine
def test_it_refuses_in_words(name: str, request: pytest.FixtureRequest) -> None:
    """Either it takes a program that is tested when it is finished, or it says why not."""
    needs(name, request)
    problem = compile_problem(slp.parse(TESTED_WHEN_FINISHED).ir, rows_for(name))
    engine = engine_named(name)
    for found in engine.refusal(problem, engine.Options()):
        assert re.fullmatch(r"E[35]\d\d", found.code)
        assert found.message and found.help
    if not engine.refusal(problem, engine.Options()):
        assert name in DRAWN or name in GROWN or name in PREDICTING
        if name in PREDICTING:  # its members are those of `mh`
            return
        found_trees = run(name, TESTED_WHEN_FINISHED, draws=40).draws
        assert all(len({f for f in tree_features(d.tree)}) <= 1 for d in found_trees)


def tree_features(tree: slp.Tree) -> set[str]:
    return set(re.findall(r"'feature': '(\w+)'", str(tree.to_dict())))


@every_engine
def test_a_program_without_trees_is_told(name: str, request: pytest.FixtureRequest) -> None:
    needs(name, request)
    with pytest.raises(SlpError) as error:
        found = run(name, NO_TREES)
        found.expected_leaves()
    assert re.fullmatch(r"E\d\d\d", error.value.diagnostics[0].code)


# --- runs that end early --------------------------------------------------------------------------

drawing = pytest.mark.parametrize(
    "name", [n for n in NAMES if n == "toy" or issubclass(engine_named(n).Options, DrawingOptions)]
)


@pytest.mark.slow
@drawing
def test_an_interrupted_run_goes_on_from_its_checkpoint(
    name: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    needs(name, request)
    program = slp.parse(program_of(name, ZOO["growtree"]))
    options = {"engine": name, "seed": 2, **DRAWN[name], "threads": 1}
    told = []

    def hit_control_c(done: int, phase: str) -> None:
        told.append(done)
        if len(told) == 2:
            raise KeyboardInterrupt

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        whole = program.posterior(frame(), **options).draws
        path = tmp_path / "run.json"
        try:
            program.posterior(frame(), checkpoint=path, progress=hit_control_c, **options)
        except KeyboardInterrupt:
            pass
        assert path.exists() and told
        resumed = program.posterior(frame(), checkpoint=path, resume=True, **options).draws
    assert list(resumed) == list(whole)


@every_engine
def test_memory_that_does_not_suffice_is_told_before_the_work(
    name: str, request: pytest.FixtureRequest
) -> None:
    needs(name, request)
    X = np.random.default_rng(0).normal(size=(4000, 10))
    program = slp.parse(program_of(name, ZOO["growtree"]))
    ask = program.prior if name == "forward" else program.posterior
    with pytest.raises(BudgetError, match="E501"):
        ask(X, X[:, 0] > 0, engine=name, memory="512KiB")


@pytest.mark.slow
@every_engine
def test_a_time_that_is_over_ends_with_what_there_is(
    name: str, request: pytest.FixtureRequest
) -> None:
    needs(name, request)
    X = np.random.default_rng(0).normal(size=(400, 6))
    program = slp.parse(program_of(name, ":- use(growtree)."))
    ask = program.prior if name == "forward" else program.posterior
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        try:
            # An island of the default size is done in less.
            own = {"particles": 10**6} if name == "smc" else {}
            own |= {"look_ahead": 3} if name == "modal" else {}
            found = ask(X, X[:, 0] > 0, engine=name, time=0.5, draws=10**6, **own)
        except BudgetError as error:
            assert error.diagnostics[0].code in ("E501", "E503", "E540")
            assert error.diagnostics[0].help
        else:
            done = name == "search" and found.map().certified
            assert found.out_of_time or done
            assert name in PREDICTING or 0 < len(found.draws) < 10**6


def test_islands_that_agree_are_not_told_as_exact() -> None:
    """On a table with one tree all islands have the same evidence, and an error of 0."""
    one_tree = pl.DataFrame({"a": [1, 1, 1, 1], "y": list("ppqp")})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlpWarning)
        drawn, exact = (
            slp.parse(ZOO["growtree"]).posterior(one_tree, engine=name, seed=1)
            for name in ("toy", "exact")
        )
        told, known = (posterior_to_json(p, {}, draws=1) for p in (drawn, exact))
    assert drawn.log_evidence_error == 0 and told["log_evidence_bounds"] is None
    assert known["log_evidence_bounds"] == [exact.log_evidence] * 2


def test_the_page_shows_the_toy() -> None:
    """docs/adding-an-engine.md has the code of the toy as it is tested here."""
    page = (Path(__file__).parents[2] / "docs" / "adding-an-engine.md").read_text("utf-8")
    toy = (Path(__file__).with_name("toy_filter.py")).read_text("utf-8")
    shown = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert toy in shown


def test_infer_takes_all_that_engines_take() -> None:
    problem = compile_problem(slp.parse(ZOO["growtree"]).ir, frame())
    assert infer(problem, engine="chart", draws=0).engine == "chart"
