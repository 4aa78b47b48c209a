"""`slp lsp`: the language server, which editors start."""

from __future__ import annotations

import click

from slp.cli.common import reports_errors
from slp.cli.options import format_option
from slp.late import optional_module


@click.command(name="lsp")
@format_option
@reports_errors
def lsp_command() -> None:
    """Help an editor with programs while they are written.

    Speaks the Language Server Protocol on standard input and output: findings, explanations,
    completions. An editor starts it; docs/editors.md has the lines for each.
    """
    optional_module("lsp").serve()
