"""`slp plot KIND PRIOR DATA`, `slp plot KIND RUN`: pictures in files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

import slp
from slp.cli.common import check_output, exit_if_interrupted, open_atomic, progress_line, say
from slp.cli.numbers import WholeNumber
from slp.cli.options import (
    NamedProgram,
    comparison_options,
    draws_option,
    programs_options,
    read_table,
    response_option,
    until_deadline,
)
from slp.cli.partial_results import asked, known_is_told
from slp.data import table_of
from slp.late import optional_module
from slp.leaves import label_text
from slp.messages.names import name_help

_FORMATS = (".svg", ".png", ".pdf")
#: Options that a saved run takes: those of the picture, and limits of exact sums.
_LIMITS = ("memory", "time", "threads")
#: Options that the prior takes beside a sampler's posterior, and its least number of draws.
_OF_PRIOR = (*_LIMITS, "seed", "allow_code")
_LEAST_DRAWN = 2000


@dataclass(frozen=True)
class _Asked:
    """What was asked of a picture: the prior of a posterior (None where it has none), the table's
    file (None: a saved run), the picture's options, and the limits of time and memory."""

    prior_of: Callable[[slp.Posterior], slp.Posterior | None]
    data: str | None
    features: tuple[str, ...]
    label: str | None
    best: int
    quantity: str
    new: str | None
    limits: Mapping[str, Any]

    def rows(self) -> Any:
        """The rows of `--new`, None without."""
        return None if self.new is None else self.read(self.new)

    def read(self, file: str) -> Any:
        """The table in a file."""
        return read_table(file, self.limits)


@dataclass(frozen=True)
class _Kind:
    """A picture: what draws it, what it shows, and which of the options that not all take it
    takes."""

    draw: Callable[[Any, slp.Posterior, _Asked], Any]
    words: str
    options: tuple[str, ...] = ()


def _calibration(plot: Any, posterior: slp.Posterior, asked: _Asked) -> Any:
    rows = asked.new or asked.data
    if rows is None:
        raise click.UsageError("a saved run has no outcomes: give rows with them by --new FILE")
    note = "those of --new" if asked.new else "the given rows, so better than on others"
    return plot.calibration(posterior, asked.read(rows), note=note)


def _heat_map(plot: Any, posterior: slp.Posterior, asked: _Asked) -> Any:
    if len(asked.features) > 2:
        raise click.UsageError("a heat map has two features")
    names = dict(zip("xy", asked.features, strict=False))
    return plot.heat_map(posterior, **names, label=asked.label, X=asked.rows())


def _dependence(plot: Any, posterior: slp.Posterior, asked: _Asked) -> Any:
    if len(asked.features) > 1:
        raise click.UsageError("partial dependence is drawn on one feature")
    return plot.dependence(posterior, *asked.features, label=asked.label, X=asked.rows())


def _predictive_check(plot: Any, posterior: slp.Posterior, asked: _Asked) -> Any:
    rows = asked.new or asked.data
    X = None if rows is None else asked.read(rows)
    return plot.predictive_check(posterior, asked.prior_of(posterior), X)


def _survival(plot: Any, posterior: slp.Posterior, asked: _Asked) -> Any:
    if len(asked.features) > 1:
        raise click.UsageError("survival is grouped by one feature")
    if asked.new is not None and asked.features:
        raise click.UsageError("--new FILE has rows with a curve each: it takes no --feature")
    X = None if asked.data is None else asked.read(asked.data)
    return plot.survival(posterior, asked.rows(), by=next(iter(asked.features), None), X=X)


