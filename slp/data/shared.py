"""One table for several programs: the response that all of them read alike, parts of the rows, and
folds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.data.coding import response_of
from slp.data.columns import Column
from slp.data.frames import Frame, frame_of
from slp.data.response import Response
from slp.data.roles import Roles, named_column, roles_of
from slp.errors import UsageError
from slp.ir.program import CheckedProgram
from slp.leaves import label_text
from slp.messages.comparing import NO_SUCH_FOLDS, ONE_ROW_OF_A_CLASS, OTHER_READING, OTHER_RESPONSE
from slp.messages.names import joined


@dataclass(frozen=True, eq=False)
class SharedTable:
    """A table whose response all programs read alike: its columns, the response, and the outcomes
    (see `Response`); `values` if the response was not a column of the table. `censored`: whether
    some durations may be."""

    frame: Frame
    y: Any
    response: Column
    read: Response
    censored: bool

    @classmethod
    def of(cls, programs: Mapping[str, CheckedProgram], X: Any, y: Any = None) -> SharedTable:
        """Raises UsageError E550 where programs differ, and DataError as `slp.data.table_of`."""
        frame = frame_of(X)
        first: tuple[str, Roles, Response, str] | None = None
        for name, program in programs.items():
            roles = roles_of(program, frame, y)
            read = response_of(program, roles)
            if first is None:
                first = name, roles, read, _reading(program, read, roles)
                continue
            mine, theirs = roles.response.name, first[1].response.name
            if mine != theirs:
                raise UsageError(OTHER_RESPONSE(one=first[0], a=theirs, other=name, b=mine))
            told = [first[3], _reading(program, read, roles)]
            same = roles.event is not None and np.array_equal(read.outcomes, first[2].outcomes)
            if told[0] != told[1] and not same:
                raise UsageError(
                    OTHER_READING(response=mine, one=first[0], a=told[0], other=name, b=told[1])
                )
        assert first is not None, "there is a program"
        _, roles, read, _ = first
        given = y if y is None or named_column(y) else roles.response
        return cls(frame, given, roles.response, read, roles.event is not None)

    def outcomes(self, program: CheckedProgram) -> NDArray[Any]:
        """The outcomes as a program reads them: of counts with the exposures that it declares."""
        return response_of(program, roles_of(program, self.frame, self.y)).outcomes

    def part(self, rows: NDArray[np.intp]) -> tuple[Frame, Any]:
        """`X` and `y` of some rows."""
        y = self.y.rows(rows) if isinstance(self.y, Column) else self.y
        return self.frame.rows(rows), y

    def folds(self, folds: int, seed: int) -> list[NDArray[np.intp]]:
        """The rows of each fold, ascending: shuffled, and dealt out class after class.

        Raises
        ------
        UsageError
            E551: there are too few rows, or a class has one row.
        """
        n = self.frame.n_rows
        if folds == 0:
            return []
        whole = isinstance(folds, int | np.integer) and not isinstance(folds, bool)
        if not whole or not 2 <= folds <= n:
            or_none = ", or 0 for no cross-validation"
            raise UsageError(NO_SUCH_FOLDS(folds=repr(folds), rows=n, or_none=or_none))
        classes, outcomes = self.read.leaf.classes, self.read.outcomes
        order = np.random.default_rng([seed, 0]).permutation(n)
        if classes:
            for label, count in zip(classes, np.bincount(outcomes), strict=True):
                if count == 1:
                    raise UsageError(ONE_ROW_OF_A_CLASS(label=label_text(label)))
            order = order[np.argsort(outcomes[order], kind="stable")]
        return [np.sort(order[k::folds]) for k in range(folds)]


def _reading(program: CheckedProgram, read: Response, roles: Roles) -> str:
    """What a program takes the response for; evidences of different kinds do not compare."""
    if read.leaf.classes:
        return "classes"
    if roles.event is None:
        return "counts" if read.leaf.responses == "counts" else "numbers"
    codes = program.event_codes
    seen = "" if codes is None else f" where they are {joined(codes.seen, 'or')}"
    return f"durations with the events `{roles.event.name}`{seen}"
