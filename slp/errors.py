"""Faults that a user can meet, as data: diagnostics, the exceptions that carry them, exit codes.

Entry points: `Diagnostic` (one finding), `SlpError` (base of every exception for users) and its
subclasses, `warn` (issues a warning). The texts of messages are in `slp.messages`, their drawing in
`slp.source.draw_diagnostic`. This module imports no other part of the package at start.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from types import FrameType
from typing import TYPE_CHECKING, Any, Literal

from slp.late import late_import

if TYPE_CHECKING:
    from slp.source import SourceSpan

__all__ = [
    "BudgetError",
    "DataError",
    "Diagnostic",
    "ExitCode",
    "NoGrammarError",
    "NoTreeError",
    "ProgramError",
    "Related",
    "SlpError",
    "SlpWarning",
    "TimeOverError",
    "UnsupportedError",
    "UsageError",
    "warn",
]

Severity = Literal["error", "warning"]
#: What a finding has to do with a limit of time: it ended the run, it left too little for another
#: run, or it may be why.
OfTime = Literal["ended", "shortened", "perhaps"]


class ExitCode(IntEnum):
    """The exit code of a command."""

    OK = 0
    FAULT = 1  # in the program or the data
    USAGE = 2  # the command line itself
    BUG = 70  # a bug in slp (EX_SOFTWARE)


@dataclass(frozen=True)
class Related:
    """A second place that belongs to a finding, such as "first declared here"."""

    message: str
    span: SourceSpan


@dataclass(frozen=True)
class Diagnostic:
    """One finding: `code`, `message` (what is wrong), `help` (what to do), `span` (the faulty text,
    if there is one), `related` (further places), `severity` and `to_dict()`.

    `code` is stable: `E` (error) or `W` (warning), then three digits. `may_follow` tells whether
    the finding may be due to another clause that could not be read and that defines what is missing
    here. `of_time` is None where no limit of time is told of.
    """

    code: str
    message: str
    span: SourceSpan | None = None
    help: str | None = None
    related: tuple[Related, ...] = ()
    severity: Severity = "error"
    may_follow: bool = False
    of_time: OfTime | None = None

    def to_dict(self) -> dict[str, object]:
        """The finding as plain data, for `--format json`."""
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "help": self.help,
            "span": None if self.span is None else self.span.to_dict(),
            "related": [{"message": r.message, "span": r.span.to_dict()} for r in self.related],
        }


class SlpError(Exception):
    """Base of every error that a user can cause and correct. `diagnostics`, a tuple of
    `slp.Diagnostic`, says what is wrong and where. The error is of this class itself where no tree
    on the table satisfies the program (E504)."""

    exit_code: ExitCode = ExitCode.FAULT

    def __init__(self, diagnostics: Diagnostic | Iterable[Diagnostic]) -> None:
        if isinstance(diagnostics, Diagnostic):
            diagnostics = (diagnostics,)
        self.diagnostics: Sequence[Diagnostic] = tuple(diagnostics)
        super().__init__(self.diagnostics)

    def __str__(self) -> str:
        return "\n".join(map(_drawn, self.diagnostics))


class ProgramError(SlpError):
    """A program has mistakes. The error lists all of them."""


class DataError(SlpError, ValueError):
    """A table has a fault, or a program and a table do not fit each other. It is a `ValueError`
    too, as estimators of scikit-learn raise it."""


class UsageError(SlpError):
    """An argument or option, from Python or the command line, is invalid."""

    exit_code = ExitCode.USAGE


class UnsupportedError(SlpError):
    """The engine that was asked for does not support this correct program. The message says which
    engine does, or why none does."""


class NoGrammarError(SlpError):
    """A program has no finite tree grammar on this table. An engine that draws by the program
    itself can run it."""


class NoTreeError(SlpError):
    """No tree satisfies the program on this table, or a search for one found none."""


class BudgetError(SlpError):
    """A run reached its budget of memory or time. The message says how far the run came, and what
    would fit. `log_evidence_bounds` are certain lower and upper bounds on the log evidence, or
    None. `known` has these too, with `choice` (the engine, and why) and `best`, the best tree
    (`tree`, `log_joint`) of a few hundred draws, or None, and `sooner`, the name of an engine that
    answers sooner, or None; `known` is None if the run had not started.

    `known` is a `slp.results.record.known.Known`.
    """

    known: Any = None

    def __init__(
        self,
        diagnostics: Diagnostic | Iterable[Diagnostic],
        log_evidence_bounds: tuple[float, float] | None = None,
    ) -> None:
        super().__init__(diagnostics)
        self.log_evidence_bounds = log_evidence_bounds


class TimeOverError(BudgetError):
    """E540: the run reached its time limit."""


class SlpWarning(UserWarning):
    """Category of every warning of this package. `diagnostic` is the finding, an
    `slp.Diagnostic`."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(diagnostic)

    def __str__(self) -> str:
        return _drawn(self.diagnostic)


def _drawn(diagnostic: Diagnostic) -> str:
    # This import is late, because `source` imports this module.
    return str(late_import("slp.source").draw_diagnostic(diagnostic))


#: Modules of the standard library whose decorators add frames between a caller and this package.
_BETWEEN = ("contextlib", "functools")


def warn(diagnostic: Diagnostic) -> None:
    """Issue a finding as a `SlpWarning`, at the line of the code that called this package."""
    frame = _caller()
    names = frame.f_globals
    warnings.warn_explicit(
        SlpWarning(diagnostic),
        SlpWarning,
        frame.f_code.co_filename,
        frame.f_lineno,
        module=names.get("__name__"),
        registry=names.setdefault("__warningregistry__", {}),
    )


def _caller() -> FrameType:
    """The innermost frame outside this package, or the outermost frame if there is none."""
    own = __name__.partition(".")[0]
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
        name = str(frame.f_globals.get("__name__"))
        if name.partition(".")[0] not in (own, *_BETWEEN):
            break
    return frame
