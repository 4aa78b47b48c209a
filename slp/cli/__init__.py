"""The commands: `slp` with its subcommands, and `slp-sample`. One file per command."""

from __future__ import annotations

import sys

import click

import slp
from slp.cli.check import check
from slp.cli.common import run
from slp.cli.expand import expand
from slp.cli.explain import explain
from slp.cli.fmt import fmt
from slp.cli.map import map_command
from slp.cli.predict import predict
from slp.cli.prior import prior
from slp.cli.sample import sample

__all__ = ["main", "sample_main", "slp_command"]


@click.group(name="slp", context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(slp.__version__, prog_name="slp")
def slp_command() -> None:
    """Priors over decision trees as stochastic logic programs.

    PRIOR is a .slp file, or the name of a prior of the library (growtree, denison, ...). DATA is a
    table: CSV, CSV.gz or Parquet.
    """


for _command in (check, expand, explain, fmt, map_command, predict, prior, sample):
    slp_command.add_command(_command)


def main() -> None:
    """Entry point of `slp`."""
    sys.exit(run(slp_command))


def sample_main() -> None:
    """Entry point of `slp-sample`, the same as `slp sample`."""
    sys.exit(run(sample))
