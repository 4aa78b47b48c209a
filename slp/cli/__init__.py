"""The commands: `slp` with its subcommands, and `slp-sample`. One file per command."""

from __future__ import annotations

# This import is first, because `--time` includes the time of all other imports.
from slp.cli.start_time import BEGAN

# isort: split
import gc
import sys

import click

import slp
from slp.cli.common import run, say
from slp.late import late_import
from slp.messages.entry import DID_YOU_MEAN
from slp.messages.names import nearest

__all__ = ["main", "sample_main", "slp_command"]

_NAMES = (
    "certify",
    "check",
    "compare",
    "cv",
    "demo",
    "engines",
    "expand",
    "explain",
    "fmt",
    "learn",
    "lsp",
    "map",
    "new",
    "plot",
    "predict",
    "price",
    "prior",
    "query",
    "report",
    "sample",
    "sensitivity",
    "show",
    "tune",
)


class _Commands(click.Group):
    """Subcommands. NAME is `slp.cli.NAME.NAME_command`, imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_NAMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _NAMES:
            return _command(cmd_name)
        near = nearest(cmd_name, _NAMES)
        if near is not None:
            ctx.fail(f"there is no command `{cmd_name}`: {DID_YOU_MEAN.format(nearest=near)}")
        return None


def _command(name: str) -> click.Command:
    # Imports make many objects and drop few. Garbage collection would take a tenth of a short run.
    gc.disable()
    try:
        command = getattr(late_import(f"slp.cli.{name}"), f"{name}_command")
    finally:
        gc.enable()
    assert isinstance(command, click.Command)
    return command


#: What `slp` alone prints.
_FIRST_LINES = (
    "slp demo                      a first example: a program, a table, and what follows",
    "slp new DATA -o prior.slp     write a first program for your own table",
    "slp --help                    all commands",
)


@click.group(
    name="slp",
    cls=_Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(slp.__version__, prog_name="slp")
@click.pass_context
def slp_command(context: click.Context) -> None:
    """Priors over decision trees as stochastic logic programs.

    PRIOR is a .slp file, or the name of a library prior (growtree, denison, ...). DATA is a table:
    CSV, CSV.gz, TSV or Parquet.
    """
    if context.invoked_subcommand is None:
        say(*_FIRST_LINES)


def main() -> None:
    """The command `slp`. Its entry point is `slp_commands.main`."""
    sys.exit(run(slp_command, began=BEGAN))


def sample_main() -> None:
    """The command `slp-sample`, the same as `slp sample`."""
    sys.exit(run(_command("sample"), began=BEGAN))
