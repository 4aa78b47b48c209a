"""The proposals of runs that name none: moves from tree to tree where the core makes them; where it
does not, the reason says why."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import slp
from slp.engines.mcmc.options import CUTS, MOVES_AND_CUTS
from slp.engines.shared.proposal_names import read_names

pytestmark = pytest.mark.usefixtures("compiled_kernels")

X = np.random.default_rng(1).normal(size=(30, 2))
Y = X[:, 0] > 0
SLOW = "for this program they run in Python, where they are slow"


def run(program: slp.Program | str, **options: object) -> slp.Posterior:
    if isinstance(program, str):
        program = slp.parse(program)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", slp.SlpWarning)
        return program.posterior(X, Y, engine="mh", seed=1, draws=8, thin=2, **options)  # type: ignore[arg-type]


def made(found: slp.Posterior) -> set[str]:
    assert found.diagnostics is not None
    return set(found.diagnostics.moves)


@pytest.mark.parametrize(
    "text",
    [
        ":- use(growtree).",
        ":- use(denison).",
        ":- use(growtree). :- constraint(monotone(x0, up)).",
        ':- use(growtree). :- constraint(python("operator:truth")).',
    ],
)
def test_moves_from_tree_to_tree_are_made(text: str) -> None:
    found = run(text, warmup=20, rungs=1, allow_code=True)
    assert made(found) <= {named.name for named in read_names(MOVES_AND_CUTS)}
    assert "cgm" in made(found) and found.reason == "asked for"


def programs_without() -> list[tuple[slp.Program, str]]:
    """Several rules that split, a predicate on nodes, edits; each with what the reason adds."""
    without = "; without moves from tree to tree: "
    in_python = "; it runs in Python, as the core asks no predicates on nodes"
    growtree = slp.parse(":- use(growtree).")
    tree = growtree.posterior(X, Y).map_tree()
    return [
        (slp.parse(":- use(pinball)."), without + SLOW),
        (growtree.require(lambda node: True, local=True), in_python + without + SLOW),
        (slp.load("edittree", tree=tree), without + "edits of a given tree take none"),
    ]


@pytest.mark.parametrize("number", range(3))
def test_where_they_are_left_out_the_reason_says_why(number: int) -> None:
    program, why = programs_without()[number]
    found = run(program, warmup=20, rungs=1)
    assert made(found) == {CUTS}
    assert found.reason == f"asked for{why}"


def test_named_proposals_are_taken_as_they_are() -> None:
    found = run(":- use(pinball).", warmup=5, rungs=1, proposal="q_ind")
    assert made(found) == {"q_ind"} and found.reason == "asked for"
