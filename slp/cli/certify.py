"""`slp certify TREE PRIOR [DATA]`: a certificate of what a tree keeps and breaks."""

from __future__ import annotations

from typing import Any

import click

from slp.cli.common import say, write_exactly
from slp.cli.file_arguments import file_argument
from slp.cli.json_text import write_json
from slp.cli.options import NamedProgram, program_argument, program_options, response_option
from slp.data import read_columns
from slp.trees import CHECKER, read_tree


def _print_checker(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        write_exactly(f"{CHECKER}\n")
        context.exit()


@click.command(name="certify")
@file_argument("tree", metavar="TREE")
@program_argument
@file_argument("data", required=False, metavar="[DATA]")
@response_option
@click.option(
    "--checker",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_checker,
    help="Print the path of the program that verifies certificates, and nothing else.",
)
@program_options
def certify_command(tree: str, prior: NamedProgram, data: str | None, response: str | None) -> None:
    """Print a certificate of what a tree keeps and breaks.

    TREE is a JSON file of a tree. Of each constraint and limit of PRIOR the certificate says that
    the tree keeps it, or has a counterexample. With DATA the rows of this table are counted in the
    leaves, else those that TREE has. The certificate is JSON on standard output; standard error
    has it in words. Predicates in code are not checked.
    """
    found = read_tree(tree)
    program = prior.load()
    frame = None if data is None else read_columns(data)
    certificate = found.certificate(program, frame, response)
    write_json(certificate)
    say(*map(_in_words, certificate["claims"]), err=True)


def _in_words(claim: dict[str, Any]) -> str:
    reason = f" ({claim['reason']})" if "reason" in claim else ""
    return f"{claim['claim']}: {claim['words']}{reason}"
