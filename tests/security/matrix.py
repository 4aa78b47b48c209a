"""Every escape through every command, in processes of their own:

    python -m tests.security.matrix [-o FILE] [--jobs 2]

Each process takes some of the escapes and runs all commands on all of their programs. The result
is a page of Markdown; the exit code is 1 if a canary appeared, a command ended in a bug of ours, or
a process died or took too long.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.security.escapes import COMMANDS, ESCAPES, PLACES, Command, write

#: Escapes of one process, and how long it may take.
_AT_ONCE = 8
_SECONDS = 1200
_OUTCOMES = {0: "done", 1: "refused", 2: "refused"}


@dataclass(frozen=True)
class Run:
    """What became of a command on the programs of an escape."""

    escape: str
    command: str
    place: str
    outcome: str


def run_in_this_process(number: int) -> Iterator[Run]:
    """All commands on all programs of an escape."""
    from slp.cli import slp_command  # here, as only the processes need them
    from slp.cli.common import run
    from slp.cli.sample import sample_command

    escape = ESCAPES[number]
    for place in PLACES:
        for command in COMMANDS:
            with tempfile.TemporaryDirectory() as name:
                canary = write(escape, Path(name))
                program, *words = command.arguments(Path(name), place)
                said = io.StringIO()
                with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                    if program == "slp-sample":
                        code = run(sample_command, words)
                    else:
                        code = run(slp_command, [program, *words])
                outcome = "canary" if canary.exists() else _OUTCOMES.get(code, f"exit code {code}")
                yield Run(escape.name, command.words, place, outcome)


def run_in_a_process(first: int) -> list[Run]:
    """The same for some escapes from the first, in a process of their own."""
    words = [sys.executable, "-m", "tests.security.matrix", "--from", str(first)]
    lost = Run(f"{ESCAPES[first].name} and more", "all", "", "died")
    try:
        made = subprocess.run(words, stdout=subprocess.PIPE, text=True, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        return [lost]
    found = [Run(**json.loads(line)) for line in made.stdout.splitlines()]
    wanted = len(ESCAPES[first : first + _AT_ONCE]) * len(PLACES) * len(COMMANDS)
    return found if len(found) == wanted else [*found, lost]


def page(runs: list[Run]) -> str:
    """The result as Markdown."""
    wrong = [r for r in runs if r.outcome not in _OUTCOMES.values()]
    canaries = sum(r.outcome == "canary" for r in runs)
    lines = [
        "# Escapes",
        "",
        "What became of programs that try to run code, in every command: what",
        "`python -m tests.security.matrix` prints. docs/security.md says what is promised.",
        "",
        f"{len(ESCAPES)} escapes, each with its goal hidden in a term, in a file that another",
        f"uses, and as it stands: {len(runs)} runs of commands. Canaries that appeared:",
        f"{canaries}. Ends other than an answer (exit code 0) or a message (1, 2): {len(wrong)}.",
        "",
        "| command | done | refused |",
        "| --- | ---: | ---: |",
    ]
    counts = Counter((r.command, r.outcome) for r in runs)
    for command in COMMANDS:
        done, refused = counts[command.words, "done"], counts[command.words, "refused"]
        lines.append(f"| `{_shown(command)}` | {done} | {refused} |")
    if wrong:
        lines += ["", *(f"- {r.escape}, `{r.command}`{r.place}: {r.outcome}" for r in wrong)]
    return "\n".join(lines) + "\n"


def _shown(command: Command) -> str:
    return command.words.replace("~", " ").replace("|", "\\|")


def main() -> int:
    """Run what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--from", dest="first", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.first is not None:
        for number in range(asked.first, min(asked.first + _AT_ONCE, len(ESCAPES))):
            for found in run_in_this_process(number):
                print(json.dumps(vars(found)), flush=True)
        return 0
    with ThreadPoolExecutor(asked.jobs) as pool:
        firsts = range(0, len(ESCAPES), _AT_ONCE)
        runs = [run for found in pool.map(run_in_a_process, firsts) for run in found]
    text = page(runs)
    if asked.output is None:
        print(text, end="")
    else:
        asked.output.write_text(text)
    return int(any(run.outcome not in _OUTCOMES.values() for run in runs))


if __name__ == "__main__":
    sys.exit(main())
