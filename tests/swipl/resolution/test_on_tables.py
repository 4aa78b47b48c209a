"""Tree programs expanded on a table, run by SWI-Prolog; see `tests.resolution.test_on_tables`."""

from __future__ import annotations

from functools import partialmethod

import pytest

import slp
from slp.resources import prior_names
from tests.resolution.table_programs import assert_drawn
from tests.resolution.test_on_tables import (  # noqa: F401
    expanded,
    test_library_priors_by_enumeration,
    test_random_programs,
    test_where_rejection_and_backtracking_differ,
    wanted,
)


@pytest.fixture(autouse=True)
def _under_prolog(monkeypatch: pytest.MonkeyPatch) -> None:
    """Queries and draws go to SWI-Prolog."""
    for name in ("query", "draw"):
        method = partialmethod(getattr(slp.Program, name), engine="prolog")
        monkeypatch.setattr(slp.Program, name, method)


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in prior_names() if n.startswith("g")])
def test_library_priors_by_draws(name: str) -> None:
    """Those whose labels are no weights; that of `gmt` fails now and then."""
    assert_drawn(expanded(name).draw("prior(Tree)", 1000, seed=1), wanted(name))


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", ["growtree", "growtree_all", "growtree_gap"])
def test_backtracking_is_the_same_where_nothing_fails(name: str) -> None:
    draws = expanded(name).draw("prior(Tree)", 1000, failure="backtracking", seed=1)
    assert_drawn(draws, wanted(name))
