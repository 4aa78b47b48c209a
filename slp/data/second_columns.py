"""The second column of a response: events of durations, exposures of counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slp.data.columns import Column, numbers_of, texts_of
from slp.data.faults import check_usable
from slp.data.words import first_row, listed
from slp.errors import DataError
from slp.ir.program import EventCodes
from slp.messages.cells import MISSING_IN_EVENT, MISSING_IN_EXPOSURE
from slp.messages.columns import (
    COUNT_WITHOUT_EXPOSURE,
    EVENT_CODE_ABSENT,
    EVENT_CODE_UNKNOWN,
    EVENT_CODES_UNNAMED,
    EVENT_NEITHER_0_NOR_1,
    WRONG_EXPOSURE,
)
from slp.messages.names import atom
from slp.source import SourceSpan

_EXPOSURES = (1e-9, 1e9)
_EVENTS = {"1": 1.0, "true": 1.0, "0": 0.0, "false": 0.0}


def read_event(
    column: Column, codes: EventCodes | None = None, span: SourceSpan | None = None
) -> NDArray[np.float64]:
    """1 where the event was observed, 0 where it was censored, float64 (n,). `codes` are declared
    at `span`; None: the cells are 1 and 0, or true and false.

    Raises
    ------
    DataError
        E411, E412, E420 for cells; E427 for a cell that is no code, a code that no cell is, and
        where no codes of censored durations are declared and two may be.
    """
    check_usable(column, MISSING_IN_EVENT)
    texts = [_code(text) for text in texts_of(column)]
    if codes is None:
        meaning = _EVENTS
    else:
        meaning = dict.fromkeys(map(_code, codes.seen), 1.0)
        if codes.censored:
            meaning |= dict.fromkeys(map(_code, codes.censored), 0.0)
        else:
            meaning |= _one_other(column.name, codes.seen, texts, span)
    wrong = np.array([text not in meaning for text in texts])
    if wrong.any():
        row = first_row(wrong)
        raise _no_code(column.name, texts[row - 1], row, codes, span)
    return np.array([meaning[text] for text in texts])


def _code(text: str) -> str:
    """A cell or a declared code as they are compared: truth values are the same in any case."""
    text = text.strip()
    word = text.casefold()
    return word if word in _EVENTS else text


def _one_other(
    name: str, seen: Sequence[str], texts: Sequence[str], span: SourceSpan | None
) -> dict[str, float]:
    """The value beside the codes of events, which means that a duration is censored; none if no
    cell has another."""
    held = sorted(set(texts))
    others = [text for text in held if text not in set(map(_code, seen))]
    first, other = code_term(seen), code_term(others or ["CODE"])
    known: dict[str, Any] = {"name": name, "atom": atom(name), "first": first, "other": other}
    for code in seen:
        if _code(code) not in held:
            raise DataError(EVENT_CODE_ABSENT(span, code=code, held=listed(held), **known))
    if len(others) > 1:
        shown = listed(seen)
        raise DataError(EVENT_CODES_UNNAMED(span, held=listed(others), seen=shown, **known))
    return dict.fromkeys(others, 0.0)


def code_term(codes: Sequence[str]) -> str:
    """Codes as the program writes them: one, or a list."""
    written = [code if code.isdecimal() else atom(code) for code in codes]
    return written[0] if len(written) == 1 else f"[{', '.join(written)}]"


def _no_code(
    name: str, cell: str, row: int, codes: EventCodes | None, span: SourceSpan | None
) -> DataError:
    """E427: a cell is none of the codes."""
    known: dict[str, Any] = {"name": name, "atom": atom(name), "cell": cell, "row": row}
    if codes is None:
        return DataError(EVENT_NEITHER_0_NOR_1(code=code_term([cell]), **known))
    first, other = code_term(codes.seen), code_term([*codes.censored, cell])
    return DataError(EVENT_CODE_UNKNOWN(span, first=first, other=other, **known))


def read_exposure(column: Column, counted: Column) -> NDArray[np.float64]:
    """The exposure of each row, float64 (n,): 0, or in a range. `counted` has the counts.

    Raises
    ------
    DataError
        E411, E412, E420 for cells; E427 for one that is no exposure, or for a count without one.
    """
    check_usable(column, MISSING_IN_EXPOSURE)
    values, bad = numbers_of(column)
    wrong = ~((values == 0) | (values >= _EXPOSURES[0]) & (values <= _EXPOSURES[1]))
    if bad is not None or wrong.any() or column.kind == "boolean":
        row = 1 if column.kind == "boolean" else first_row(wrong) if bad is None else bad + 1
        raise DataError(WRONG_EXPOSURE(name=column.name, cell=column.cells[row - 1], row=row))
    impossible = (values == 0) & (numbers_of(counted)[0] > 0)
    if impossible.any():
        row = first_row(impossible)
        told = {"response": counted.name, "count": counted.cells[row - 1], "name": column.name}
        raise DataError(COUNT_WITHOUT_EXPOSURE(**told, row=row))
    return values
