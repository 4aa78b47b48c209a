"""Arguments and options that commands share, as decorators."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, dataclass, fields
from typing import Any, TypeVar, cast

import click

import slp
from slp.budgets import Deadline, held
from slp.cli.common import reports_errors
from slp.cli.file_arguments import file_argument
from slp.cli.numbers import RealNumber, WholeNumber
from slp.cluster import on_scheduler
from slp.data import read_columns
from slp.engines import ENGINES, DrawingOptions, ProofChainOptions, all_options

_Command = TypeVar("_Command", bound=Callable[..., Any])

_Option = Callable[[Any], Any]


def _parse_parameters(
    _context: click.Context, _option: click.Parameter, values: tuple[str, ...]
) -> dict[str, float]:
    out: dict[str, float] = {}
    for value in values:
        name, equals, number = value.partition("=")
        try:
            out[name.strip()] = float(number)
        except ValueError:
            equals = ""
        if name.strip() == "include":
            raise click.BadParameter("`include` is no parameter; name folders by --include")
        if not equals or not name.strip():
            raise click.BadParameter(f"{value!r} is not NAME=NUMBER, such as alpha=0.9")
    return out


program_argument = file_argument("prior", metavar="PRIOR")
data_argument = file_argument("data", metavar="DATA")
param_option = click.option(
    "--param",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_parse_parameters,
    help="Set a parameter of the program; repeatable.",
)
include_option = click.option(
    "--include",
    multiple=True,
    type=click.Path(exists=True, file_okay=False),
    metavar="DIR",
    help="Also let the program use files in and below this folder; repeatable.",
)
response_option = click.option(
    "-y",
    "--response",
    metavar="COLUMN",
    help="Response column (default: as declared, else the last).",
)
format_option = click.option(
    "--format",
    "message_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Format of errors and warnings.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
draws_file_option = click.option(
    "-o", "--output", metavar="FILE", help="Write the draws to FILE, one JSON object per line."
)


def draws_option(help: str, default: int = 2000) -> _Option:
    """`-n`, `--draws`: the number of draws that a command makes or prints."""
    number = WholeNumber(min=0)
    return click.option("-n", "--draws", type=number, default=default, show_default=True, help=help)


def folds_option(least: int, default: int, help: str) -> _Option:
    """`--folds`: the number of folds of cross-validation."""
    number = WholeNumber(min=least)
    return click.option(
        "--folds", type=number, default=default, show_default=True, metavar="K", help=help
    )


memory_option = click.option(
    "--memory",
    metavar="SIZE",
    help="Memory budget, such as 4GiB (default: half of the free memory).",
)
time_option = click.option(
    "--time",
    metavar="TIME",
    help="Limit of the total time, such as 90s, 5m or 2h (default: no limit).",
)
proof_time_option = click.option(
    "--time",
    metavar="TIME",
    default="60s",
    show_default=True,
    help="Limit of the total time, such as 90s, 5m or 2h. What is known then is printed.",
)
threads_option = click.option(
    "--jobs",
    "threads",
    type=WholeNumber(min=1),
    metavar="N",
    help="Number of threads (default: one for each core). No result depends on it.",
)
seed_option = click.option("--seed", type=WholeNumber(min=0), help="Seed of the draws.")

# By their names in Python, in the order of `--help`.
_ENGINE: dict[str, _Option] = {
    "engine": click.option(
        "--engine",
        default="auto",
        show_default=True,
        metavar="NAME",
        help=f"auto, {', '.join(ENGINES)}. auto selects exact or mh for the program and the "
        "table, and says which. `slp engines` describes each.",
    ),
    "memory": memory_option,
    "time": time_option,
    "threads": threads_option,
    "scheduler": click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="Run chains, islands and folds on the Dask cluster at this address, such as "
        "tcp://10.0.0.7:8786. On processors of one kind no result depends on it.",
    ),
    "seed": seed_option,
    "allow_code": click.option(
        "--allow-code", is_flag=True, help="Allow the code of predicates that PRIOR names."
    ),
}


def _flag(field: Field[Any]) -> _Option:
    """The command-line option for a field of an engine's options."""
    said, default = dict(field.metadata), field.default
    name = f"--{field.name.replace('_', '-')}"
    help = f"{said['doc'][0].upper()}{said['doc'][1:]}."
    if default is False:
        return click.option(name, is_flag=True, help=help)
    least = said["least"]
    number = RealNumber if isinstance(least, float) else WholeNumber
    kind = None if least is None else number(min=least)
    metavar = said["metavar"]
    return click.option(
        name, default=default, show_default=True, type=kind, metavar=metavar, help=help
    )


