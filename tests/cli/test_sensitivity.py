"""`slp sensitivity`: the page, the JSON object, limits and faults."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import slp

PAGE = Path(__file__).resolve().parents[2] / "docs" / "sensitivity.md"


@pytest.fixture
def prior(tmp_path: Path) -> Path:
    file = tmp_path / "prior.slp"
    text = ":- param(p, 0.4).\n:- start(t).\np :: t --> split(F, V), leaf, leaf.\n"
    file.write_text(text + "1 - p :: t --> leaf.\n")
    return file


def test_page_and_json(slp_run, table: Path, prior: Path) -> None:
    done = slp_run("sensitivity", prior, table, "--row", 1)
    assert done.code == 0 and "best tree stays" in done.out and "not proven" in done.out
    found = json.loads(slp_run("sensitivity", prior, table, "--row", 1, "--json").out)
    page = PAGE.read_text("utf-8")
    own = found["sensitivities"][0]
    stays = next(s["best_tree_stays"] for s in found["sensitivities"] if s["best_tree_stays"])
    for keys in (found, own, stays, found["influence"]):
        assert [key for key in keys if f"`{key}`" not in page] == []
    for slope in found["sensitivities"]:
        assert f"{slope['log_evidence']:+.4f}" in done.out
    assert len(found["influence"]["log_evidence"]) == found["n_rows"]
    assert len(found["influence"]["predictions"]) == found["n_rows"]
    assert list(found["predictions"]) == list(own["predictions"]) == ["row 1"]
    assert found["kind"] == "exact" and stays["checked"] == 20


def test_faults_and_limits(slp_run, table: Path, prior: Path) -> None:
    done = slp_run("sensitivity", prior, table, "--row", 1000)
    assert done.code == 2 and "E528" in done.err
    assert slp_run("sensitivity", prior, table, "--row", "-1").code == 2
    assert slp_run("sensitivity", prior, table, "--engine", "mh").code == 2
    done = slp_run("sensitivity", prior, table, "--memory", "20KiB")
    assert done.code != 0 and "E501" in done.err
    done = slp_run("sensitivity", prior, table, "--time", "0.01s")
    assert done.code != 0 and "E540" in done.err


def test_a_picture_takes_no_engine(slp_run, table: Path, prior: Path, tmp_path: Path) -> None:
    out = tmp_path / "s.svg"
    done = slp_run("plot", "sensitivity", prior, table, "-o", out, "--seed", 1)
    assert done.code == 2 and "takes no --seed" in done.err
    assert slp_run("plot", "sensitivity", prior, table, "-o", out).code == 0 and out.exists()
    assert slp_run("plot", "sensitivity", tmp_path / "run.slpz", "-o", out).code == 2


def test_an_interval_without_ends_is_no_factor() -> None:
    found = slp.parse(":- start(t). 1 :: t --> leaf.").sensitivity([[1], [2]], ["no", "yes"])
    assert [s.interval for s in found.slopes if s.kind == "label"] == ["wherever looked at"]
