"""Blocks of pages, run: Python code, and commands with what they print."""

from __future__ import annotations

import contextlib
import doctest
import io
import runpy
import shlex
from pathlib import Path
from typing import Any

from slp.cli import slp_command
from slp.cli.common import run
from slp.cli.sample import sample_command
from tests.docs.pages import Block


def run_python(block: Block, page: Path, names: dict[str, Any]) -> None:
    """Run a block, as a session if it has prompts; `names` are those of the page's blocks."""
    if not block.text.startswith(">>>"):
        # Empty lines in front, so that a traceback has the page's line.
        code = "\n" * (block.line - 1) + block.text
        exec(compile(code, str(page), "exec"), names)
        return
    session = doctest.DocTestParser().get_doctest(
        block.text, names, page.name, str(page), block.line - 1
    )
    report = io.StringIO()
    outcome = doctest.DocTestRunner(verbose=False).run(session, out=report.write, clear_globs=False)
    assert outcome.failed == 0, report.getvalue()
    names.update(session.globs)


def printed(command: str) -> str:
    """What a command prints, on standard output and standard error together."""
    name, *arguments = shlex.split(command)
    out = io.StringIO()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(out),
        contextlib.suppress(SystemExit),
    ):
        if name == "python":
            runpy.run_path(arguments[0], run_name="__main__")
        else:
            run({"slp": slp_command, "slp-sample": sample_command}[name], arguments)
    # The pages show what compiled kernels print; without them the engine's line says so.
    return out.getvalue().replace(", in NumPy, as the compiled kernels are missing", "")
