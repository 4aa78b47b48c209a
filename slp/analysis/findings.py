"""Collecting findings, so that one run reports every mistake, and suggesting the nearest name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from slp.errors import Diagnostic, ProgramError, SlpError
from slp.resolution.faults import nearest
from slp.source import SourceSpan
from slp.syntax.mistakes import MOST_MISTAKES, too_many

__all__ = ["Findings", "name_help", "nearest_name"]


class Findings:
    """The diagnostics found so far. A finding that repeats another word for word is kept once.

    After `MOST_MISTAKES` errors nobody reads on: whoever adds one more gets them all, as an
    exception.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[object, ...], Diagnostic] = {}
        self._errors = 0

    def add(self, diagnostic: Diagnostic) -> None:
        """Add a finding, an error or a warning.

        Raises
        ------
        ProgramError
            With all findings, if the errors are too many by now (E053).
        """
        key = (diagnostic.code, diagnostic.message, *_place(diagnostic))
        if key in self._found:
            return
        if diagnostic.severity == "error":
            self._errors += 1
            if self._errors > MOST_MISTAKES:
                raise ProgramError([*self.in_order(), too_many(diagnostic)])
        self._found[key] = diagnostic

    def take(self, error: SlpError, place: SourceSpan | None = None) -> None:
        """Add all findings of an exception, at `place` if one is given."""
        for diagnostic in error.diagnostics:
            self.add(replace(diagnostic, span=place or diagnostic.span))

    @property
    def has_errors(self) -> bool:
        """Whether something is a mistake, not just worth a warning."""
        return self._errors > 0

    def in_order(self) -> tuple[Diagnostic, ...]:
        """All findings: those without a place, then file by file in order of place.

        A warning at the very place of an error is left out: it is likely to come from it. So are
        warnings beyond the first `MOST_MISTAKES`.
        """
        errors = {_place(d) for d in self._found.values() if d.severity == "error"}
        found = [
            d for d in self._found.values() if d.severity == "error" or _place(d) not in errors
        ]
        files: dict[str, int] = {"": -1}
        for d in found:
            files.setdefault(_place(d)[0], len(files))
        found.sort(key=lambda d: (files[_place(d)[0]], _place(d)[1]))
        warnings = [d for d in found if d.severity == "warning"]
        if len(warnings) > MOST_MISTAKES:
            left_out = set(map(id, warnings[MOST_MISTAKES:]))
            found = [d for d in found if id(d) not in left_out]
            found.append(too_many(warnings[MOST_MISTAKES]))
        return tuple(found)

    def warnings(self) -> tuple[Diagnostic, ...]:
        """Those of `in_order` that are no mistakes."""
        return tuple(d for d in self.in_order() if d.severity == "warning")

    def raise_errors(self) -> None:
        """Raise everything found, warnings too, if there is an error among it.

        Raises
        ------
        ProgramError
        """
        if self.has_errors:
            raise ProgramError(self.in_order())


def _place(diagnostic: Diagnostic) -> tuple[str, int, int]:
    span = diagnostic.span
    return ("", 0, 0) if span is None else (span.file.name, span.start, span.end)


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """The one of `known` that is most like `name`, None if none is alike."""
    by_lower = {k.lower(): k for k in known}
    found = nearest(name.lower(), by_lower)
    return None if found is None else by_lower[found]


def name_help(name: str, known: Iterable[str], kind: str) -> str:
    """A help line: the nearest name, else all ("the boxes are ..."), empty if there are none."""
    known = sorted(known)
    if (near := nearest_name(name, known)) is not None:
        return f"did you mean `{near}`?"
    if len(known) == 1:
        return f"the only {kind} is `{known[0]}`"
    plural = f"{kind}es" if kind.endswith(("s", "x")) else f"{kind}s"
    return f"the {plural} are {', '.join(f'`{k}`' for k in known)}" if known else ""
