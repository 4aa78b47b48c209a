"""The planted faults still apply to the code, and name tests that there are. `plant.py` plants
them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.plant import HERE, ROOT, Fault, faults, read_fault

FAULTS = faults()


def test_all_are_there_in_the_core_and_in_python() -> None:
    assert len(FAULTS) == 90
    assert sum(fault.in_core for fault in FAULTS) == 40


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_it_applies_and_names_tests(fault: Fault) -> None:
    assert fault.file.startswith(("slp/", "native/core/"))
    assert fault.in_core == fault.name.startswith("core_")
    text = (ROOT / fault.file).read_text()
    assert fault.planted(text) != text
    assert fault.tests and all((ROOT / test).exists() for test in fault.tests)
    assert all(test.startswith("tests/") for test in fault.tests)


def test_a_fault_whose_lines_have_changed_is_told() -> None:
    fault = FAULTS[0]
    text = (ROOT / fault.file).read_text()
    for other in (text.replace(fault.before, ""), text + fault.before):
        with pytest.raises(ValueError, match="does not apply"):
            fault.planted(other)


def test_a_patch_without_its_tests_is_refused(tmp_path: Path) -> None:
    text = next(HERE.glob("*.patch")).read_text()
    path = tmp_path / "other.patch"
    path.write_text(text.replace("Tests: ", ""))
    with pytest.raises(ValueError, match="no patch of one hunk"):
        read_fault(path)
