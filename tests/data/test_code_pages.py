"""Pages of code are given back."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

RESIDENT_CODE = r"""
import re, sys
from slp.data.files import read_columns
found = read_columns(sys.argv[1]).shape
assert "polars" in sys.modules
maps = re.split(r"^(?=[0-9a-f]+-)", open("/proc/self/smaps").read(), flags=re.M)
code = [m for m in maps if re.match(r"\S+ r-xp .*polars[^/]*\n", m)]
assert code
kib = sum(int(re.search(r"^Rss: +(\d+)", m, re.M)[1]) for m in code)
assert read_columns(sys.argv[1]).shape == found == (20_000, 3)  # it still reads
print(kib)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_code_of_polars_is_given_back_after_reading(tmp_path: Path) -> None:
    """Of some 22 MiB."""
    path = tmp_path / "t.csv"
    path.write_text("a,b,y\n" + "1.5,2,no\n3,4,yes\n" * 10_000)
    code = [sys.executable, "-c", RESIDENT_CODE, str(path)]
    done = subprocess.run(code, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 4 * 1024
