"""`slp price`: the page, the JSON object and faults."""

from __future__ import annotations

import json
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "pricing.md"


def test_page_and_json(slp_run, table: Path, tmp_path: Path) -> None:
    prior = tmp_path / "prior.slp"
    prior.write_text(":- use(growtree).\n:- support(max_depth(2)).\n:- support(min_leaf(2)).\n")
    done = slp_run("price", prior, table, "--seed", 1)
    assert done.code == 0 and "the data speak" in done.out
    assert done.out.count(" exact") >= 8
    found = json.loads(slp_run("price", prior, table, "--seed", 1, "--json").out)
    names = [price["statement"] for price in found["statements"]]
    assert names == ["min_leaf(2)", "max_depth(2)"]
    page = PAGE.read_text("utf-8")
    assert [key for key in found if f"`{key}`" not in page] == []
    parts = ("_error", "_kind", "_draws", "_converged")
    own = [key for key in found["statements"][0] if not key.endswith(parts)]
    assert [key for key in own if f"`{key}`" not in page] == []
    for price in found["statements"]:
        assert price["prior_kind"] == price["posterior_kind"] == "exact"
        assert f"{price['log_evidence_removed']:.4f} exact" in done.out


def test_what_holds_of_several_statements_is_said_once(slp_run, table: Path, tmp_path) -> None:
    prior = tmp_path / "prior.slp"
    prior.write_text(":- use(growtree).\n:- support(max_depth(2)).\n:- support(min_leaf(2)).\n")
    done = slp_run("price", prior, table, "--engine", "modal")
    assert done.code == 0 and done.out.count("the evidence is not known") == 1
    assert "\nmin_leaf(2), max_depth(2): the evidence is not known" in done.out


def test_none_to_price_and_faults(slp_run, table: Path) -> None:
    done = slp_run("price", "growtree", table)
    assert done.code == 0 and "no constraint, no limit of support" in done.out
    assert json.loads(slp_run("price", "growtree", table, "--json").out)["statements"] == []
    assert slp_run("price", "growtree", table, "--engine", "nothing").code == 2
    assert slp_run("price", "growtree", "no.csv").code != 0
