"""What all commands share: reports of errors, progress, atomic writing of files."""

from __future__ import annotations

import errno
import functools
import io
import json
import math
import os
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TextIO

import click

import slp
from slp.budgets import memory_errors
from slp.cli.colours import coloured_line, coloured_message, wants_colour
from slp.errors import BudgetError, Diagnostic, ExitCode, SlpError, SlpWarning
from slp.folders import check_regular
from slp.program import CLEAR_LINE, Progress, obeys_controls, shown_progress
from slp.source import draw_diagnostic, visible, visible_lines
from slp.whole_files import cannot_write, whole_file

#: Exit code of a command that was stopped from the keyboard.
INTERRUPTED = 130


# --- what is printed -----------------------------------------------------------------------------


def say(*lines: str, err: bool = False) -> None:
    """Print lines for a person, with `err` on standard error. Unprintable characters and line ends
    in a line become escapes."""
    coloured = wants_colour(sys.stderr if err else sys.stdout)
    for line in lines:
        shown = visible(line)
        click.echo(coloured_line(shown) if coloured else shown, err=err, color=True)


def say_text(text: str) -> None:
    """Print text of several lines for a person, with unprintable characters as escapes."""
    click.echo(visible_lines(text))


def write_exactly(text: str) -> None:
    """Print output for other programs (JSON, tables, programs) exactly. A terminal would obey its
    control characters, so it gets escapes."""
    sys.stdout.write(visible_lines(text) if sys.stdout.isatty() else text)


# --- errors and warnings -------------------------------------------------------------------------


def write_diagnostics(
    found: list[Diagnostic], message_format: str, stream: IO[str], **facts: object
) -> None:
    """Write diagnostics as text, or as one JSON object that also contains `facts`."""
    if message_format == "json":
        json.dump({"diagnostics": [d.to_dict() for d in found], **facts}, stream)
        stream.write("\n")
    else:
        coloured = wants_colour(stream)
        for d in found:
            drawn = draw_diagnostic(d)
            stream.write((coloured_message(drawn) if coloured else drawn) + "\n")


def reports_errors(command: Callable[..., Any]) -> Callable[..., Any]:
    """Turn an `SlpError` into diagnostics on standard error and an exit code, and warnings into
    diagnostics.

    The wrapper takes `message_format`, from `slp.cli.options.format_option`, and does not pass it
    on.
    """

    @functools.wraps(command)
    def wrapped(*args: Any, message_format: str, **kwargs: Any) -> None:
        try:
            with warnings.catch_warnings(), memory_errors():
                warnings.simplefilter("always", SlpWarning)
                warnings.showwarning = _shown_as(message_format, warnings.showwarning)
                command(*args, **kwargs)
        except SlpError as error:
            facts: dict[str, object] = {}
            if isinstance(error, BudgetError) and error.log_evidence_bounds is not None:
                facts["log_evidence_bounds"] = [
                    x if math.isfinite(x) else None for x in error.log_evidence_bounds
                ]
            write_diagnostics(list(error.diagnostics), message_format, sys.stderr, **facts)
            raise SystemExit(int(error.exit_code)) from None
        except BrokenPipeError:  # click would report an error
            _abandon_stdout()
            raise SystemExit(int(ExitCode.OK)) from None

    return wrapped


def _shown_as(message_format: str, others: Callable[..., None]) -> Callable[..., None]:
    """The replacement of `warnings.showwarning`: it shows each warning of slp once, as a
    diagnostic, and passes other warnings to `others`."""
    shown: set[Diagnostic] = set()

    def show(message: Warning | str, *place: Any, **where: Any) -> None:
        if not isinstance(message, SlpWarning):
            others(message, *place, **where)
            return
        if message.diagnostic in shown:
            return
        shown.add(message.diagnostic)
        if obeys_controls(sys.stderr):
            sys.stderr.write(CLEAR_LINE)  # erases the progress line
        write_diagnostics([message.diagnostic], message_format, sys.stderr)
        sys.stderr.flush()

    return show