_KINDS: Mapping[str, _Kind] = {
    "tree": _Kind(
        lambda plot, p, _: plot.tree(p.map_tree(), boxes=p.record.boxes),
        "the most probable tree",
    ),
    "best-trees": _Kind(
        lambda plot, p, a: plot.best_trees(p, a.best), "the K best trees", ("best",)
    ),
    "leaves": _Kind(
        lambda plot, p, a: plot.leaves(p, a.prior_of(p)), "number of leaves, prior and posterior"
    ),
    "depth": _Kind(lambda plot, p, a: plot.depth(p, a.prior_of(p)), "depth, prior and posterior"),
    "features": _Kind(lambda plot, p, _: plot.features(p), "features used, prior and posterior"),
    "thresholds": _Kind(
        lambda plot, p, a: plot.thresholds(p, a.features),
        "where trees split, by feature",
        ("features",),
    ),
    "heat-map": _Kind(_heat_map, "prediction over two features", ("features", "label", "new")),
    "dependence": _Kind(
        _dependence, "partial dependence on a feature", ("features", "label", "new")
    ),
    "calibration": _Kind(_calibration, "predictions beside outcomes", ("new",)),
    "predictive-check": _Kind(
        _predictive_check, "outcomes beside drawn ones, prior and posterior", ("new",)
    ),
    "survival": _Kind(_survival, "survival curves, of rows or the average", ("features", "new")),
    "traces": _Kind(
        lambda plot, p, a: plot.traces(p, a.quantity), "chains of draws", ("quantity",)
    ),
    "ranks": _Kind(
        lambda plot, p, a: plot.ranks(p, a.quantity), "ranks of draws by chain", ("quantity",)
    ),
    "swaps": _Kind(lambda plot, p, _: plot.swaps(p), "swaps between rungs of chains"),
    "round-trips": _Kind(lambda plot, p, _: plot.round_trips(p), "round trips of ladders"),
    "evidence": _Kind(lambda *_: None, "log evidence of several PRIORs"),
}
#: The options that only some pictures take, by their names in Python.
_SOME = {option for kind in _KINDS.values() for option in kind.options}
_LISTED = "\n".join(f"  {name:<16} {kind.words}" for name, kind in _KINDS.items())

_HELP = f"""Draw a picture of trees, posterior or sampler.

Draws the picture KIND of the posterior under PRIOR given DATA into FILE, as SVG, PNG or PDF by its
ending. In place of PRIOR and DATA there may be one saved run: `slp plot tree run.slpz -o tree.svg`.
It needs matplotlib.

\b
KIND is one of
{_LISTED}
"""


def _known_kind(_context: click.Context, _parameter: click.Parameter, kind: str) -> str:
    if kind not in _KINDS:
        help = name_help(kind, _KINDS, "picture")
        raise click.BadParameter(f"there is no picture `{kind}`: {help}")
    return kind


