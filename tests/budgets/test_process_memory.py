"""The budget holds for the whole process, on long and wide tables: its peak stays within 10 % of
the budget and 150 MB for the interpreter and its libraries.

`python benchmarks/memory.py cases` runs the large tables.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import slp
from slp.cli.common import run
from slp.cli.sample import sample_command
from slp.data.memory import table_bytes
from slp.engines.mcmc.memory import room_for_averages
from slp.errors import BudgetError

pytestmark = [
    pytest.mark.usefixtures("compiled_kernels"),
    pytest.mark.skipif(sys.platform != "linux", reason="reads the peak from /proc"),
]

MIB = 2**20
INTERPRETER = 150 * 10**6

RUN = """
import json, sys, warnings
sys.modules["arviz_base"] = sys.modules["xarray"] = None  # as without the extra
import numpy as np
import slp
from slp.errors import BudgetError

program, n, d, values, memory, options = json.loads(sys.argv[1])
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X = rng.normal(size=(n, d)) if values == 0 else rng.integers(0, values, (n, d)).astype(float)
y = (X[:, 0] + rng.normal(size=n) > 0).astype(int)
found = {}
try:
    posterior = slp.parse(program).posterior(X, y, memory=memory, threads=2, seed=1, **options)
    found["engine"] = posterior.engine
    posterior.map_tree(), posterior.split_probabilities(), posterior.predict_error(X[:500])
    posterior.log_prior(posterior.map_tree())
except BudgetError as error:
    found["code"] = error.diagnostics[0].code
status = open("/proc/self/status").read()
print(json.dumps({**found, "peak": int(status.split("VmHWM:")[1].split()[0]) * 1024}))
"""
SHORT = {"draws": 16, "warmup": 20, "thin": 2, "chains": 2}
ONE_RUNG_OF_CUTS = {"rungs": 1, "proposal": "q_uc"}


def peak_of(
    program: str, n: int, d: int, values: int, memory: int, options: dict[str, Any]
) -> dict[str, Any]:
    task = json.dumps([program, n, d, values, memory, options])
    done = subprocess.run([sys.executable, "-P", "-c", RUN, task], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["peak"] <= 1.1 * memory + INTERPRETER, f"{found['peak'] / MIB:.0f} MiB"
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "d", "values", "memory", "options"),
    [
        (50_000, 6, 0, 84 * MIB, {}),
        (2_000, 300, 0, 82 * MIB, {}),
        (80_000, 4, 30, 64 * MIB, {}),
        (50_000, 6, 0, 64 * MIB, ONE_RUNG_OF_CUTS),
        (2_000, 300, 0, 48 * MIB, ONE_RUNG_OF_CUTS),
    ],
    ids=["long", "wide", "few values", "long, one rung", "wide, one rung"],
)
def test_chains_stay_within_the_budget(
    n: int, d: int, values: int, memory: int, options: dict[str, Any]
) -> None:
    program = ":- use(denison)."
    found = peak_of(program, n, d, values, memory, {"engine": "mh", **SHORT, **options})
    assert found["engine"] == "mh"


@pytest.mark.parametrize(
    ("n", "d", "memory", "what"),
    [
        (50_000, 6, 48 * MIB, "2 chains of 41 rungs on 50,000 distinct rows"),
        (2_000, 300, 28 * MIB, "2 chains of 64 rungs on 2,000 distinct rows"),
    ],
    ids=["long", "wide"],
)
def test_ladders_that_do_not_fit_are_refused(n: int, d: int, memory: int, what: str) -> None:
    """Rungs and tree moves need more than one rung of cuts, which fits; nothing is left out."""
    X = np.random.default_rng(0).normal(size=(n, d))
    options: dict[str, Any] = {"engine": "mh", "threads": 2, **SHORT}
    with pytest.raises(BudgetError, match=f"E501.*too small to draw: {what} take .* MiB"):
        slp.parse(":- use(denison).").posterior(X, X[:, 0] > 0, memory=memory, **options)


@pytest.mark.parametrize(("memory", "threads"), [(88, 2), (60, 1)])
def test_chains_take_the_threads_that_fit(memory: int, threads: int) -> None:
    """Draws do not depend on their number."""
    X = np.random.default_rng(0).normal(size=(2000, 300))
    table = slp.parse(":- use(denison).").compile(X, X[:, 0] > 0).table
    how = {"keyed": False, "parts": False, "moves": True, "lists_splits": False}
    room, used = room_for_averages(table, memory * MIB, chains=2, rungs=64, threads=2, **how)
    assert room > 0 and used == threads


@pytest.mark.slow
def test_many_draws_stay_within_the_budget() -> None:
    """20,000 draws would take some 400 MB."""
    options = {"engine": "mh", "draws": 20_000, "warmup": 200, "thin": 10}
    peak_of(":- use(growtree).", 800, 6, 0, 64 * MIB, options)


FREED = """
import sys, warnings
import numpy as np
import slp

