"""Findings as an editor shows them."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types as lsp
from pygls.uris import from_fs_path

from slp.errors import Diagnostic, Related
from slp.lsp.positions import Places
from slp.messages.inference import TIME_OVER
from slp.resources import prior_path
from slp.source import SourceFile

#: What a check that was ended says, at the first line.
ENDED = "the check took too long and was ended; `slp check` has no limit of time"


def shown(finding: Diagnostic, uri: str, places: Places) -> lsp.Diagnostic:
    """A finding that has a place in the text. The help stands below the message; a limit of time is
    no fault of the text."""
    assert finding.span is not None
    severity = lsp.DiagnosticSeverity.Error
    if finding.severity == "warning":
        severity = lsp.DiagnosticSeverity.Warning
    if finding.code == TIME_OVER.entry.code:
        severity = lsp.DiagnosticSeverity.Information
    return lsp.Diagnostic(
        places.of_span(finding.span),
        finding.message if finding.help is None else f"{finding.message}\n{finding.help}",
        severity,
        finding.code,
        source="slp",
        related_information=[
            lsp.DiagnosticRelatedInformation(_location(related, uri, places), related.message)
            for related in finding.related
        ],
    )


def ended(places: Places) -> lsp.Diagnostic:
    """A check that was ended."""
    return lsp.Diagnostic(
        places.range(0, 0), ENDED, lsp.DiagnosticSeverity.Information, source="slp"
    )


def _location(related: Related, uri: str, places: Places) -> lsp.Location:
    file = related.span.file
    if file.name == places.file.name:
        return lsp.Location(uri, places.of_span(related.span))
    return lsp.Location(uri_of(file), Places(file, places.encoding).of_span(related.span))


def uri_of(file: SourceFile) -> str:
    """The address of a file that a program uses, of a library prior where that is."""
    path = prior_path(file) or Path(file.name).resolve()
    return from_fs_path(str(path)) or ""
