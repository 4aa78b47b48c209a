"""Independent draws of a prior, against the exact engine."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import slp
from slp.engines import choose as choice
from slp.engines.shared.forward_runs import can_run_forward
from slp.errors import BudgetError, UnsupportedError
from slp.ir.tree_grammar import OpenStates
from slp.lower import lowering

pytestmark = pytest.mark.usefixtures("compiled_kernels")

BOX = "box(b, x0, 1, 3).\n:- constraint(constant(b)).\n"
PROGRAMS = [
    ":- use(growtree).",
    ":- use(gmt).",  # shares are lost, so proofs are thrown away
    f":- use(growtree).\n{BOX}:- failure(condition).",
    ":- use(growtree).\n:- constraint(max_leaves(3)).",
    ":- use(growtree_gap).\n:- support(min_leaf(2)).",
]


def data(n: int = 12) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    columns = {f"x{i}": rng.integers(0, 5, n).astype(float) for i in range(2)}
    return pl.DataFrame({**columns, "y": rng.choice(["a", "b"], n)})


@pytest.mark.slow
@pytest.mark.parametrize("text", PROGRAMS)
def test_draws_have_the_probabilities_of_the_prior(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of four numbers is within 5 errors: off by chance once in a million."""
    exact = slp.parse(text).prior(data(), engine="exact")
    monkeypatch.setattr(choice, "_LONG", -1.0)
    drawn = slp.parse(text).prior(data(), seed=1, draws=2000)
    assert drawn.engine == "forward" and len(drawn.draws) == 2000
    assert "independent draws, made by running the program forward" in drawn.reason
    assert drawn.diagnostics is not None and drawn.diagnostics.warnings == ()
    pairs = [
        (drawn.expected_leaves(), drawn.expected_leaves_error(), exact.expected_leaves()),
        (drawn.expected_depth(), drawn.expected_depth_error(), exact.expected_depth()),
    ]
    for name, use in drawn.split_probabilities().items():
        want = exact.split_probabilities()[name].probability
        pairs.append((use.probability, use.probability_error, want))
    for estimate, error, true in pairs:
        assert abs(estimate - true) < 5 * error + 1e-3 < 0.2 + 0.1 * true


def test_draws_do_not_depend_on_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "_LONG", -1.0)
    drawn = slp.parse(":- use(growtree).").prior(data(), seed=2, draws=2000)
    leaves = np.array([draw.tree.n_leaves for draw in drawn.draws], float)
    assert abs(np.corrcoef(leaves[1:], leaves[:-1])[0, 1]) < 5 / np.sqrt(2000)
    again = slp.parse(":- use(growtree).").prior(data(), seed=2, draws=2000)
    assert [d.tree for d in drawn.draws[:50]] == [d.tree for d in again.draws[:50]]


@pytest.mark.parametrize("prior", ["denison", "pinball"])
def test_what_cannot_be_run_forward(prior: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the weights of a choice sum to more than 1, exact sums stay."""
    monkeypatch.setattr(choice, "_LONG", -1.0)
    program = slp.parse(f":- use({prior}).")
    assert not can_run_forward(program.compile(data()).grammar)
    assert program.prior(data()).engine == "exact"


@pytest.mark.parametrize(("measure", "can"), [("gap", True), ("each", False)])
def test_of_open_states_later_ones_count(
    measure: str, can: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From depth 8 on, which no state that is listed at first has, splits are by another
    measure."""
    monkeypatch.setattr(lowering, "FIRST_STATES", 5)
    text = ":- start(t(0)). 1/2 :: t(D) --> leaf. "
    text += "1/2 :: t(D) --> { D < 8 }, split(F, V), t(D+1), t(D+1). "
    text += f"1/2 :: t(D) --> {{ D >= 8 }}, split(F, V, {measure}), t(D+1), t(D+1)."
    grammar = slp.parse(text).compile(data(40)).grammar
    assert isinstance(grammar.states, OpenStates)
    assert can_run_forward(grammar) == can


def test_a_short_summary_is_exact() -> None:
    assert slp.parse(":- use(growtree).").prior(data()).engine == "exact"


@pytest.mark.slow
def test_a_prior_asked_of_the_exact_engine_stays_so() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((200, 4)), rng.integers(0, 2, 200)
    with pytest.raises(BudgetError):
        slp.parse(":- use(growtree).").prior(X, y, engine="exact", memory="100MiB")
    assert slp.parse(":- use(growtree).").prior(X, y, draws=100, seed=1).engine == "forward"


def test_what_the_core_lacks_is_said() -> None:
    table = data().with_columns(x0=pl.when(pl.col("x0") > 0).then("x0"))
    for program, why in (
        (
            ":- ignore(x0). :- constraint(python('builtins:bool', local)).",
            "which asks no predicates on nodes",
        ),
    ):
        with pytest.raises(UnsupportedError, match=f"E533.*compiled core, {why}"):
            slp.parse(f":- use(growtree). {program}").prior(
                table, engine="forward", allow_code=True
            )
