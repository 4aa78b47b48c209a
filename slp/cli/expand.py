"""`slp expand FILE [DATA]`: prints tree rules as ordinary clauses."""

from __future__ import annotations

import click

from slp.cli.common import write_exactly
from slp.cli.file_arguments import file_argument
from slp.cli.options import NamedProgram, program_options, response_option
from slp.data import read_columns


@click.command(name="expand")
@file_argument("prior", metavar="FILE")
@file_argument("data", required=False)
@response_option
@program_options
def expand_command(
    prior: NamedProgram,
    data: str | None,
    response: str | None,
) -> None:
    """Print tree rules as ordinary clauses.

    Each clause has the box and the tree as extra arguments. With DATA the printed program contains
    the table and can be queried: the answers of `prior(Tree)` are the trees on it.
    """
    program = prior.load()
    write_exactly(program.expand(None if data is None else read_columns(data), response))