def _flags(options: Iterable[Field[Any]]) -> dict[str, _Option]:
    return {field.name: _flag(field) for field in options}


def deadline_of(time: str | None) -> Deadline:
    """The deadline of this command: its time runs from the start of the process.

    Raises
    ------
    UsageError
        E542: it is no length of time.
    """
    return Deadline.of(time, click.get_current_context().obj)


def until_deadline(inference: dict[str, Any]) -> dict[str, Any]:
    """The options with `time` replaced by a deadline, and without `scheduler`, whose cluster is
    used until the command ends. The time runs from the start of the command and includes imports,
    reading and summaries.

    Raises
    ------
    UsageError
        E542: it is no length of time; E580, E581: the cluster.
    """
    context = click.get_current_context()
    own = {name: value for name, value in inference.items() if name != "scheduler"}
    context.with_resource(on_scheduler(inference.get("scheduler")))
    return {**own, "time": deadline_of(inference.get("time"))}


@dataclass(frozen=True)
class NamedProgram:
    """The program that a command line names, with the values of `--param` and `--include`."""

    name: str
    parameters: Mapping[str, float]
    include: tuple[str, ...]

    def load(self) -> slp.Program:
        """Read and check the program; raises as `slp.load` does."""
        return slp.load(self.name, include=self.include, **self.parameters)


def program_options(command: _Command) -> _Command:
    """Adds `--param`, `--include` and `--format`, and reports errors (`reports_errors`). The
    command gets a `NamedProgram` in the argument `prior`."""
    reported = reports_errors(command)

    @functools.wraps(command)
    def named(
        prior: str, parameters: dict[str, float], include: tuple[str, ...], **others: Any
    ) -> Any:
        return reported(prior=NamedProgram(prior, parameters, include), **others)

    return cast(_Command, param_option(include_option(format_option(named))))


def programs_options(command: _Command) -> _Command:
    """As `program_options`, for commands of several programs: the command gets them in the argument
    `priors`, by their names; the second of a name is `NAME (2)`."""
    reported = reports_errors(command)

    @functools.wraps(command)
    def named(
        priors: tuple[str, ...],
        parameters: dict[str, float],
        include: tuple[str, ...],
        **others: Any,
    ) -> Any:
        programs: dict[str, NamedProgram] = {}
        for prior in priors:
            number = sum(program.name == prior for program in programs.values()) + 1
            name = prior if number == 1 else f"{prior} ({number})"
            programs[name] = NamedProgram(prior, parameters, include)
        return reported(priors=programs, **others)

    return cast(_Command, param_option(include_option(format_option(named))))


def read_table(data: str, limits: Mapping[str, Any], *, rows: bool = True) -> Any:
    """The table in a file, read within `memory` and `time` of a command's limits (see
    `until_deadline`). With `rows` False it may have no rows.

    Raises
    ------
    DataError
        The file has a fault.
    BudgetError
        E501, E540: a limit.
    """
    with held(limits["time"]):
        return read_columns(data, rows=rows, memory=limits.get("memory"))


def inference_options(command: _Command) -> _Command:
    """Adds the options of `slp.Program.posterior` that control the computation. The command gets
    them in the argument `inference`."""
    return _gathering(command, "inference", _ENGINE | _flags(all_options().values()))


def comparison_options(command: _Command) -> _Command:
    """As `inference_options`, without checkpoints: a comparison makes many runs."""
    of_one_run = {field.name for field in fields(DrawingOptions)}
    own = [field for field in all_options().values() if field.name not in of_one_run]
    return _gathering(command, "inference", _ENGINE | _flags(own))


def chain_options(command: _Command) -> _Command:
    """Adds the options of chains over proofs except the proposal. The command gets them in the
    argument `sampling`."""
    own = [field for field in fields(ProofChainOptions) if field.name != "proposal"]
    return _gathering(command, "sampling", _flags(own))


def _gathering(command: _Command, together: str, options: Mapping[str, _Option]) -> _Command:
    @functools.wraps(command)
    def gathered(*args: Any, **kwargs: Any) -> Any:
        told = {name: kwargs.pop(name) for name in options}
        given = {name: value for name, value in told.items() if value is not None}
        return command(*args, **{together: given}, **kwargs)

    wrapped: Any = gathered
    for option in reversed(list(options.values())):
        wrapped = option(wrapped)
    return cast(_Command, wrapped)
