"""`slp map --representative`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

import slp
from tests.cli.conftest import Result

PRIOR = ":- use(growtree). :- support(max_depth(2)). :- leaf(dirichlet(1))."


def test_the_tree_and_its_loss_are_those_of_the_library(
    slp_run: Callable[..., Result], table: Path, tmp_path: Path
) -> None:
    prior = tmp_path / "prior.slp"
    prior.write_text(PRIOR)
    asked = ("map", prior, table, "--representative", "--seed", 1)
    want = slp.parse(PRIOR).posterior(pl.read_csv(table), seed=1).representative_tree(1)
    shown = slp_run(*asked)
    assert shown.code == 0, shown.err
    assert want.tree.to_text().rstrip() in shown.out and want.in_words() in shown.out
    told: dict[str, Any] = json.loads(slp_run(*asked, "--json").out)["representative"]
    assert told["kind"] == "exact" and told["loss_error"] == 0
    assert [told["loss"], told["map_loss"], told["spread"]] == [
        want.loss.value,
        want.map_loss.value,
        want.spread,
    ]
    exported = slp_run(*asked, "--export", "rules").out
    assert exported.rstrip("\n") == want.tree.to_rules().rstrip("\n")
    assert slp_run("map", prior, table, "--representative").code == 0
    plain = json.loads(slp_run("map", prior, table, "--json").out)
    assert plain["representative"] is None