@click.command(name="plot", help=_HELP)
@click.argument("kind", metavar="KIND", callback=_known_kind)
@click.argument("priors", metavar="PRIOR", nargs=-1)
@click.argument("data", metavar="DATA")
@response_option
@click.option("-o", "--output", metavar="FILE", required=True, help="Write to FILE.")
@click.option(
    "--feature",
    "features",
    multiple=True,
    metavar="NAME",
    help="Feature of thresholds, heat-map (give two) and dependence; repeatable (default: the most "
    "used). Of survival, whose groups have curves (default: none).",
)
@click.option(
    "--class",
    "label",
    metavar="LABEL",
    help="Class whose probability heat-map and dependence draw.",
)
@click.option(
    "--best",
    type=WholeNumber(min=1),
    default=3,
    show_default=True,
    metavar="K",
    help="Number of best-trees.",
)
@click.option(
    "--quantity",
    default="log_posterior",
    show_default=True,
    metavar="NAME",
    help="Quantity of traces and ranks: log_posterior, log_likelihood, leaves or depth.",
)
@click.option(
    "--new",
    metavar="FILE",
    help="Rows of heat-map and dependence, rows with outcomes of calibration and predictive-check "
    "(default: DATA). At most seven rows whose curves survival draws (default: the average).",
)
@draws_option("Number of draws, also those of bands and thresholds where sums are exact.")
@comparison_options
@programs_options
def plot_command(
    kind: str,
    priors: Mapping[str, NamedProgram],
    data: str,
    response: str | None,
    output: str,
    draws: int,
    inference: dict[str, Any],
    **picture: Any,
) -> None:
    saved = _check_usage(kind, len(priors), data, output)
    inference = until_deadline(inference)
    check_output(output)
    plot = optional_module("plot")
    file_format = Path(output).suffix.lower()[1:]
    programs = {name: prior.load() for name, prior in priors.items()}
    options = {**inference, "draws": draws}
    if kind == "evidence":
        frame = read_table(data, inference)
        with progress_line() as progress:
            found = slp.compare(programs, frame, response, folds=0, progress=progress, **options)
        _write(output, plot.picture_bytes(lambda: plot.evidence(found), file_format))
        return
    if saved:
        limits = {name: inference.get(name) for name in _LIMITS}
        posterior = slp.load_posterior(data, **limits)
        words = posterior.record.describe
    else:
        (program,) = programs.values()
        frame, words = read_table(data, inference), program.describe
        _check_names(program, frame, response, picture["features"], picture["label"])
        if kind in ("tree", "best-trees") and inference["engine"] == "auto":
            options["engine"] = "best"

    def prior_of(posterior: slp.Posterior) -> slp.Posterior | None:
        if posterior.trust.kind == "exact":
            return posterior.prior()
        if saved:
            return None
        # `auto` draws from the prior directly, where this engine would run its chains again.
        limits = {name: inference[name] for name in _OF_PRIOR if name in inference}
        return program.prior(frame, response, draws=max(draws, _LEAST_DRAWN), **limits)

    wanted = _Asked(prior_of, None if saved else data, limits=inference, **picture)

    def drawn(posterior: slp.Posterior) -> bytes:
        made: bytes = plot.picture_bytes(
            lambda: _KINDS[kind].draw(plot, posterior, wanted), file_format
        )
        return made

    with known_is_told(words, err=True), progress_line() as progress:
        if not saved:
            posterior = program.posterior(frame, response, progress=progress, **options)
        posterior, picture_of = asked(posterior, drawn)
    _write(output, picture_of)
    exit_if_interrupted(posterior)


def _check_names(
    program: slp.Program,
    frame: Any,
    response: str | None,
    features: tuple[str, ...],
    label: str | None,
) -> None:
    """Check before the run that the table has the features and the class of a picture.

    Raises
    ------
    UsageError
        E572: it lacks one.
    click.UsageError
        A class of a numeric response.
    """
    if not features and label is None:
        return
    table, place_of = table_of(program.ir, frame, response), optional_module("plot.canvas").place_of
    for name in features:
        place_of(name, table.feature_names, "feature")
    if label is not None:
        if not table.leaf.classes:
            raise click.UsageError(f"--class: the response `{table.response}` is numeric")
        place_of(label, [label_text(c) for c in table.leaf.classes], "class")


def _write(output: str, picture: bytes) -> None:
    with open_atomic(output) as stream:
        stream.buffer.write(picture)
    say(f"{output} written", err=True)


def _check_usage(kind: str, priors: int, data: str, output: str) -> bool:
    """Whether DATA is a saved run.

    Raises
    ------
    click.UsageError
        Arguments or options that the picture does not take.
    """
    saved = data.endswith(".slpz")
    if Path(output).suffix.lower() not in _FORMATS:
        raise click.UsageError(f"FILE ends in {', '.join(_FORMATS)}: {output}")
    if kind == "evidence" and (saved or priors == 0):
        raise click.UsageError("evidence takes PRIOR... DATA, one program or more and a table")
    if kind != "evidence" and priors != (0 if saved else 1):
        raise click.UsageError(f"give {kind} PRIOR DATA, or a saved run: {kind} RUN.slpz")
    context = click.get_current_context()
    for parameter in context.command.params:
        name = str(parameter.name)
        if context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue
        if name in _SOME and name not in _KINDS[kind].options:
            raise click.UsageError(f"a picture of {kind} takes no {parameter.opts[-1]}")
        if saved and not (
            isinstance(parameter, click.Argument)
            or name in _SOME
            or name in (*_LIMITS, "output", "message_format")
        ):
            raise click.UsageError(f"a saved run takes no {parameter.opts[-1]}")
    return saved
