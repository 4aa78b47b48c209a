"""Chains on grammars with open states make the same draws as on listed ones, for any number of
threads and so for any order in which states are made."""

from __future__ import annotations

import warnings

import numpy as np
import polars as pl
import pytest

import slp
from slp.errors import SlpError
from slp.lower import expansion, lowering
from slp.resources import prior_names
from slp.results import Draw

RNG = np.random.default_rng(5)
N = 24
FRAME = pl.DataFrame(
    {
        "x": RNG.integers(0, 9, N),
        "z": RNG.integers(0, 3, N),
        "colour": RNG.choice(["red", "green", "blue"], N),
        "y": RNG.choice(["yes", "no"], N),
    }
)
_BOX = "\nbox(b, x, 2, 5).\n:- constraint(constant(b)).\n:- constraint(once(z)).\n"
_PROGRAMS = {
    **{name: f":- use({name})." for name in prior_names() if name != "rjhmc"},
    "rjhmc": ":- use(rjhmc).\n:- ignore(colour).",
    "constrained": f":- use(growtree).{_BOX}",
    "conditioned": f":- use(growtree_gap).{_BOX}:- failure(condition).",
    "few_leaves": f":- use(gmt).{_BOX}:- constraint(max_leaves(4)).",
    "majority": ":- use(growtree).\nbox(b, x, 2, 5).\n:- constraint(majority(b, yes)).",
}


def drawn(program: slp.Program, threads: int, **options: str) -> list[Draw]:
    """What chains draw that keep three proposals busy."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", slp.SlpWarning)
        return list(
            program.posterior(
                FRAME,
                engine="mh",
                seed=3,
                draws=40,
                warmup=200,
                thin=20,
                chains=3,
                threads=threads,
                **{"proposal": "q_uc:2,q_ind:1,q_exact:1", **options},
            ).draws
        )


@pytest.mark.thinned(4)
@pytest.mark.usefixtures("compiled_kernels")
@pytest.mark.parametrize("name", [name for name in _PROGRAMS if name != "edits"])
def test_chains_draw_as_on_a_listed_grammar(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = slp.parse(_PROGRAMS[name])
    want = drawn(program, 1)
    monkeypatch.setattr(lowering, "FIRST_STATES", 1)
    for threads in (1, 3):
        have = drawn(program, threads)
        assert [d.tree for d in have] == [d.tree for d in want]
        assert [d.log_weight for d in have] == pytest.approx(
            [d.log_weight for d in want], rel=1e-12, abs=1e-12
        )


@pytest.mark.usefixtures("compiled_kernels")
def test_a_fault_of_a_state_that_a_chain_meets_ends_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lowering, "FIRST_STATES", 2)
    monkeypatch.setattr(expansion, "MOST_STATES", 4)
    with pytest.raises(SlpError, match="E304"):
        drawn(slp.parse(":- use(growtree, [beta = 0.1])."), 3)
