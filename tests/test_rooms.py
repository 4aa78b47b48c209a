"""What changes together lives together: how many files name one thing of a kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

#: By kind of column, the names that stand for it alone in the core.
KINDS_IN_CORE = {
    "thresholds": r"\bThresholds\b|\bFeatureKind::(values|cuts)\b|columns/thresholds\.hpp",
    "levels": r"\bLevels\b|\bFeatureKind::levels\b|columns/levels\.hpp",
    "subsets": r"\bSubsets\b|\bsubsets\b|\bkMostInSubsets\b",
    "sided": r"\bSided\b|\bholes\b|columns/sided\.hpp",
}


def files_of_core() -> Iterator[tuple[str, str]]:
    """The path and the text, without comments, of each file of the core but its tests."""
    core = ROOT / "native" / "core"
    for path in sorted(core.rglob("*.?pp")):
        text = re.sub(r"//[^\n]*", "", path.read_text("utf-8"))
        yield path.relative_to(core).as_posix(), text


@pytest.mark.parametrize("kind", KINDS_IN_CORE)
def test_a_kind_of_column_is_named_by_few_files_of_the_core(kind: str) -> None:
    """Its header, the data of a feature, the list of kinds, and one that is built on it."""
    found = [path for path, text in files_of_core() if re.search(KINDS_IN_CORE[kind], text)]
    assert f"problem/columns/{kind}.hpp" in found
    assert len(found) <= 4, found
