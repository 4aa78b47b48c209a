"""The commands: `slp` with its subcommands, and `slp-sample`. One file per command."""

from __future__ import annotations

import sys

import click

import slp
from slp.cli.check import check_command
from slp.cli.common import run
from slp.cli.expand import expand_command
from slp.cli.explain import explain_command
from slp.cli.fmt import fmt_command
from slp.cli.learn import learn_command
from slp.cli.map import map_command
from slp.cli.predict import predict_command
from slp.cli.prior import prior_command
from slp.cli.query import query_command
from slp.cli.sample import sample_command

__all__ = ["main", "sample_main", "slp_command"]


@click.group(name="slp", context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(slp.__version__, prog_name="slp")
def slp_command() -> None:
    """Priors over decision trees as stochastic logic programs.

    PRIOR is a .slp file, or the name of a prior of the library (growtree, denison, ...). DATA is a
    table: CSV, CSV.gz or Parquet.
    """


for _command in (
    check_command,
    expand_command,
    explain_command,
    fmt_command,
    learn_command,
    map_command,
    predict_command,
    prior_command,
    query_command,
    sample_command,
):
    slp_command.add_command(_command)


def main() -> None:
    """Entry point of `slp`."""
    sys.exit(run(slp_command))


def sample_main() -> None:
    """Entry point of `slp-sample`, the same as `slp sample`."""
    sys.exit(run(sample_command))
