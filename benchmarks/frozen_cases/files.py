"""Tables and programs of the cases, in Python and as files."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import polars as pl

__all__ = ["ROOT", "TABLES", "write_files"]

ROOT = Path(__file__).resolve().parents[2]

#: Ties, a repeated row, a feature of levels; no two tables share a kind of response.
_FEATURES: dict[str, list[Any]] = {
    "age": [3, 8, 15, 20, 30, 36, 40, 48, 55, 60, 66, 72, 72],
    "dose": [3, 1, 2, 3, 1, 3, 1, 3, 2, 1, 3, 2, 2],
    "sex": list("fmfmmfxfmxfmm"),
}
_RESPONSES: dict[str, dict[str, list[Any]]] = {
    "classes": {"ill": "no no no no no yes no yes yes no yes yes yes".split()},
    "levels": {"grade": "low low mid low mid mid low high mid high high mid high".split()},
    "counts": {"visits": [0, 1, 0, 2, 1, 4, 3, 7, 5, 2, 9, 6, 6]},
    "durations": {
        "time": [9.5, 8.0, 7.25, 9.0, 6.5, 3.0, 5.5, 2.0, 2.5, 4.0, 1.0, 1.5, 0.5],
        "died": [0, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1],
    },
    "numbers": {"score": [1.5, 1.0, 2.25, 1.75, 2.0, 5.5, 2.5, 6.0, 5.0, 3.5, 7.25, 6.5, 7.0]},
}
TABLES = {name: pl.DataFrame({**_FEATURES, **columns}) for name, columns in _RESPONSES.items()}

_PROGRAMS = {
    "growtree.slp": ":- use(growtree, [alpha = 0.9]).\n",
    "denison.slp": ":- use(denison).\n:- support(max_depth(2)).\n",
    "wrong.slp": ":- use(growtree, [alfa = 0.9]).\n:- constraint(constant(infant)).\n",
    "untidy.slp": ":-use( growtree ).\n%comment\nbox(a,age,0,  24).\n:-constraint( constant(a) ).",
    "monotone.slp": ":- use(growtree).\n:- constraint(monotone(age, up)).\n",
    "none.slp": ":- start(t).\n1 :: t --> split(age, 31.5), leaf, leaf.\n",
    "named.slp": ':- use(growtree).\n:- constraint(python("checks:small")).\n',
    "local.slp": ':- use(growtree).\n:- constraint(python("checks:wide", local)).\n',
    "edits.slp": ":- use(edittree, [tree = 'given.json', p = 0.7]).\n",
    "coins.slp": "0.6 :: coin(heads).\n0.4 :: coin(tails).\nsame(X) :- coin(X), coin(X).\n",
    "seen.pl": "36 :: same(heads).\n16 :: same(tails).\n",
}
_CHECKS = """\
def small(tree):
    return tree.n_leaves <= 3


def wide(node):
    return node.is_leaf or node.rows >= 4


def likely(answer):
    return {"heads": -0.5, "tails": -1.5}[answer["X"]]
"""
_GIVEN = '{"feature": "age", "threshold": 33, "left": {}, "right": {}}'


def write_files() -> None:
    """Write what the cases read into the current folder."""
    shutil.copytree(ROOT / "tests" / "programs", "programs", symlinks=True)
    shutil.copytree(ROOT / "examples", "examples")
    for name, table in TABLES.items():
        table.write_csv(f"{name}.csv")
    for name, text in _PROGRAMS.items():
        Path(name).write_text(text, "utf-8")
    Path("checks.py").write_text(_CHECKS, "utf-8")
    Path("given.json").write_text(_GIVEN, "utf-8")
    Path("missing.csv").write_text("age,ill\n1,no\n,yes\n", "utf-8")
    Path("uneven.csv").write_text("age,ill\n1,no\n2\n", "utf-8")
    Path("twice.csv").write_text("age,age,ill\n1,2,no\n2,3,yes\n", "utf-8")
    Path("empty.csv").write_text("", "utf-8")
