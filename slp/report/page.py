"""The page: its sections in order, and the file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from slp.report import answer, checks, given, pictures
from slp.report.html import Html, joined, tag
from slp.results import Posterior
from slp.version import __version__
from slp.whole_files import whole_file

#: The browser loads nothing and runs no code, whatever the page contains.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

_STYLES = [Path(__file__).with_name(name) for name in ("style.css", "parts.css")]


def report_html(posterior: Posterior, command: str | None = None) -> str:
    """The report as one HTML page that loads nothing from elsewhere.

    `command` is the command that made it; None shows lines of Python.

    Raises
    ------
    BudgetError
        The limits of the posterior end before the trees or the evidence are known.
    """
    if posterior.stacked is not None:
        return _page(
            f"Stacked predictions of {posterior.table.response}",
            [
                ("summary", "Summary", answer.summary(posterior)),
                ("program", "Program", given.program(posterior)),
                ("data", "Data", given.data(posterior)),
                ("engine", "Engine", given.engine(posterior)),
                ("again", "How to run it again", given.again(posterior, command)),
            ],
        )
    kind = "Posterior" if posterior.likelihood else "Prior"
    title = f"{kind} over decision trees of {posterior.table.response}"
    sections = [
        ("summary", "Summary", answer.summary(posterior)),
        *(("trees", "Trees", answer.trees(p)) for p in [posterior] if p.trees_summed is None),
        ("features", "Features", answer.features(posterior)),
        ("pictures", "Pictures", pictures.pictures(posterior)),
        ("program", "Program", given.program(posterior)),
        ("constraints", "Constraints", checks.constraints(posterior)),
        ("data", "Data", given.data(posterior)),
        ("engine", "Engine", given.engine(posterior)),
        ("evidence", "Evidence", answer.evidence(posterior)),
        ("diagnostics", "Diagnostics", checks.diagnostics(posterior)),
        ("again", "How to run it again", given.again(posterior, command)),
    ]
    return _page(title, sections)


def _page(title: str, sections: Sequence[tuple[str, str, Html]]) -> str:
    """The whole page of sections: key, name and content of each."""
    links = [tag("li", tag("a", name, href=f"#{key}")) for key, name, _ in sections]
    body = joined(
        [
            tag("a", "Skip to the summary", href="#summary", class_="skip"),
            tag("header", tag("h1", title)),
            tag("nav", tag("ol", *links), aria_label="Sections"),
            tag("main", *(_section(*section) for section in sections)),
            tag("footer", tag("p", f"Made by slp {__version__}.")),
        ]
    )
    whole = tag("html", _head(title), tag("body", body, class_="slp"), lang="en")
    return f"<!DOCTYPE html>\n{whole}\n"


def _head(title: str) -> Html:
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", Html("".join(style.read_text("utf-8") for style in _STYLES))),
    )


def _section(key: str, name: str, content: Html) -> Html:
    heading = tag("h2", name, id=f"{key}-name")
    return tag("section", heading, content, id=key, aria_labelledby=f"{key}-name")


def write_report(posterior: Posterior, path: str | Path, command: str | None = None) -> None:
    """Write the report (`report_html`) to a file, whole or not at all; a device or a pipe, such as
    /dev/stdout, is written directly.

    Raises
    ------
    UsageError
        E701: the file cannot be written.
    """
    content = report_html(posterior, command).encode()
    with whole_file(path, streams=True) as file:
        file.write(content)
