"""`elicit`: the values of parameters whose prior on a table has the means that a person expects.

The logs of the means over what was asked are made small by least squares (`scipy`'s trust region
reflective method), in coordinates without ends (`slp.learn.ascent.Interval`), from the best point
of a grid. As many parameters move as means are asked for.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.budgets import Deadline, held, memory_budget, memory_errors
from slp.compile import compile_problem
from slp.engines import infer, read_for
from slp.errors import ProgramError, SlpWarning, UsageError
from slp.late import late_import
from slp.learn.ascent import Interval, intervals_of
from slp.learn.text import ProgramText
from slp.messages.comparing import (
    NO_PARAMETER_TO_ELICIT,
    NOT_A_MEAN_TO_ELICIT,
    NOTHING_TO_ELICIT,
    TOO_MANY_TO_ELICIT,
)
from slp.messages.names import joined
from slp.problem.problem import Problem
from slp.program.folds import checked_seed
from slp.program.program import Program
from slp.program.progress import Progress, shown_progress
from slp.results.elicited import Elicited
from slp.results.estimate import Estimate
from slp.results.posterior import Posterior
from slp.trees.predicates import with_predicates

_Floats = NDArray[np.float64]

#: The coordinates of the grid, for one or for two parameters; they end where searches end.
_GRID = {1: (-5.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 5.0), 2: (-5.0, -2.0, 0.0, 2.0, 5.0)}
#: Least means: of a leaf alone.
_LEAST = {"leaves": 1.0, "depth": 0.0}
_MOST_RUNS = 40
#: In place of the logs of means where there is no prior.
_FAR_OFF = 20.0


def elicit(
    program: Program,
    X: Any,
    y: Any = None,
    *,
    leaves: float | None = None,
    depth: float | None = None,
    parameters: Sequence[str] | None = None,
    engine: str = "auto",
    seed: int | None = None,
    draws: int = 2000,
    memory: int | str | None = None,
    time: float | str | Deadline | None = None,
    threads: int | None = None,
    progress: Progress | bool | None = None,
    allow_code: bool = False,
    **options: Any,
) -> Elicited:
    """Find values of parameters whose prior on a table has given means: an `slp.Elicited`. The
    response is not looked at.

    Parameters
    ----------
    X, y : the table, as for `slp.Program.posterior`.
    leaves, depth : the expected number of leaves, above 1, and of splits on the longest path, above
        0; one of them, or both.
    parameters : which ones move, as many as means at most; the others keep their values, or the
        means of their priors. None takes the first of those that stand in labels alone.
    engine, seed, draws, memory, time, threads, progress, allow_code, options : as for
        `slp.Program.prior`, of every prior that is looked at; all have the same seed.

    Raises
    ------
    UsageError
        E553: no mean is asked for, or it is none; no such parameter can move.
    SlpError
        As `slp.Program.prior`.
    """
    asked = _asked({"leaves": leaves, "depth": depth})
    seed = checked_seed(seed, options)
    moved = _moved(program, parameters, len(asked))
    deadline, budget = Deadline.of(time), memory_budget(memory)
    how = {"engine": engine, "seed": seed, "draws": draws, "memory": budget, "threads": threads}
    with shown_progress(progress) as shown, held(deadline), memory_errors():
        ready = read_for(with_predicates(program.ir, allow_code), engine)
        problem = compile_problem(ready, X, y, progress=shown)
        how |= {"time": deadline, "allow_code": allow_code, "options": options}
        search = _SearchForMeans(problem, ProgramText(program.source), moved, asked, how, shown)
        point = search.best()
        found = search.at(point)
        assert found is not None, "the grid has points whose labels are sound"
    return Elicited(
        program.source.name,
        problem.table.response,
        problem.table.n_rows,
        seed,
        found.engine,
        search.values(point),
        asked,
        found.means,
        search.spans,
        len(search.met),
    )


def _asked(given: Mapping[str, float | None]) -> dict[str, float]:
    asked = {name: value for name, value in given.items() if value is not None}
    if not asked:
        raise UsageError(NOTHING_TO_ELICIT())
    for name, value in asked.items():
        number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if not number or not _LEAST[name] < value < math.inf:
            raise UsageError(NOT_A_MEAN_TO_ELICIT(name=name, value=value, least=_LEAST[name]))
    return {name: float(value) for name, value in asked.items()}


def _moved(program: Program, given: Sequence[str] | None, most: int) -> dict[str, Interval]:
    """The parameters that move, with the values that they may have."""
    text, all_values = ProgramText(program.source), dict(program.ir.parameters)
    free = text.learnable(all_values)
    names = free[:most] if given is None else [name for name in given if name in free]
    if len(names) > most:
        raise UsageError(TOO_MANY_TO_ELICIT(count=len(names), most=most))

    def compiles(values: Mapping[str, float]) -> bool:
        own = {n: x for n, x in all_values.items() if not text.is_computed(n)}
        try:
            program.with_parameters(**{**own, **values})
        except ProgramError:
            return False
        return True

    found = intervals_of(names, all_values, compiles)
    missing = [f"`{name}`" for name in given or () if name not in found]
    if missing or not found:
        names_of = joined(missing) if missing else "parameters of this program"
        raise UsageError(NO_PARAMETER_TO_ELICIT(names=names_of))
    return found


@dataclass(frozen=True)
class _Prior:
    """What a prior has."""

    engine: str
    means: dict[str, Estimate]


@dataclass(eq=False)
class _SearchForMeans:
    """A search for the values of parameters; `met` has the priors that were looked at."""

    problem: Problem
    text: ProgramText
    moved: dict[str, Interval]
    asked: dict[str, float]
    how: dict[str, Any]
    progress: Progress | None
    met: dict[tuple[float, ...], _Prior | None] = field(default_factory=dict)

    def values(self, point: _Floats) -> dict[str, float]:
        """The parameters at a point."""
        of = zip(self.moved.items(), point.tolist(), strict=True)
        return {name: interval.rounded(interval.to_value(u)) for (name, interval), u in of}

    @property
    def spans(self) -> dict[str, tuple[float, float]]:
        """See `Elicited`."""
        known = [own.means for own in self.met.values() if own is not None]
        every = {name: [means[name].value for means in known] for name in self.asked}
        return {name: (min(own), max(own)) for name, own in every.items()}

    def at(self, point: _Floats) -> _Prior | None:
        """The prior at a point; None where labels are none together."""
        key = tuple(point.tolist())
        if key not in self.met:
            if self.progress is not None:
                self.progress(len(self.met), "looking at priors")
            try:
                self.met[key] = self._looked_at(self.values(point))
            except ProgramError:  # each parameter has an interval with the others at their values
                self.met[key] = None
        return self.met[key]

    def _looked_at(self, values: dict[str, float]) -> _Prior:
        program = self.problem.program
        own = {n: x for n, x in program.parameters.items() if not self.text.is_computed(n)}
        parameters = self.text.parameters({**own, **values})
        problem = self.problem.varied(replace(program, parameters=parameters, unknown={}))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SlpWarning)  # errors stand beside the means
            prior = infer(problem, likelihood=False, advise=False, **self.how)
            return _Prior(prior.engine, {name: _mean(prior, name) for name in self.asked})

    def _apart(self, point: _Floats) -> _Floats:
        """The logs of the means over what was asked; of leaves of those beyond the first."""
        found = self.at(point)
        if found is None:
            return np.full(len(self.asked), _FAR_OFF)
        means, apart = found.means, []
        for name, asked in self.asked.items():
            have = max(means[name].value - _LEAST[name], 1e-9)
            apart.append(math.log(have / (asked - _LEAST[name])))
        return np.array(apart)

    def best(self) -> _Floats:
        """The point whose means come nearest."""
        axis = _GRID[len(self.moved)]
        grid = [np.array(point) for point in itertools.product(axis, repeat=len(self.moved))]
        first = min(grid, key=lambda point: float(np.sum(self._apart(point) ** 2)))
        limits = (axis[0] - 5.0, axis[-1] + 5.0)
        optimize = late_import("scipy.optimize")
        optimize.least_squares(
            self._apart, first, bounds=limits, diff_step=0.02, xtol=1e-4, max_nfev=_MOST_RUNS
        )
        points = [np.array(key) for key in self.met]
        return min(points, key=lambda point: float(np.sum(self._apart(point) ** 2)))


def _mean(prior: Posterior, name: str) -> Estimate:
    leaves = name == "leaves"
    value = prior.expected_leaves() if leaves else prior.expected_depth()
    error = prior.expected_leaves_error() if leaves else prior.expected_depth_error()
    exact = prior.trust.kind == "exact" and not prior.uses_are_drawn
    return Estimate.exact(value) if exact else Estimate.drawn(value, error)
