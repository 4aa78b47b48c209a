"""The commands: exit codes, JSON, pages, help."""

from __future__ import annotations

import importlib
import io
import json
import re
import sys
import tomllib
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from functools import cache, partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from frozen_cases.cases import Case, Cases
from frozen_cases.files import ROOT

__all__ = ["cases", "run_command"]

_NAMES = (
    "check",
    "expand",
    "explain",
    "fmt",
    "learn",
    "map",
    "predict",
    "prior",
    "query",
    "sample",
)
_IRIS = "examples/iris/prior.slp examples/iris/iris.csv"
_HABERMAN = "examples/haberman/prior.slp examples/haberman/haberman.csv"
_RUN = "--seed 1 --jobs 2 --memory 1GiB"
_MH = f"{_RUN} --engine mh -n 40 --chains 2 --warmup 50 --thin 2"
#: Of commands that do not show draws.
_MH_ALL = _MH.replace("-n 40 ", "")
#: Run once as they stand and once with `--json`.
_BOTH = (
    f"slp-sample {_IRIS} {_RUN}",
    f"slp-sample {_HABERMAN} {_RUN} --verbose",
    f"slp sample {_HABERMAN} {_MH} --verbose",
    f"slp sample growtree.slp classes.csv {_MH} --rungs 2 --proposal q_uc:0.5,q_ind:0.5",
    f"slp sample edits.slp classes.csv {_MH}",
    f"slp sample monotone.slp counts.csv {_MH}",
    f"slp sample named.slp classes.csv {_MH} --allow-code",
    f"slp sample named.slp classes.csv {_MH}",
    f"slp sample growtree.slp numbers.csv {_RUN} -o draws.json",
    f"slp sample growtree.slp classes.csv {_RUN} --engine chart --param alpha=0.5",
    f"slp sample growtree.slp classes.csv {_RUN} --engine exakt",
    f"slp sample monotone.slp counts.csv {_RUN} --engine exact",
    f"slp sample none.slp classes.csv {_RUN}",
    "slp sample growtree.slp classes.csv --memory 1kB",
    "slp sample growtree.slp missing.csv",
    "slp sample growtree.slp uneven.csv",
    "slp sample growtree.slp twice.csv",
    "slp sample growtree.slp empty.csv",
    "slp sample growtree.slp nothing.csv",
    "slp sample nothing.slp classes.csv",
    "slp sample wrong.slp classes.csv",
    "slp sample growtree.slp classes.csv -y nothing",
    "slp sample growtree.slp classes.csv -n many",
    "slp sample growtree.slp",
    f"slp map {_HABERMAN} --best 3 --memory 1GiB",
    f"slp map edits.slp classes.csv {_MH_ALL}",
    "slp map none.slp classes.csv",
    f"slp prior {_HABERMAN} {_RUN} -n 2",
    f"slp prior growtree.slp counts.csv {_RUN} -n 2",
    f"slp prior edits.slp classes.csv {_MH}",
    "slp query coins.slp same(X) --best 2",
    "slp query coins.slp same(X) --given coin(X) --tolerance 0.001",
    "slp query coins.slp same(X) -n 20 --seed 1",
    "slp query coins.slp same(X) -n 20 --seed 1 --failure backtracking",
    "slp query coins.slp coin(X) -n 40 --proposal q_uc --seed 1 --chains 2 --warmup 5 --thin 1",
    "slp query coins.slp coin(X) -n 40 --log-likelihood checks:likely --allow-code --seed 1",
    "slp query coins.slp same(edge)",
    "slp query coins.slp samy(X)",
    "slp query coins.slp same(",
    "slp learn coins.slp seen.pl",
    "slp learn coins.slp seen.pl --plain",
    "slp learn growtree.slp classes.csv --only alpha --iterations 3",
    "slp learn coins.slp nothing.pl",
)
#: What these print is read by other programs.
_EXACT = (
    "slp expand growtree.slp",
    "slp expand growtree.slp levels.csv",
    f"slp expand {_IRIS}",
    "slp fmt untidy.slp --diff",
    "slp fmt untidy.slp --check",
    "slp fmt growtree.slp --check",
    "slp predict growtree.slp classes.csv levels.csv",
    "slp predict growtree.slp classes.csv levels.csv --interval 0.9",
    "slp predict growtree.slp numbers.csv levels.csv",
    f"slp predict growtree.slp classes.csv levels.csv {_MH_ALL}",
    "slp predict growtree.slp classes.csv missing.csv",
    "slp predict growtree.slp classes.csv seen.pl",
)
_PAGES = (
    "slp --version",
    "slp",
    "slp nothing",
    "slp-sample --nothing",
    "slp check growtree.slp",
    "slp check growtree.slp classes.csv",
    "slp check wrong.slp",
    "slp check wrong.slp --format json",
    "slp check growtree.slp missing.csv --format json",
    "slp explain growtree.slp",
    f"slp explain {_HABERMAN}",
    "slp explain monotone.slp counts.csv",
    "slp explain programs/good/all_constraints.slp",
)
_IN_PROLOG = (
    "slp query coins.slp same(X) --engine prolog --best 2 --json",
    "slp query coins.slp coin(X) --engine prolog -n 20 --proposal q_uc --seed 1 --json",
    f"slp sample denison.slp classes.csv {_RUN} --engine prolog -n 6 --warmup 2 --thin 1 --json",
)
#: Of one run, or of a version.
_PASSING = ("seconds", "version")
_SECONDS = re.compile(r"\d[\d.,]*(e-\d+)? ?(ns|us|ms|s|min|seconds)\b")


