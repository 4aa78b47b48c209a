"""What is learned of a tree program: parameters and feature weights, and their coordinates."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from slp.errors import SlpError
from slp.ir import program as ir
from slp.learn import faults
from slp.learn.ascent import Interval, intervals_of
from slp.learn.result import Change, Learned
from slp.learn.text import ProgramText, edited
from slp.messages.learning import NO_PARAMETER_TO_LEARN

_Vector = NDArray[np.float64]

#: A coordinate beyond this bound is outside the range of sensible values.
_FAR = 10.0


@dataclass(frozen=True, eq=False)
class Unknowns:
    """The parameters, then the feature weights, with their intervals. They give the coordinates of
    theta."""

    program: ir.CheckedProgram
    text: ProgramText
    parameters: dict[str, Interval]
    features: dict[str, Interval]
    compiles: Callable[[Mapping[str, float]], bool]

    @classmethod
    def of(
        cls,
        program: ir.CheckedProgram,
        text: ProgramText,
        only: Collection[str],
        compiles: Callable[[Mapping[str, float]], bool],
    ) -> Unknowns:
        names = text.learnable(program.parameters)
        features = list(text.feature_weights())
        faults.check_names(only, [*names, *features])
        names = [n for n in names if not only or n in only]
        intervals = intervals_of(names, program.parameters, compiles)
        weights = {f: Interval(0.0, np.inf) for f in features if not only or f in only}
        if not intervals and not weights:
            raise SlpError(NO_PARAMETER_TO_LEARN())
        return cls(program, text, intervals, weights, compiles)

    @property
    def _before(self) -> list[float]:
        own = [self.program.parameters[n] for n in self.parameters]
        return own + [self.program.feature_weights[f] for f in self.features]

    @property
    def _intervals(self) -> list[Interval]:
        return [*self.parameters.values(), *self.features.values()]

    @property
    def start(self) -> list[float]:
        """The coordinates of the given program."""
        return [i.to_free(x) for i, x in zip(self._intervals, self._before, strict=True)]

    def values(self, u: _Vector) -> list[float]:
        """The values of theta at a point."""
        return [i.to_value(float(x)) for i, x in zip(self._intervals, u, strict=True)]

    def parameters_at(self, u: _Vector) -> dict[str, float]:
        """The parameters among theta."""
        return dict(zip(self.parameters, self.values(u), strict=False))

    def weights_at(self, u: _Vector) -> dict[str, float]:
        """The feature weights among theta."""
        return dict(zip(self.features, self.values(u)[len(self.parameters) :], strict=True))

    def is_sound(self, u: _Vector) -> bool:
        """Whether the labels are valid in all states that the checker looks at."""
        return not self.parameters or self.compiles(self.parameters_at(u))

    def program_at(self, u: _Vector) -> ir.CheckedProgram:
        """The program with these parameters and feature weights."""
        return replace(
            self.program,
            parameters=self.text.parameters({**self._given, **self.parameters_at(u)}),
            feature_weights={**self.program.feature_weights, **self.weights_at(u)},
        )

    @cached_property
    def _given(self) -> dict[str, float]:
        """The parameters that the program's caller set; they may differ from the text."""
        parameters = self.program.parameters
        return {n: x for n, x in parameters.items() if not self.text.is_computed(n)}

    def learned(self, u: _Vector, path: tuple[float, ...], converged: bool, method: str) -> Learned:
        """The program with theta written into its text."""
        own = {n: self.parameters[n].rounded(x) for n, x in self.parameters_at(u).items()}
        weights = {f: self.features[f].rounded(x) for f, x in self.weights_at(u).items()}
        edits = self.text.parameter_edits(own)
        edits += [self.text.feature_weight_edit(f, x) for f, x in weights.items()]
        kinds = ["parameter"] * len(own) + ["feature_weight"] * len(weights)
        changes = tuple(
            Change(kind, name, before, after)
            for kind, name, before, after in zip(
                kinds,
                [*own, *weights],
                self._before,
                [*own.values(), *weights.values()],
                strict=True,
            )
        )
        notes = tuple(
            f"the evidence rises towards the end of the range of {change.name}"
            for change, x in zip(changes, u, strict=True)
            if abs(x) > _FAR
        )
        return Learned(edited(self.text.file, edits), changes, path, converged, method, notes)
