"""Measures `slp check` on hostile text: CPU time and peak memory of a process for each.

    python benchmarks/hostile_text.py [--characters 1000000] [--seconds 600] [KIND ...]

The peak is that above a process that has read nothing yet, imports included.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

#: What is repeated, between what begins and what ends it.
KINDS = {
    "facts": ("", "edge(n1234, n5678).\n", ""),
    "one list": ("p([", "12345, ", "2]).\n"),
    "brackets": ("a", "(", "b.\n"),
    "`- `": ("p(X) :- X is ", "- ", "1.\n"),
    "`1 + `": ("p(X) :- X is ", "1 + ", "1.\n"),
    "goals": ("p :- ", "q, ", "q.\n"),
    "`. `": ("", ". ", "\n"),
    "words": ("", "a ", ".\n"),
    "open quote": ("a('", "x", ""),
    "open quote, escapes": ("a('", "\\\\", ""),
    "NUL characters": ("", "\x00", ""),
}

_CHILD = """
import re, sys, time
def peak(): return int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) // 1024
before, start = peak(), time.process_time()
from slp.cli import slp_command
from slp.cli.common import run
code = run(slp_command, ["check", sys.argv[1]])
seconds = time.process_time() - start
sys.stderr.write(f"{code} {seconds:.1f} {peak() - before}")
"""


def measure(text: str, folder: Path, seconds: float) -> str:
    """Exit code, CPU seconds, peak in MB, and the first line of what is said."""
    path, said = folder / "text.slp", folder / "said"
    path.write_text(text, encoding="utf-8")
    command = [sys.executable, "-P", "-c", _CHILD, str(path)]
    try:
        with said.open("w") as out:
            done = subprocess.run(
                command, stdout=out, stderr=subprocess.PIPE, text=True, timeout=seconds, check=True
            )
    except subprocess.TimeoutExpired:
        return f"more than {seconds:g} s |  | "
    code, cpu, peak = done.stderr.split()
    first = said.open().readline().strip().replace(str(path), "FILE")
    return f"{cpu} | {peak} | {'' if code == '0' else first[:70]}"


def main() -> None:
    """Print a table of Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--characters", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("kinds", nargs="*", metavar="KIND")
    options = parser.parse_args()
    print(
        f"| {options.characters:,} characters | CPU s | peak MB | says |\n| --- | --- | --- | --- |"
    )
    with tempfile.TemporaryDirectory() as folder:
        for name in options.kinds or KINDS:
            begin, repeated, end = KINDS[name]
            text = begin + repeated * (options.characters // len(repeated)) + end
            print(f"| {name} | {measure(text, Path(folder), options.seconds)} |", flush=True)


if __name__ == "__main__":
    main()