def cases() -> Cases:
    """Cases of commands."""
    for name in _NAMES:
        yield f"help/{name}", Case(partial(_run, f"slp {name} --help"))
    for words in ("slp --help", "slp-sample --help"):
        yield f"help/{words}", Case(partial(_run, words))
    for words in _BOTH:
        yield f"command/{words}", Case(partial(_run, words))
        yield f"command/{words} --json", Case(partial(_run, f"{words} --json --format json"))
    for words in _EXACT:
        yield f"command/{words}", Case(partial(_run, words, exact=True))
    for words in _PAGES:
        yield f"command/{words}", Case(partial(_run, words))
    for words in _IN_PROLOG:
        yield f"command/{words}", Case(partial(_run, words), prolog=True)


def _run(line: str, _: int, exact: bool = False) -> dict[str, Any]:
    found = run_command(line.split(" "), exact)
    if Path("draws.json").exists():
        lines = Path("draws.json").read_text("utf-8").splitlines()
        found["written"] = [json.loads(line) for line in lines]
        Path("draws.json").unlink()
    return found


def run_command(words: Sequence[str], exact: bool = False) -> dict[str, Any]:
    """Exit code and output of a command; `exact`: what it prints is no text for people."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err), patch.object(sys, "argv", list(words)):
        try:
            _entry(words[0])()
            code: object = 0
        except SystemExit as e:
            code = 0 if e.code is None else e.code
    found: dict[str, Any] = {"exit code": code}
    for name, stream in (("stdout", out), ("stderr", err)):
        stream.seek(0)
        found |= _said(name, stream.read(), exact and name == "stdout")
    return found


@cache
def _entry(command: str) -> Callable[[], object]:
    """A command's function, by the project's own table of commands."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    module, _, name = project["scripts"][command].partition(":")
    function: Callable[[], object] = getattr(importlib.import_module(module), name)
    return function


def _said(name: str, text: str, exact: bool) -> dict[str, Any]:
    """What was printed: JSON as data, without what passes; else text."""
    if exact:
        return {f"{name} exactly": text}
    try:
        lines = [json.loads(line) for line in text.splitlines()]
    except ValueError:
        lines = []
    if not lines:
        return {f"{name} text": _SECONDS.sub("<time>", text)}
    return {name: [{k: v for k, v in d.items() if k not in _PASSING} for d in lines]}
