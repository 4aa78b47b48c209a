"""Records what must not change when the code is rebuilt, and compares it with a record.

    python benchmarks/frozen.py record FILE [--only TEXT]
    python benchmarks/frozen.py compare FILE [--only TEXT] [--texts FILE]

`record` runs every case (`benchmarks/frozen_cases`) and writes the results as JSON. `compare` runs
them again and prints the differences from the file. `--only` takes the cases whose names contain
TEXT. Cases with threads run with 1, 2 and 8 threads, which must give the same results to the bit.
Cases that need SWI-Prolog are left out where it is not installed. Some cases run a second time with
the kernels in NumPy, in a process of their own.

Draws, trees, codes, places, exit codes and keys are compared exactly, other numbers to 1e-12
relative, R-hat, effective draws and Monte Carlo errors to 1e-6. Texts for people may change: their
differences are written as a unified diff to the file of `--texts`. The exit code is 1 if anything
else differs, if results depend on the number of threads, or if a case crashed.
"""

from __future__ import annotations

import argparse
import difflib
import json
import math
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))

from frozen_cases import Case, all_cases, write_files
from frozen_cases.cases import THREADS, run_case

#: Cases that also run with the kernels in NumPy.
_BY_REFERENCE = re.compile(r"(exact|mh|edits|proposals/prior growtree)/(?!.*seed 2)")
_REFERENCE = "SLP_KERNELS"

_TEXTS = re.compile(
    r"(message|help|reason|evidence_note|notes|warnings|words|counterexample|describe|explain"
    r"|drawn_tree|text|stdout text|stderr text)"
)
_ROUGH = re.compile(r"(diagnostics|convergence|(\w+_)?error|r_hat|ess_\w+)")
_RELATIVE, _ROUGHLY, _NOUGHT = 1e-12, 1e-6, 1e-14

Entry = dict[str, Any]
Record = dict[str, Any]


class Difference(NamedTuple):
    """A place in a case where two records differ. `text`: whether it is in a text for people."""

    case: str
    place: str
    before: Any
    after: Any
    text: bool = False

    @property
    def group(self) -> str:
        """The kind of the case, and the place without its numbers."""
        return f"{self.case.partition('/')[0]}: {re.sub(r'[0-9]+', '*', self.place)}"


# --- record ---------------------------------------------------------------------------------------


def record(only: str = "", cases: Mapping[str, Case] | None = None) -> Record:
    """The results of the cases whose names contain `only`; `cases` replace those of the project."""
    chosen = all_cases() if cases is None else cases
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            write_files()
            found = _ask_all({name: case for name, case in chosen.items() if only in name})
        finally:
            os.chdir(before)
    return found


def _ask_all(cases: Mapping[str, Case]) -> Record:
    prolog = shutil.which("swipl") is not None
    entries = {name: _ask(case) for name, case in cases.items() if prolog or not case.prolog}
    about = {"python": platform.python_version(), "swipl": prolog}
    return {"about": about, "cases": entries}


def _ask(case: Case) -> Entry:
    if not case.threaded:
        return run_case(case, 1)
    first, *others = (run_case(case, n) for n in THREADS)
    unlike = {
        str(n): sorted({d.place for d in _differences("", first, other, exactly=True)})
        for n, other in zip(THREADS[1:], others, strict=True)
        if json.dumps(other) != json.dumps(first)
    }
    return {**first, "unlike one thread": unlike} if unlike else first


def record_all(only: str) -> Record:
    """`record`, and the results of the kernels in NumPy."""
    if not any(only in name and _BY_REFERENCE.match(name) for name in all_cases()):
        return record(only)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "reference.json"
        command = [sys.executable, "-P", __file__, "reference", str(file), "--only", only]
        child = subprocess.Popen(command, env=os.environ | {_REFERENCE: "reference"})
        with child:
            found = record(only)
        if child.returncode:
            raise SystemExit("the kernels in NumPy were not asked")
        found["cases"] |= json.loads(file.read_text("utf-8"))["cases"]
    return found


def record_by_reference(only: str) -> Record:
    """The cases that also run with the kernels in NumPy, under names of their own."""
    chosen = {name: case for name, case in all_cases().items() if _BY_REFERENCE.match(name)}
    cases = {name: replace(case, threaded=False) for name, case in chosen.items()}
    found = record(only, cases)
    renamed = {f"NumPy {name}": entry for name, entry in found["cases"].items()}
    return {**found, "cases": renamed}


# --- compare --------------------------------------------------------------------------------------


def differences(before: Record, after: Record) -> list[Difference]:
    """The differences of two records that are larger than allowed."""
    old, new = before["cases"], after["cases"]
    out = [Difference(name, "case", "there", "missing") for name in old if name not in new]
    out += [Difference(name, "case", "missing", "there") for name in new if name not in old]
    for name in old:
        if name in new:
            out += _differences(name, old[name], new[name])
    return out