warnings.simplefilter("ignore")
X = np.random.default_rng(0).normal(size=(200_000, 4))
posterior = slp.parse(":- use(growtree).").posterior(
    X, X[:, 0] > 0, engine="mh", seed=1, threads=4, draws=8, warmup=200, thin=2, chains=4, rungs=1
)
def held():
    return int(open("/proc/self/status").read().split("VmRSS:")[1].split()[0]) * 1024
before = held()
posterior._result.best.__self__.sampler.sampler.free_buffers()
print(before - held())
"""


@pytest.mark.slow
def test_buffers_of_threads_are_freed_behind_the_chains() -> None:
    """To free them again gives back less than 10 MB; they would be some 75 MB."""
    done = subprocess.run([sys.executable, "-P", "-c", FREED], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 32 * MIB, done.stdout


@pytest.mark.slow
def test_exact_sums_stay_within_the_budget() -> None:
    options = {"engine": "exact", "draws": 0}
    found = peak_of(":- use(denison).", 10_000, 40, 0, 64 * MIB, options)
    assert found["code"] == "E501"


@pytest.mark.parametrize("engine", ["mh", "exact", "auto", "chart", "enumerate"])
def test_a_table_that_is_larger_than_the_budget_ends_the_run_at_once(engine: str) -> None:
    X = np.random.default_rng(0).normal(size=(4000, 10))
    program = slp.parse(":- use(denison).")
    with pytest.raises(BudgetError, match="E501.*table alone.*before any engine"):
        program.posterior(X, X[:, 0] > 0, engine=engine, memory="512KiB")


@pytest.mark.slow
def test_the_table_is_taken_out_of_the_budget() -> None:
    X = np.random.default_rng(0).normal(size=(4000, 10))
    table = slp.parse(":- use(denison).").compile(X, X[:, 0] > 0).table
    program = slp.parse(":- use(denison).")
    with pytest.raises(BudgetError, match="E501.*table alone"):
        program.posterior(X, X[:, 0] > 0, engine="exact", memory=table_bytes(table) - 1)
    with pytest.raises(BudgetError, match=r"E501.*too small to draw: 4 chains .* beside the table"):
        program.posterior(X, X[:, 0] > 0, engine="mh", memory=table_bytes(table) + 1000)


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_a_file_that_is_too_large_is_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = b"a,y\n" + b"1,0\n2,1\n" * 100_000
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    assert run(sample_command, ["denison", str(tmp_path / name), "--memory", "2MiB"]) == 1
    assert "error[E501]: the table alone is too large" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "engine"),
    [
        (":- use(denison).", "chart"),
        (":- use(denison).", "enumerate"),
        (":- use(edittree, [tree = 'T']). :- constraint(python(\"math:isnan\")).", "mh"),
    ],
)
def test_sets_of_rows_are_refused_where_they_do_not_fit(
    tmp_path: Path, program: str, engine: str
) -> None:
    X = np.random.default_rng(0).normal(size=(4000, 10))
    (tmp_path / "t.json").write_text('{"feature": "x0", "threshold": 0.0, "left": {}, "right": {}}')
    file = tmp_path / "p.slp"
    file.write_text(program.replace("'T'", "'t.json'"))
    with pytest.raises(BudgetError, match=r"E501.*sets of rows.*40,000 values"):
        slp.load(file).posterior(X, X[:, 0] > 0, engine=engine, memory="8MiB", allow_code=True)


def test_memory_that_the_system_refuses_is_no_bug(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*args: object, **options: object) -> None:
        raise MemoryError

    monkeypatch.setattr("slp.program.tree_questions.infer", refuse)
    file = tmp_path / "t.csv"
    file.write_text("a,y\n1,0\n2,1\n")
    assert run(sample_command, ["denison", str(file)]) == 1
    assert "error[E501]: there is no memory left" in capsys.readouterr().err
    with pytest.raises(BudgetError, match="E501"):
        slp.load("denison").posterior([[1.0], [2.0]], [0, 1])
    monkeypatch.setattr("slp.cli.options.read_columns", refuse)
    assert run(sample_command, ["denison", str(file)]) == 1
