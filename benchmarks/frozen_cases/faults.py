"""Faults: of bad programs, of tables, of options; and limits that are reached."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import polars as pl

import slp
from frozen_cases.cases import Case, Cases
from frozen_cases.commands import run_command
from frozen_cases.files import ROOT, TABLES
from frozen_cases.programs import MH_ONLY

__all__ = ["cases"]

_MH_ONLY = MH_ONLY["max_features"][1]
_BAD = ROOT / "tests" / "programs" / "bad"
_GROW = ":- use(growtree).\n"


def cases() -> Cases:
    """Cases of faults."""
    for path in sorted(_BAD.glob("*.slp")):
        words = ["slp", "check", f"programs/bad/{path.name}"]
        if path.with_suffix(".csv").exists():
            words.append(f"programs/bad/{path.stem}.csv")
        yield f"bad program/{path.stem}", Case(partial(_check, words))
    for name, options in _OPTIONS.items():
        ask = partial(_posterior, _GROW, TABLES["classes"], **options)
        yield f"fault/option {name}", Case(ask)
    for name, text in _TEXTS.items():
        yield f"fault/program {name}", Case(partial(_posterior, text, TABLES["classes"]))
    for name, (text, table) in _DATA.items():
        yield f"fault/table {name}", Case(partial(_posterior, text, table))
    for name, call in _CALLS.items():
        yield f"fault/{name}", Case(partial(_call, call))


def _check(words: list[str], _: int) -> dict[str, Any]:
    drawn = run_command(words)
    return {"as json": run_command([*words, "--format", "json"]), "drawn": drawn}


def _posterior(text: str, table: Any, _: int, **options: Any) -> str:
    given: dict[str, Any] = {"seed": 1, "draws": 4, "memory": "1GiB", **options}
    program = slp.parse(text)
    return program.posterior(table, **given).engine


def _call(call: Callable[[], object], _: int) -> str:
    return type(call()).__name__


_OPTIONS: dict[str, dict[str, Any]] = {
    "engine": {"engine": "exakt"},
    "draws": {"draws": -1},
    "seed": {"seed": -1},
    "threads": {"threads": 0},
    "memory": {"memory": "much"},
    "memory, too little": {"memory": "1kB"},
    "time": {"time": "soon"},
    "chains": {"engine": "mh", "chains": 0},
    "warmup": {"engine": "mh", "warmup": -1},
    "thin": {"engine": "mh", "thin": 0},
    "proposal": {"engine": "mh", "proposal": "q_you"},
    "proposal, number": {"engine": "mh", "proposal": "q_n"},
    "proposal, weight": {"engine": "mh", "proposal": "q_uc:-1"},
    "rungs": {"engine": "mh", "rungs": 0},
    "unknown": {"chain": 3},
    "resume": {"engine": "mh", "resume": True},
    "checkpoint": {"engine": "mh", "resume": True, "checkpoint": "none.checkpoint"},
    "checkpoint, other": {"engine": "mh", "resume": True, "checkpoint": "given.json"},
    "checkpoint, there": {"engine": "mh", "checkpoint": "given.json"},
    "progress": {"progress": 3},
    "sums in Prolog": {"engine": "prolog", "proposal": "q_exact"},
}
_TEXTS = {
    "no tree": ":- start(t).\n1 :: t --> split(age, 31), leaf, leaf.\n",
    "no start tree": ":- use(growtree).\n:- constraint(first(age)).\n"
    ":- start(u).\n1 :: u --> split(dose, _), leaf, leaf.\n",
    "threshold in a state": ":- start(t(0)).\n1 :: t(V) --> split(age, W), t(W), leaf.\n",
    "several children": ":- start(t).\n"
    "1 :: t --> split(_, _), { member(K, [1, 2]) }, u(K), leaf.\n1 :: u(_) --> leaf.\n",
    "label of rows": ":- start(t).\n:- param(c, 3).\n"
    "A/2 :: t --> { rows(yes, A) }, split(_, _), t, t.\n1 - A/2 :: t --> { rows(yes, A) }, leaf.\n",
    "code": ':- use(growtree).\n:- constraint(python("checks:small")).\n',
    "unknown column": ":- use(growtree).\n:- constraint(first(agee)).\n",
    "unknown class": ":- use(growtree).\nbox(b, age, 0, 9).\n:- constraint(majority(b, nay)).\n",
    "leaf of numbers": ":- use(growtree).\n:- leaf(gamma_poisson(1, 1)).\n",
    "leaf of classes": ":- use(growtree).\n:- leaf(dirichlet([1, 2, 3])).\n",
    "response": ":- use(growtree).\n:- response(nothing).\n",
    "nothing left": ":- use(growtree).\n:- ignore([age, dose, sex]).\n",
}
_TABLE = {"age": [1, 2, 3], "ill": ["no", "yes", "no"]}
_DATA: dict[str, tuple[str, Any]] = {
    "missing": (_GROW, pl.DataFrame({**_TABLE, "age": [1, None, 3]})),
    "infinite": (_GROW, pl.DataFrame({**_TABLE, "age": [1.0, np.inf, 3.0]})),
    "empty": (_GROW, pl.DataFrame({"age": [], "ill": []})),
    "no columns": (_GROW, pl.DataFrame()),
    "dates": (_GROW, pl.DataFrame(_TABLE).with_columns(d=pl.date(2020, 1, 1))),
    "no table": (_GROW, 3),
    "one class": (_GROW, pl.DataFrame({**_TABLE, "ill": ["no"] * 3})),
    "one value": (_GROW, pl.DataFrame({**_TABLE, "one": [1, 1, 1]}).select("one", "age", "ill")),
    "text declared numeric": (
        f"{_GROW}:- feature(sex, [numeric]).",
        pl.DataFrame({"sex": ["f", "m", "f"], **_TABLE}),
    ),
    "text among numbers": (_GROW, pl.DataFrame({**_TABLE, "age": ["1", "?", "3"]})),
    "negative counts": (
        f"{_GROW}:- leaf(gamma_poisson(1, 1)).",
        pl.DataFrame({"age": [1, 2, 3], "y": [1, -1, 2]}),
    ),
    "equal numbers": (_GROW, pl.DataFrame({"age": [1, 2, 3], "y": [0.5, 0.5, 0.5]})),
    "vast numbers": (_GROW, pl.DataFrame({"age": [2**53, 2**53 + 1, 3], "y": ["a", "b", "a"]})),
    "events": (
        f"{_GROW}:- response(time, event(died)).\n:- leaf(gamma_exponential(1, 1)).",
        pl.DataFrame({"age": [1, 2, 3], "time": [1.0, 2.0, 3.0], "died": [0, 1, 2]}),
    ),
}


def _drawn() -> slp.Posterior:
    table = TABLES["classes"]
    return slp.parse(_GROW).posterior(table, seed=1, draws=4, memory="1GiB")


_CALLS: dict[str, Callable[[], object]] = {
    "load, no file": lambda: slp.load("nothing.slp"),
    "load, parameter": lambda: slp.load("growtree", alfa=1),
    "load, value": lambda: slp.load("growtree", alpha=3),
    "load, include": lambda: slp.load("growtree.slp", include="nowhere"),
    "mh only": lambda: _posterior(_MH_ONLY, TABLES["classes"], 1, engine="exact"),
    "parse": lambda: slp.parse(":- use(growtre)."),
    "parse, syntax": lambda: slp.parse(":- use(growtree)"),
    "require": lambda: slp.load("growtree").require(3),  # type: ignore[arg-type]
    "k_best": lambda: _drawn().k_best(-1),
    "sample": lambda: _drawn().sample(-1),
    "level": lambda: _drawn().predict_interval(TABLES["classes"], 2),
    "predict, column": lambda: _drawn().predict(TABLES["classes"].select("age")),
    "predict, width": lambda: _drawn().predict(np.zeros((2, 7))),
    "expand": lambda: slp.parse(_GROW + ":- constraint(first(age)).").expand(TABLES["classes"]),
    "query, syntax": lambda: slp.load("coins.slp").query("same("),
    "query, unknown": lambda: slp.load("coins.slp").query("samy(X)"),
    "query, engine": lambda: slp.load("coins.slp").query("same(X)", engine="lisp"),
    "query, tolerance": lambda: slp.load("coins.slp").query("same(X)", tolerance=-1),
    "query, code": lambda: slp.load("coins.slp").query("prolog(halt)"),
    "draw, failure": lambda: slp.load("coins.slp").draw("same(X)", 3, failure="none"),
    "draw, nothing": lambda: slp.load("coins.slp").draw("same(edge)", 3, seed=1),
    "proofs, start": lambda: slp.load("coins.slp").sample_proofs("same(edge)", seed=1),
    "proofs, proposal": lambda: slp.load("coins.slp").sample_proofs("same(X)", proposal="q"),
    "proofs, number": lambda: slp.load("coins.slp").sample_proofs("same(X)", lambda _: "x", seed=1),
    "proofs, goal": lambda: slp.load("coins.slp").sample_proofs("same(X)", "true", seed=1),
    "learn, both": lambda: slp.load("coins.slp").learn("same(heads)", TABLES["classes"]),
    "learn, no proof": lambda: slp.load("coins.slp").learn("same(edge)"),
    "learn, only": lambda: slp.load("coins.slp").learn("same(heads)", only=["nothing"]),
    "tree, json": lambda: slp.Tree.from_dict({"feature": "age"}),
    "check, no tree": lambda: slp.check(3, "first(age)"),  # type: ignore[arg-type]
    "check, constraint": lambda: slp.check(slp.Tree.from_dict({}), "furst(age)"),
}
