"""The examples run as they are, and say what their comments promise."""

from __future__ import annotations

import polars
import pytest

import slp
from tests.cli.conftest import ROOT

EXAMPLES = ROOT / "examples"


def run_example(name: str, without: str = "") -> slp.Posterior:
    text = (EXAMPLES / name / "prior.slp").read_text(encoding="utf-8")
    assert without in text
    frame = polars.read_csv(EXAMPLES / name / f"{name}.csv")
    return slp.parse(text.replace(without, "")).posterior(frame, draws=0)


def quoted(name: str, number: float) -> bool:
    return f"{number:.2f}" in (EXAMPLES / name / "prior.slp").read_text(encoding="utf-8")


@pytest.mark.filterwarnings("ignore::slp.SlpWarning")
def test_haberman_says_what_the_box_changes() -> None:
    have = run_example("haberman")
    without = run_example("haberman", ":- constraint(constant(stage_n2)).")
    assert quoted("haberman", have.log_evidence) and quoted("haberman", without.log_evidence)
    assert have.map_tree().to_dict()["threshold"] == 3
    assert without.map_tree().to_dict()["threshold"] == 5


@pytest.mark.filterwarnings("ignore::slp.SlpWarning")
def test_iris_says_what_the_box_changes() -> None:
    have = run_example("iris")
    without = run_example("iris", ":- constraint(constant(broad)).")
    assert quoted("iris", have.log_evidence) and quoted("iris", without.log_evidence)
    assert have.map_tree() == without.map_tree()


@pytest.mark.parametrize("name", ["haberman", "iris"])
def test_the_layout_is_the_standard_one(name: str) -> None:
    from slp.source import SourceFile
    from slp.syntax import format_program, parse_program

    source = SourceFile.read(EXAMPLES / name / "prior.slp")
    assert format_program(parse_program(source)) == source.text
