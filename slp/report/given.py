"""What was given: the program, the data, the engine, and how to run it again."""

from __future__ import annotations

import platform
from dataclasses import fields

import numpy as np

from slp.engines import engine_named
from slp.kernels import backend
from slp.messages.numbers import settings_text
from slp.report.answer import classes_text
from slp.report.html import Content, Html, details, facts, joined, listing, preformatted, table, tag
from slp.results import Posterior
from slp.version import __version__

_SHOWN_LEVELS = 8
_SHOWN_FEATURES = 200


def program(posterior: Posterior) -> Html:
    """The program in words, and its text."""
    record = posterior.record
    fine = [line for line in record.fine_print if line not in record.words]
    parts: list[Content] = [listing(record.words)]
    if fine:
        parts.append(details("The fine print", listing(fine)))
    for used in record.files:
        name = used.file.name
        parts.append(details(f"Text of {name}", preformatted(used.file.text, f"text of {name}")))
    return joined(parts)


def data(posterior: Posterior) -> Html:
    """The table: rows, response, features, and what was noted."""
    given = posterior.table
    told: list[tuple[Content, Content]] = [
        ("rows", f"{given.n_rows:,}"),
        ("response", given.response),
        ("its values", classes_text(posterior)),
    ]
    rows = [(f.name, *f.kind.description) for f in given.features[:_SHOWN_FEATURES]]
    more = len(given.features) - len(rows)
    parts: list[Content] = [facts(told)]
    parts.append(table("Features of the table", ("feature", "type", "values"), rows))
    if more:
        parts.append(tag("p", f"{more} more features are not listed."))
    parts.append(details("What was noted on reading", listing(given.notes)))
    if given.warnings:
        parts += [tag("h3", "Warnings"), listing(f"{w.code}: {w.message}" for w in given.warnings)]
    return joined(parts)


def engine(posterior: Posterior) -> Html:
    """Which engine made the numbers, and why this one."""
    told: list[tuple[Content, Content]] = [
        ("engine", posterior.engine),
        ("why", posterior.reason),
    ]
    size = posterior.choice.size
    if size is not None:
        told.append(("size of exact sums, estimated", str(size)))
    fits = [str(fit) for fit in posterior.choice.would_fit]
    if posterior.choice.too_large and fits:
        told.append(("what would make them fit", listing(fits)))
    return facts(told)


def again(posterior: Posterior, command: str | None) -> Html:
    """Versions, seed, and the command or the lines of Python."""
    record = posterior.record
    parameters = settings_text(record.parameters)
    # A command gives the options of all engines.
    taken = {field.name for field in fields(engine_named(posterior.engine).Options)}
    own = {name: value for name, value in record.options.items() if name in taken}
    options = ", ".join(f"{name} = {value}" for name, value in own.items())
    read = "what was read" if posterior.stacked is None else "the rows that members saw"
    told: list[tuple[Content, Content]] = [
        ("seed", "none: nothing was drawn" if posterior.seed is None else str(posterior.seed)),
        ("parameters", parameters or "none"),
        ("draws asked for", f"{record.draws}"),
        ("options of the engine", options or "none given"),
        ("the table", Html(f"SHA-256 of {read} <code>{posterior.table.digest}</code>")),
        ("slp", f"{__version__}, {backend()} kernels"),
        ("Python", f"{platform.python_version()}, NumPy {np.__version__}"),
        ("machine", f"{platform.system()} {platform.machine()}"),
    ]
    if posterior.choice.by_clock or posterior.out_of_time:
        told.append(("note", "A limit of time shaped this answer, so another run may differ."))
    name = record.files[0].file.name if record.files else "prior.slp"
    lines = command or (
        f"program = slp.load({name!r})\n"
        f"posterior = program.posterior(X, y, engine={posterior.engine!r}, seed={posterior.seed},"
        f" draws={record.draws})\n"
        "posterior.report('report.html')"
    )
    return joined([preformatted(lines, "the command"), facts(told)])
