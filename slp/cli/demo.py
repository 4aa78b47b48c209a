"""`slp demo`: runs a first example, which comes with slp."""

from __future__ import annotations

import contextlib
from pathlib import Path

import click

from slp.cli.common import open_atomic, reports_errors, say, write_exactly
from slp.cli.options import format_option
from slp.cli.sample import sample_command
from slp.errors import UsageError
from slp.messages.commands import FILE_IS_THERE
from slp.resources import demo_folder

_PROGRAM, _TABLE = "infant.slp", "patients.csv"
_COMMAND = (_PROGRAM, _TABLE, "--seed", "1")


@click.command(name="demo")
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    help="Write the program and its table into this folder, to change them.",
)
@format_option
@reports_errors
def demo_command(output: str | None) -> None:
    """Run a first example.

    Prints a program on twelve patients, and the summary of its posterior that `slp-sample` prints.
    """
    folder = demo_folder()
    files = {name: (folder / name).read_text("utf-8") for name in (_PROGRAM, _TABLE)}
    if output is not None:
        _write(files, Path(output))
    say(f"{_PROGRAM}, on twelve patients in {_TABLE}:", "")
    write_exactly(files[_PROGRAM])
    say("", f"$ slp-sample {' '.join(_COMMAND)}")
    with contextlib.chdir(folder):
        sample_command.main(
            list(_COMMAND), standalone_mode=False, obj=click.get_current_context().obj
        )
    if output is None:
        say("", "next: slp demo -o .   writes the two files here, to change them")


def _write(files: dict[str, str], folder: Path) -> None:
    """Write new files.

    Raises
    ------
    UsageError
        E702: one is there already.
    """
    for name in files:
        if (folder / name).exists():
            raise UsageError(FILE_IS_THERE(path=folder / name))
    for name, text in files.items():
        with open_atomic(folder / name) as stream:
            stream.write(text)
    say(f"{' and '.join(files)} written", "")
