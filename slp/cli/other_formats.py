"""Findings in the formats of other programs: SARIF 2.1.0 (OASIS 2020), and the workflow commands of
GitHub Actions, which its pages show beside the lines of a change.

Entry points: `sarif`, `github_lines`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from urllib.parse import quote

import slp
from slp.errors import Diagnostic
from slp.messages import Entry, entries
from slp.source import SourceSpan, visible, visible_lines

#: The name of the folder of library priors, whose place no log should depend on.
_LIBRARY = "SLP_PRIORS"


def sarif(found: Sequence[Diagnostic], file: str) -> dict[str, object]:
    """A SARIF log of one run that checked `file`. A finding without a place is one of the file.

    Columns count characters, as everywhere in slp (`columnKind`).
    """
    codes = sorted({d.code for d in found})
    known = entries()
    driver = {
        "name": "slp",
        "version": slp.__version__,
        "rules": [_rule(known[code]) for code in codes],
    }
    results = [_result(d, codes.index(d.code), file) for d in found]
    return {
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {_LIBRARY: {"description": {"text": "slp's own priors"}}},
                "results": results,
            }
        ],
    }


def _rule(entry: Entry) -> dict[str, object]:
    """What a log says of a code: its page in the catalogue of messages."""
    return {
        "id": entry.code,
        "shortDescription": {"text": entry.title},
        "fullDescription": {"text": entry.cause},
        "help": {"text": entry.to_text()},
        "defaultConfiguration": {"level": entry.severity},
    }


def _result(finding: Diagnostic, rule: int, file: str) -> dict[str, object]:
    result: dict[str, object] = {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": finding.severity,
        "message": {"text": _words(finding)},
        "locations": [{"physicalLocation": _place(finding.span, file)}],
    }
    if finding.related:
        result["relatedLocations"] = [
            {"id": i, "physicalLocation": _place(r.span, file), "message": {"text": r.message}}
            for i, r in enumerate(finding.related)
        ]
    return result


def _words(finding: Diagnostic) -> str:
    """The message, and the help below it."""
    return finding.message if finding.help is None else f"{finding.message}\n{finding.help}"


def _place(span: SourceSpan | None, file: str) -> dict[str, object]:
    if span is None:
        return {"artifactLocation": {"uri": _uri(file)}}
    first, column = span.file.line_column(span.start)
    last, end = span.file.line_column(span.end)
    region = {"startLine": first, "startColumn": column, "endLine": last, "endColumn": end}
    where = {"uri": _uri(span.file.name)}
    if _of_library(span):
        where = {"uri": _uri(PurePath(span.file.name).name), "uriBaseId": _LIBRARY}
    return {"artifactLocation": where, "region": region}


def _of_library(span: SourceSpan) -> bool:
    """Whether a text comes with slp, and is no file of the user."""
    return span.file.folders.own is None


def _uri(name: str) -> str:
    """The reference to a file of this name: relative, unless the name begins at the root."""
    path = PurePath(name)
    return path.as_uri() if path.is_absolute() else quote(os.fsencode(path.as_posix()))


def github_lines(found: Sequence[Diagnostic], file: str) -> Iterator[str]:
    """A workflow command for each finding. One without a place, or with a place in a library prior,
    is shown at `file`."""
    for finding in found:
        told = {"file": file}
        span = finding.span
        if span is not None and not _of_library(span):
            place = span.to_dict()
            told["file"] = span.file.name
            told |= {"line": str(place["line"]), "endLine": str(place["end_line"])}
            if place["line"] == place["end_line"]:  # columns count in one line alone
                told |= {"col": str(place["column"]), "endColumn": str(place["end_column"])}
        told["title"] = finding.code
        settings = ",".join(f"{name}={_property(value)}" for name, value in told.items())
        yield f"::{finding.severity} {settings}::{_escaped(visible_lines(_words(finding)))}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(visible(text)).replace(":", "%3A").replace(",", "%2C")