def run(
    command: click.Command, arguments: list[str] | None = None, began: float | None = None
) -> int:
    """Run a command and return its exit code. Only a bug in slp shows a traceback.

    `began` is the time at which the command began (`time.monotonic`; None: now). The command finds
    it as `obj` of its context.
    """
    _open_closed_streams()
    began = time.monotonic() if began is None else began
    try:
        result = command.main(args=arguments, standalone_mode=False, obj=began)
        sys.stdout.flush()
        return result if isinstance(result, int) else int(ExitCode.OK)
    except SystemExit as e:  # `reports_errors` and failed checks end a command in this way
        return int(e.code or 0)
    except click.exceptions.Exit as e:
        return e.exit_code
    except click.ClickException as e:
        words = io.StringIO()
        e.show(words)  # the text quotes the user's input
        sys.stderr.write(visible_lines(words.getvalue()))
        return int(ExitCode.USAGE)
    except (click.Abort, KeyboardInterrupt):
        return stopped()
    except BrokenPipeError:
        # The reader of the output has closed the pipe (`| head`). That is no error.
        _abandon_stdout()
        return int(ExitCode.OK)
    except OSError as e:
        if e.errno not in (errno.ENOSPC, errno.EDQUOT):
            return _bug()
        _abandon_stdout()
        sys.stderr.write(f"cannot write standard output: {e.strerror}\n")
        return int(ExitCode.USAGE)
    except Exception:
        return _bug()


def _open_closed_streams() -> None:
    """Open the null device for each standard stream that is closed (`>&-`). Otherwise the next
    opened file would get the stream's number, and the output."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))


def stopped() -> int:
    """Say that Ctrl-C ended the command, and give its exit code."""
    sys.stderr.write("stopped\n")
    return INTERRUPTED


@contextmanager
def reader_may_leave(output: str | None) -> Iterator[None]:
    """Surrounds printing that comes before the file `output` is written. If the reader closes the
    pipe (`| head`), the file is still written."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        if output is None:
            raise
        _abandon_stdout()


def _abandon_stdout() -> None:
    """Discard the output that is flushed at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _bug() -> int:
    sys.stderr.write(visible_lines(traceback.format_exc()))
    sys.stderr.write(f"\nThis is a bug in slp {slp.__version__}, please report it.\n")
    return int(ExitCode.BUG)


def exit_if_interrupted(posterior: slp.Posterior) -> None:
    """End a finished command with the exit code for an interrupt, if the run was interrupted from
    the keyboard."""
    if posterior.interrupted and not posterior.out_of_time:
        raise SystemExit(INTERRUPTED)


# --- output --------------------------------------------------------------------------------------


def check_output(path: str | None, *, streams: bool = True) -> None:
    """Raise E701 before a long run if `path` cannot be written. Without `streams` it may not be a
    device or a pipe."""
    if path is None:
        return
    if path == "-":
        raise click.UsageError("`-` names no file here: for standard output give /dev/stdout")
    where = Path(path)
    try:
        mode = where.stat().st_mode
        if not (streams or where.is_dir()):
            check_regular(mode)
    except (FileNotFoundError, NotADirectoryError):
        pass  # the file may be new; its folder is checked below
    except OSError as e:  # a name that is too long, a cycle of links, or no regular file
        raise cannot_write(where, e) from e
    fault = None
    if where.is_dir():
        fault = errno.EISDIR
    elif not where.resolve().parent.is_dir():
        fault = errno.ENOENT
    elif not os.access(where if _is_special(where) else where.resolve().parent, os.W_OK):
        fault = errno.EACCES
    if fault is not None:
        raise cannot_write(where, OSError(fault, os.strerror(fault)))


@contextmanager
def open_atomic(path: str | Path) -> Iterator[TextIO]:
    """Open a text file for writing, whole or not at all (`slp.whole_files`); bytes go to its
    `buffer`. A device or a pipe, such as /dev/stdout, is written directly.
    """
    with whole_file(path, streams=True) as file:
        stream = io.TextIOWrapper(file, encoding="utf-8", write_through=True)
        yield stream
        stream.detach()


def _is_special(path: Path) -> bool:
    return path.exists() and not path.is_file() and not path.is_dir()


@contextmanager
def progress_line() -> Iterator[Progress | None]:
    """A callback that shows progress on standard error (`slp.program.shown_progress`); None where
    that has messages as JSON for another program."""
    messages = click.get_current_context().params.get("message_format")
    with shown_progress(messages != "json" or obeys_controls(sys.stderr)) as progress:
        yield progress
