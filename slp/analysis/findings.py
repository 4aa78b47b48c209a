"""Collects findings, so that one run reports every mistake."""

from __future__ import annotations

from dataclasses import replace

from slp.errors import Diagnostic, ProgramError, SlpError
from slp.source import SourceSpan
from slp.syntax.mistakes import MOST_MISTAKES, too_many


class Findings:
    """The diagnostics found so far. Equal findings are kept once.

    After `MOST_MISTAKES` errors, `add` raises an exception with all findings.

    Attributes
    ----------
    lacks_text : whether a file that the program uses was not read, or not whole. Findings that may
        be due to that (`Diagnostic.may_follow`) are then left out.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[object, ...], Diagnostic] = {}
        self._errors = 0
        self.lacks_text = False

    def add(self, diagnostic: Diagnostic) -> None:
        """Add a finding, an error or a warning.

        Raises
        ------
        ProgramError
            With all findings, if there are too many errors (E053).
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
        """Whether there is an error among the findings."""
        return self._errors > 0

    def in_order(self) -> tuple[Diagnostic, ...]:
        """All findings: first those without a place, then by file and place.

        A warning at exactly the place of an error is left out, because the error probably causes
        it. Warnings beyond the first `MOST_MISTAKES` are left out too.
        """
        found = [d for d in self._found.values() if not (d.may_follow and self.lacks_text)]
        errors = {_place(d) for d in found if d.severity == "error"}
        found = [d for d in found if d.severity == "error" or _place(d) not in errors]
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
        """The warnings of `in_order`."""
        return tuple(d for d in self.in_order() if d.severity == "warning")

    def raise_errors(self) -> None:
        """Raise all findings, including warnings, if there is an error among them.

        Raises
        ------
        ProgramError
        """
        if self.has_errors:
            raise ProgramError(self.in_order())


def _place(diagnostic: Diagnostic) -> tuple[str, int, int]:
    span = diagnostic.span
    return ("", 0, 0) if span is None else (span.file.name, span.start, span.end)
