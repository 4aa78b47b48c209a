"""Runs on a Dask cluster of three workers give what they give here, also where a worker dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import polars as pl
import pytest
from distributed import Client

import slp
from slp import cluster
from slp.cli.common import run
from slp.cli.sample import sample_command

TABLE = pl.DataFrame(
    {
        "a": np.arange(60) * 7 % 60,
        "b": np.arange(60) * 11 % 13,
        "y": np.where((np.arange(60) * 7 % 60 > 30) ^ (np.arange(60) % 9 == 0), "p", "q"),
    }
)
CHAINS = {"engine": "mh", "draws": 40, "rounds": 2, "seed": 1}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scheduler with three workers of one thread, each a process."""
    folder = tmp_path_factory.mktemp("cluster")
    told = folder / "scheduler.json"
    dask = [sys.executable, "-P", "-m", "distributed.cli.dask_"]
    options = ["--no-dashboard", "--scheduler-file", str(told)]
    worker = ["--nthreads", "1", "--no-nanny", "--local-directory", str(folder)]
    commands = [
        ["scheduler", "--host", "127.0.0.1", "--port", "0"],
        *[["worker", "--host", "127.0.0.1", *worker]] * 3,
    ]
    processes = [
        subprocess.Popen([*dask[:-1], dask[-1] + name, *own, *options], stderr=subprocess.DEVNULL)
        for name, *own in commands
    ]
    try:
        while not told.exists():
            assert processes[0].poll() is None
            time.sleep(0.05)
        with Client(scheduler_file=str(told), set_as_default=False) as client:
            client.wait_for_workers(3, timeout=60)
            yield client.scheduler.address
    finally:
        for process in processes:
            process.kill()
            process.wait()


def drawn(found: slp.Posterior) -> list[tuple[float, float, float]]:
    """What tells the draws of a run apart, to the bit."""
    return [(d.log_weight, d.log_likelihood, d.weight) for d in found.draws]


def asked(**options: Any) -> slp.Posterior:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", slp.SlpWarning)
        return slp.load("growtree").posterior(TABLE, **options)


def test_nothing_goes_to_a_cluster_unless_joblib_is_told() -> None:
    assert cluster.tasks_at_once() is None
    with joblib.parallel_config(backend="threading", n_jobs=3):
        assert cluster.tasks_at_once() is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        CHAINS,
        {**CHAINS, "rungs": 1, "warmup": 300, "thin": 30},
        {"engine": "smc", "islands": 9, "particles": 50, "draws": 45, "seed": 1},
        {"engine": "modal", "restarts": 5, "seed": 1},
    ],
    ids=["ladders", "chains", "islands", "restarts"],
)
def test_draws_are_those_of_one_machine(address: str, options: dict[str, Any]) -> None:
    want = asked(**options)
    with cluster.on_scheduler(address):
        assert cluster.tasks_at_once() == 3
        have = asked(**options)
    assert cluster.tasks_at_once() is None
    assert drawn(have) == drawn(want) and have.log_evidence == want.log_evidence
    assert [t.log_joint for t in have.k_best(3)] == [t.log_joint for t in want.k_best(3)]


@pytest.mark.slow
def test_folds_are_those_of_one_machine(address: str) -> None:
    program, options = slp.load("growtree"), {"seed": 1, "folds": 4}
    told: list[str] = []
    want = slp.cv(program, TABLE, **options)
    with cluster.on_scheduler(address):
        have = slp.cv(program, TABLE, progress=lambda _, text: told.append(text), **options)
    assert have.to_dict() == want.to_dict()
    assert (have.predictions == want.predictions).all()
    assert told == ["runs on the cluster, of 4"] * 4


def test_a_fault_on_a_worker_is_told_as_here(address: str) -> None:
    with cluster.on_scheduler(address), pytest.raises(slp.UsageError, match="E544"):
        slp.cv(slp.load("growtree"), TABLE, folds=2, seed=1, no_such=1)


@pytest.mark.slow
def test_the_command_line(address: str, tmp_path: Path, capsys: Any) -> None:
    TABLE.write_csv(tmp_path / "t.csv")
    words = ["growtree", str(tmp_path / "t.csv"), "--engine", "mh", "-n", "40", "--rounds", "1"]
    words += ["--seed", "1", "-o"]
    here, there = tmp_path / "here.jsonl", tmp_path / "there.jsonl"
    assert run(sample_command, [*words, str(here)]) == 0
    assert run(sample_command, [*words, str(there), "--scheduler", address]) == 0
    assert here.read_text() == there.read_text()


def test_what_is_refused(tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    TABLE.write_csv(tmp_path / "t.csv")
    words = ["growtree", str(tmp_path / "t.csv"), "--scheduler"]
    monkeypatch.setattr(cluster, "_PATIENCE", 0.5)
    assert run(sample_command, [*words, "tcp://127.0.0.1:1"]) == 2
    assert "error[E581]: no cluster at tcp://127.0.0.1:1: nobody answers" in capsys.readouterr().err
    assert run(sample_command, [*words, "no address"]) == 2
    assert "error[E581]" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert run(sample_command, [*words, "tcp://127.0.0.1:1"]) == 2
    assert "error[E580]" in capsys.readouterr().err


@pytest.mark.slow
def test_a_worker_that_is_killed_changes_nothing(address: str) -> None:
    """The last test of this cluster. The worker dies while it works on a chain."""
    options = {**CHAINS, "rounds": 3}
    want = asked(**options)
    killed: list[str] = []

    def kill() -> None:
        with Client(address, set_as_default=False) as client:
            processes = client.run(os.getpid)
            while not any(client.processing().values()):
                time.sleep(0.01)
            busy = next(worker for worker, tasks in client.processing().items() if tasks)
            os.kill(processes[busy], signal.SIGKILL)
            killed.append(busy)

    killer = threading.Thread(target=kill)
    killer.start()
    with cluster.on_scheduler(address):
        have = asked(**options)
        killer.join()
        assert killed and cluster.tasks_at_once() == 2
    assert drawn(have) == drawn(want)
