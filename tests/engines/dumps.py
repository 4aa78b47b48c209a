"""Problems written down for the core's own tests, `native/tests/problems/*.txt`.

    python -m tests.engines.dumps

writes them anew. A line is a call that fills a problem (`slp.problem.core`): its name and
its arguments, an array with its length first. The first line has the log total of all trees by the
plain chart, with likelihood.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

import slp
from slp.problem.core import core_problem
from slp.reference.boxes import Geometry
from slp.reference.chart import Chart, build_forest

__all__ = ["FOLDER", "PROGRAMS", "dump"]

FOLDER = Path(__file__).resolve().parents[2] / "native" / "tests" / "problems"

PROGRAMS = {
    "denison": ":- use(denison).",
    "denison_min_leaf": ":- use(denison).\n:- support(min_leaf(3)).",
    "growtree": ":- use(growtree).",
    "growtree_all_max_depth": ":- use(growtree_all).\n:- support(max_depth(4)).",
    "gmt_normal": ":- use(gmt).\n:- leaf(normal_inverse_gamma(0, 0.1, 2, 1)).",
}
_CUTS = ":- feature(z, [cuts([8, 20, 31])])."


class _Recorder:
    """Stands for the core, its `ExactProblem` and its `ExactRules`: writes down what it is told."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def ExactProblem(self) -> _Recorder:  # noqa: N802
        return self

    def ExactRules(self, least_leaves: int, leaf_prior: int) -> _Recorder:  # noqa: N802
        return _Recorder()

    def add_state(self, state: _Recorder) -> None:
        self.lines += ["add_state", *state.lines]

    def __getattr__(self, name: str) -> Callable[..., None]:
        def record(*arguments: object) -> None:
            self.lines.append(" ".join([name, *map(_text, arguments)]))

        return record


def _text(argument: object) -> str:
    if isinstance(argument, np.ndarray | list):
        return " ".join([str(len(argument)), *(_text(x) for x in argument)])
    if isinstance(argument, bool | np.bool_):
        return str(int(argument))
    return repr(float(argument)) if isinstance(argument, float) else str(argument)


def dump(text: str) -> str:
    """A program on 25 rows of a numeric feature, one with cuts and a categorical one, two rows
    equal."""
    rng = np.random.default_rng(11)
    n = 24
    again = [*range(n), 0]
    x, z = rng.permutation(n).astype(np.float64), rng.integers(0, 40, n).astype(np.float64)
    c, y = rng.choice(["p", "q", "r"], n), rng.integers(0, 2, n + 1)
    frame = pl.DataFrame({"x": x[again], "z": z[again], "c": c[again]})
    response = y.astype(np.float64) if "normal" in text else y.astype(str)
    model = slp.parse(f"{text}\n{_CUTS}").compile(frame, response)
    core = _Recorder()
    core_problem(core, model.grammar, model.table)
    forest = build_forest(model.grammar, Geometry(model.grammar, model.table), 2**30)
    total = Chart(forest, likelihood=True).log_total
    return "\n".join([f"log_total {total!r}", *core.lines, ""])


if __name__ == "__main__":
    for name, program in PROGRAMS.items():
        (FOLDER / f"{name}.txt").write_text(dump(program))
