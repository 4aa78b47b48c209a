"""Collecting findings, so that one run reports every mistake, and suggesting the nearest name."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from slp.errors import Diagnostic, ProgramError, Related, SlpError
from slp.source import SourceSpan

__all__ = ["Findings", "name_help", "nearest_name"]


class Findings:
    """The diagnostics found so far. A finding that repeats another word for word is kept once."""

    def __init__(self) -> None:
        self._found: dict[tuple[object, ...], Diagnostic] = {}

    def error(
        self,
        code: str,
        message: str,
        span: SourceSpan | None = None,
        help: str | None = None,
        related: Iterable[Related] = (),
    ) -> None:
        """Add a mistake."""
        self.add(Diagnostic(code, message, span, help, tuple(related)))

    def warning(
        self,
        code: str,
        message: str,
        span: SourceSpan | None = None,
        help: str | None = None,
        related: Iterable[Related] = (),
    ) -> None:
        """Add something that is no mistake but that the author should know."""
        self.add(Diagnostic(code, message, span, help, tuple(related), "warning"))

    def add(self, diagnostic: Diagnostic) -> None:
        """Add a finding made elsewhere."""
        place = diagnostic.span and (diagnostic.span.file.name, diagnostic.span.start)
        self._found.setdefault((diagnostic.code, diagnostic.message, place), diagnostic)

    def take(self, error: SlpError) -> None:
        """Add all findings of an exception."""
        for diagnostic in error.diagnostics:
            self.add(diagnostic)

    @property
    def has_errors(self) -> bool:
        """Whether something is a mistake, not just worth a warning."""
        return any(d.severity == "error" for d in self._found.values())

    def in_order(self) -> tuple[Diagnostic, ...]:
        """All findings: those without a place, then file by file in order of place."""
        files: dict[str, int] = {}
        for d in self._found.values():
            if d.span is not None:
                files.setdefault(d.span.file.name, len(files))
        return tuple(
            sorted(
                self._found.values(),
                key=lambda d: (
                    (-1, 0) if d.span is None else (files[d.span.file.name], d.span.start)
                ),
            )
        )

    def raise_errors(self) -> None:
        """Raise everything found, warnings too, if there is an error among it.

        Raises
        ------
        ProgramError
        """
        if self.has_errors:
            raise ProgramError(self.in_order())


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """The one of `known` that is most like `name`, None if none is alike."""
    by_lower = {k.lower(): k for k in known}
    found = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[found[0]] if found else None


def name_help(name: str, known: Iterable[str], others: str = "there are") -> str | None:
    """A help line: the nearest name, else all of them after the words `others`, else None."""
    known = sorted(known)
    if (near := nearest_name(name, known)) is not None:
        return f"did you mean `{near}`?"
    return f"{others} {', '.join(f'`{k}`' for k in known)}" if known else None
