"""`slp fmt FILE...`: rewrites programs in the standard layout and keeps comments."""

from __future__ import annotations

import difflib
import sys

import click

from slp.cli.common import open_atomic, reports_errors, say, write_exactly
from slp.cli.file_arguments import file_argument
from slp.cli.options import format_option
from slp.errors import ExitCode
from slp.source import MOST_CHARACTERS, SourceFile
from slp.syntax import format_program, parse_program


@click.command(name="fmt")
@file_argument("files", nargs=-1, required=True)
@click.option("--check", is_flag=True, help="Change nothing; exit 1 if a file would change.")
@click.option("--diff", is_flag=True, help="Change nothing; print what would change.")
@format_option
@reports_errors
def fmt_command(files: tuple[str, ...], check: bool, diff: bool) -> None:
    """Rewrite FILES in the standard layout. `-` reads standard input and writes standard output."""
    changed = False
    for name in files:
        source = (
            SourceFile("<stdin>", sys.stdin.read(MOST_CHARACTERS + 1))
            if name == "-"
            else SourceFile.read(name)
        )
        text = format_program(parse_program(source))
        changed |= text != source.text
        if diff:
            before, after = source.text.splitlines(True), text.splitlines(True)
            names = source.name, f"{source.name} (formatted)"
            write_exactly("".join(difflib.unified_diff(before, after, *names)))
        elif check:
            if text != source.text:
                say(f"{source.name} would change")
        elif name == "-":
            write_exactly(text)
        elif text != source.text:
            with open_atomic(name) as stream:
                stream.write(text)
            say(f"{name} formatted")
    if (check or diff) and changed:
        raise SystemExit(int(ExitCode.FAULT))
