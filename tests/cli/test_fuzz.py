"""Whatever the text of the program and the table, `slp-sample` ends with an answer or a diagnostic.

Programs are those of the library and of `tests/programs/good`, with pieces cut out, doubled and
replaced; tables are small and of every kind. Exit code 70 would be a traceback.
"""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from slp.cli.common import run
from slp.cli.sample import sample_command
from tests.cli.conftest import ROOT

PROGRAMS = sorted(
    p.read_text(encoding="utf-8")
    for p in [*(ROOT / "priors").glob("*.slp"), *(ROOT / "tests/programs/good").glob("*.slp")]
)
PIECES = [
    *(
        ":- ",
        ".\n",
        " :: ",
        " --> ",
        "leaf",
        "split(F, V)",
        "split(F, V, gap)",
        "tree(D)",
        "{ ",
        " }",
    ),
    *(":- constraint(", "constant(b)", "first(x0)", "max_leaves(2)", ")", "(", ",", "F", "0", "-1"),
    *("box(b, x0, 1, 2).\n", ":- support(min_leaf(2)).\n", ":- leaf(dirichlet(1)).\n", "inf", "'"),
    *(":- feature(x1, [categorical]).\n", ":- feature(_, [bins(width, 2)]).\n", "/*", "%", "\x00"),
]
CELLS = [
    "0",
    "1",
    "2.5",
    "-3e300",
    "1e-320",
    "inf",
    "nan",
    "",
    " ",
    "a",
    "true",
    "2020-01-01",
    '"',
    "é",
]


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A sound program with up to four changes."""
    text = draw(st.sampled_from(PROGRAMS))
    for _ in range(draw(st.integers(0, 4))):
        i = draw(st.integers(0, len(text)))
        j = min(len(text), i + draw(st.integers(0, 12)))
        text = text[:i] + draw(st.sampled_from(["", *PIECES, text[i:j] * 2])) + text[j:]
    return text


@st.composite
def tables(draw: st.DrawFn) -> str:
    """A CSV text, mostly of sound small numbers, now and then ragged or strange."""
    d, n = draw(st.integers(0, 3)), draw(st.integers(0, 6))
    cell = st.sampled_from(draw(st.sampled_from([CELLS[:3], CELLS[:3], CELLS])))
    header = [f"x{j}" for j in range(d)] + [draw(st.sampled_from(["y", "y", "x0", ""]))]
    rows = [[draw(cell) for _ in range(d)] + [draw(st.sampled_from("ab0"))] for _ in range(n)]
    return "\n".join(",".join(row) for row in [header, *rows]) + draw(st.sampled_from(["\n", ""]))


@pytest.mark.slow
@settings(
    max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(text=programs(), table=tables())
def test_no_input_gives_a_traceback(text: str, table: str, tmp_path_factory) -> None:  # type: ignore[no-untyped-def]
    folder: Path = tmp_path_factory.mktemp("fuzz", numbered=True)
    (folder / "p.slp").write_text(text, encoding="utf-8")
    (folder / "t.csv").write_text(table, encoding="utf-8")
    err = io.StringIO()
    with contextlib.redirect_stderr(err), contextlib.redirect_stdout(io.StringIO()):
        arguments = [str(folder / "p.slp"), str(folder / "t.csv"), "-n", "3", "--seed", "1"]
        code = run(sample_command, [*arguments, "--memory", "256MiB"])
    assert code in (0, 1), err.getvalue()
    assert (code == 1) == ("error[" in err.getvalue())
