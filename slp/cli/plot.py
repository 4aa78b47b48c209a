"""`slp plot KIND PRIOR DATA`, `slp plot KIND RUN`: pictures in files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

import slp
from slp.cli.common import check_output, exit_if_interrupted, open_atomic, progress_line, say
from slp.cli.file_arguments import file_argument
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
from slp.cli.pictures import KINDS, OF_PREDICTIONS, OF_RUNS, PictureAsked
from slp.data import table_of
from slp.late import optional_module
from slp.leaves import label_text
from slp.messages.names import name_help
from slp.results import refuse_stacking

_FORMATS = (".svg", ".png", ".pdf")
#: Options that a saved run takes: those of the picture, and limits of exact sums.
_LIMITS = ("memory", "time", "threads")
#: Options that the prior takes beside a sampler's posterior, and its least number of draws.
_OF_PRIOR = (*_LIMITS, "seed", "allow_code")
_LEAST_DRAWN = 2000
#: What a picture of derivatives takes: they are exact sums, and no engine is chosen.
_OF_SUMS = ("memory", "time")
_OF_SENSITIVITY = (
    *("kind", "priors", "data", "response", "output", "parameters", "include", "message_format"),
    *_OF_SUMS,
)

#: The options that only some pictures take, by their names in Python.
_SOME = {option for kind in KINDS.values() for option in kind.options}
_LISTED = "\n".join(f"  {name:<16} {kind.words}" for name, kind in KINDS.items())

_HELP = f"""Draw a picture of trees, posterior or sampler.

Draws the picture KIND of the posterior under PRIOR given DATA into FILE, as SVG, PNG or PDF by its
ending. In place of PRIOR and DATA there may be one saved run: `slp plot tree run.slpz -o tree.svg`.
It needs matplotlib.

\b
KIND is one of
{_LISTED}
"""


def _known_kind(_context: click.Context, _parameter: click.Parameter, kind: str) -> str:
    if kind not in KINDS:
        help = name_help(kind, KINDS, "picture")
        raise click.BadParameter(f"there is no picture `{kind}`: {help}")
    return kind


@click.command(name="plot", help=_HELP)
@click.argument("kind", metavar="KIND", callback=_known_kind)
@file_argument("priors", metavar="PRIOR", nargs=-1)
@file_argument("data", metavar="DATA")
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
    if kind not in OF_PREDICTIONS:
        refuse_stacking(inference["engine"], f"the picture {kind}")
    inference = until_deadline(inference)
    check_output(output)
    plot = optional_module("plot")
    file_format = Path(output).suffix.lower()[1:]
    programs = {name: prior.load() for name, prior in priors.items()}
    options = {**inference, "draws": draws}
    if kind in OF_RUNS:
        frame = read_table(data, inference)
        drawn_of_runs = _picture_of_runs(kind, programs, frame, response, options)
        _write(output, plot.picture_bytes(lambda: drawn_of_runs(plot), file_format))
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
        if posterior.trust.summed:
            return posterior.prior()
        if saved:
            return None
        # `auto` draws from the prior directly, where this engine would run its chains again.
        limits = {name: inference[name] for name in _OF_PRIOR if name in inference}
        return program.prior(frame, response, draws=max(draws, _LEAST_DRAWN), **limits)

    wanted = PictureAsked(prior_of, None if saved else data, limits=inference, **picture)

    def drawn(posterior: slp.Posterior) -> bytes:
        made: bytes = plot.picture_bytes(
            lambda: KINDS[kind].draw(plot, posterior, wanted), file_format
        )
        return made

    with known_is_told(words, err=True), progress_line() as progress:
        if not saved:
            posterior = program.posterior(frame, response, progress=progress, **options)
        posterior, picture_of = asked(posterior, drawn)
    _write(output, picture_of)
    exit_if_interrupted(posterior)


def _picture_of_runs(
    kind: str,
    programs: Mapping[str, slp.Program],
    frame: Any,
    response: str | None,
    options: Mapping[str, Any],
) -> Callable[[Any], Any]:
    """What draws the picture, after the runs."""
    with progress_line() as progress:
        if kind == "prices":
            (program,) = programs.values()
            prices = program.price(frame, response, progress=progress, **options)
            return lambda plot: plot.prices(prices)
        if kind == "sensitivity":
            (program,) = programs.values()
            limits = {name: options[name] for name in _OF_SUMS if name in options}
            slopes = program.sensitivity(frame, response, progress=progress, **limits)
            return lambda plot: plot.sensitivity(slopes)
        found = slp.compare(programs, frame, response, folds=0, progress=progress, **options)
        return lambda plot: plot.evidence(found)


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
    if kind in ("prices", "sensitivity") and saved:
        raise click.UsageError(f"{kind} is of PRIOR DATA, a program and a table")
    if kind != "evidence" and priors != (0 if saved else 1):
        raise click.UsageError(f"give {kind} PRIOR DATA, or a saved run: {kind} RUN.slpz")
    context = click.get_current_context()
    for parameter in context.command.params:
        name = str(parameter.name)
        if context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue
        if name in _SOME and name not in KINDS[kind].options:
            raise click.UsageError(f"a picture of {kind} takes no {parameter.opts[-1]}")
        if kind == "sensitivity" and name not in _OF_SENSITIVITY:
            raise click.UsageError(f"a picture of {kind} takes no {parameter.opts[-1]}")
        if saved and not (
            isinstance(parameter, click.Argument)
            or name in _SOME
            or name in (*_LIMITS, "output", "message_format")
        ):
            raise click.UsageError(f"a saved run takes no {parameter.opts[-1]}")
    return saved