def _differences(
    case: str,
    before: Any,
    after: Any,
    place: tuple[str, ...] = (),
    *,
    exactly: bool = False,
) -> Iterator[Difference]:
    def differ(what: str = "") -> Difference:
        named = "/".join((*place, what) if what else place)
        return Difference(case, named, before, after, _is_text(place))

    if isinstance(before, dict) and isinstance(after, dict):
        if list(before) != list(after):
            yield differ("keys")._replace(before=list(before), after=list(after))
        for key in before:
            if key in after:
                where = (*place, key)
                yield from _differences(case, before[key], after[key], where, exactly=exactly)
    elif isinstance(before, list) and isinstance(after, list) and not _is_text(place):
        if len(before) != len(after):
            yield differ("length")._replace(before=len(before), after=len(after))
        for i, (one, other) in enumerate(zip(before, after, strict=False)):
            yield from _differences(case, one, other, (*place, str(i)), exactly=exactly)
    elif not _same(before, after, place, exactly):
        yield differ()


def _is_text(place: tuple[str, ...]) -> bool:
    return any(_TEXTS.fullmatch(part) for part in place)


def _same(before: Any, after: Any, place: tuple[str, ...], exactly: bool) -> bool:
    if not (type(before) is type(after) is float) or exactly:
        return type(before) is type(after) and json.dumps(before) == json.dumps(after)
    if math.isnan(before) or math.isnan(after):
        return math.isnan(before) and math.isnan(after)
    rough = any(_ROUGH.fullmatch(part) for part in place)
    return math.isclose(before, after, rel_tol=_ROUGHLY if rough else _RELATIVE, abs_tol=_NOUGHT)


def texts_diff(found: list[Difference]) -> str:
    """Texts that differ, as a unified diff. Equal differences occur once, with their cases."""
    places: dict[tuple[str, str], list[str]] = defaultdict(list)
    for d in found:
        if d.text:
            places[_text(d.before), _text(d.after)].append(f"{d.case}: {d.place}")
    out: list[str] = []
    for (before, after), names in places.items():
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        lines = (before.splitlines(), after.splitlines())
        out += [*difflib.unified_diff(*lines, names[0] + more, names[0] + more, lineterm=""), ""]
    return "\n".join(out)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, indent=1, ensure_ascii=False)


# --- what is printed ------------------------------------------------------------------------------

_MOST_SHOWN, _WIDTH = 3, 160


def report(found: list[Difference]) -> None:
    """Print what differs, grouped, a few of each group."""
    groups: dict[str, list[Difference]] = defaultdict(list)
    for d in found:
        if not d.text:
            groups[d.group].append(d)
    for group, members in groups.items():
        cases = len({d.case for d in members})
        print(f"{group}: {len(members)} differences in {cases} cases")
        for d in members[:_MOST_SHOWN]:
            print(f"  {d.case}: {d.place}")
            print(f"    before {_short(d.before)}\n    after  {_short(d.after)}")


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]} ..."


def faults_of(record: Record) -> list[str]:
    """Cases that crashed, or that numbers of threads do not agree on."""
    cases = record["cases"].items()
    crashed = [f"{name}: crashed, {e['crash']}: {e['text']}" for name, e in cases if "crash" in e]
    key = "unlike one thread"
    unlike = [f"{name}: threads differ: {_short(e[key])}" for name, e in cases if key in e]
    return crashed + unlike


def main(words: list[str] | None = None) -> int:
    """Run the command; its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", choices=("record", "compare", "reference"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", default="", help="cases whose names hold this")
    parser.add_argument("--texts", type=Path, help="where the diff of texts goes")
    given = parser.parse_args(words)
    started, cpu = time.perf_counter(), sum(os.times()[:4])
    now = record_by_reference(given.only) if given.what == "reference" else record_all(given.only)
    if given.what != "compare":
        lines = (f"{json.dumps(k)}: {json.dumps(v)}" for k, v in now["cases"].items())
        about = json.dumps(now["about"])
        text = ",\n".join(lines)
        given.file.write_text(f'{{"about": {about}, "cases": {{\n{text}\n}}}}\n', "utf-8")
        if given.what == "reference":
            return 0
        found = []
    else:
        before = json.loads(given.file.read_text("utf-8"))
        before["cases"] = {k: v for k, v in before["cases"].items() if given.only in k}
        found = differences(before, now)
        report(found)
        if given.texts is not None:
            given.texts.write_text(texts_diff(found), "utf-8")
    faults = faults_of(now)
    print("\n".join(faults), end="\n" if faults else "")
    texts = sum(d.text for d in found)
    seconds = f"{time.perf_counter() - started:.0f} s, {sum(os.times()[:4]) - cpu:.0f} s of CPU"
    said = f"; {len(found) - texts} differences, {texts} texts" if given.what == "compare" else ""
    print(f"{len(now['cases'])} cases in {seconds}{said}")
    return int(bool(faults) or texts < len(found))


if __name__ == "__main__":
    sys.exit(main())
