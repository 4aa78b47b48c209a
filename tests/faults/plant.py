"""Plants the faults of this folder, one after the other, and tells which tests find them.

    python tests/faults/plant.py                    all faults, each with the tests that it names
    python tests/faults/plant.py NAME ...           some of them
    python tests/faults/plant.py --all NAME ...     with all quick tests

The checkout is copied to build/faults/copy, where faults are planted and the core is compiled;
later runs compile there what has changed. Without a fault the tests must pass. What they find is
told as pytest names it. The exit code is 1 if a fault was not found, as where SWI-Prolog is missing
for the one that needs it.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
COPY, BUILD = (ROOT / "build" / "faults" / name for name in ("copy", "build"))

#: A fault after which the tests take longer is taken as found.
_SECONDS = 900

#: Of an editable installation, so that the copy is imported.
_SITE = """import sys
sys.meta_path = [f for f in sys.meta_path if type(f).__name__ != "ScikitBuildRedirectingFinder"]
"""

_FORM = re.compile(
    r"(?P<words>.+)\n"
    r"Tests: (?P<tests>.+)\n\n"
    r"--- a/(?P<file>.+)\n"
    r"\+\+\+ b/(?P=file)\n"
    r"@@ -\d+,\d+ \+\d+,\d+ @@\n"
    r"(?P<hunk>([ +-].*\n)+)"
)


@dataclass(frozen=True)
class Fault:
    """A planted fault: what is wrong, in words; the tests that should find it, paths from the root
    of the checkout; the file, and the lines there before and after."""

    name: str
    words: str
    tests: tuple[str, ...]
    file: str
    before: str
    after: str

    def planted(self, text: str) -> str:
        """The text of the file with the fault.

        Raises
        ------
        ValueError
            The lines before are not there, or more than once.
        """
        if text.count(self.before) != 1:
            raise ValueError(f"{self.name} does not apply to {self.file}")
        return text.replace(self.before, self.after)

    @property
    def in_core(self) -> bool:
        """Whether the core must be compiled."""
        return self.file.startswith("native/")


def read_fault(path: Path) -> Fault:
    """The fault of a patch: its words, a line `Tests: ...`, and a diff of one file with one hunk.

    Raises
    ------
    ValueError
        The patch has another form.
    """
    found = _FORM.fullmatch(path.read_text())
    if found is None:
        raise ValueError(f"{path.name} is no patch of one hunk, with words and tests before it")
    words, tests, file, hunk = found.group("words", "tests", "file", "hunk")
    lines = hunk.splitlines(keepends=True)
    before, after = ("".join(x[1:] for x in lines if x[0] in kept) for kept in (" -", " +"))
    return Fault(path.stem, words, tuple(tests.split()), file, before, after)


def faults() -> list[Fault]:
    """All faults, those of Python first."""
    found = map(read_fault, sorted(HERE.glob("*.patch")))
    return sorted(found, key=lambda fault: fault.in_core)


def make_copy() -> None:
    """Write what differs into the copy, so that no other file is compiled again."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    ours = {ROOT / name for name in names.split("\0") if name and (ROOT / name).is_file()}
    for path in ours:
        target = COPY / path.relative_to(ROOT)
        if not target.exists() or target.read_bytes() != path.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
            target.chmod(path.stat().st_mode)
    for folder, pattern in (("native", "*.[ch]pp"), ("slp", "*.py"), ("tests", "*.py")):
        for path in (COPY / folder).rglob(pattern):
            if ROOT / path.relative_to(COPY) not in ours:
                path.unlink()
    (COPY / "sitecustomize.py").write_text(_SITE)


def configure() -> None:
    """Make the build folder ready."""
    options = ["-DSLP_INPLACE=ON", "-DCMAKE_BUILD_TYPE=Release"]
    python = f"-DPython_EXECUTABLE={sys.executable}"
    _quietly(["cmake", "-S", str(COPY), "-B", str(BUILD), *options, python])


def compile_core() -> None:
    """Compile what has changed in the copy."""
    _quietly(["cmake", "--build", str(BUILD), "--parallel"])


def _quietly(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


def found_by(tests: tuple[str, ...]) -> str | None:
    """How tests find that something is wrong in the copy: the first that fails; None if none does.
    Without tests all quick tests run."""
    how = ["-n", "0", *tests] if tests else []
    command = [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", *how]
    env = {**os.environ, "PYTHONPATH": str(COPY)}
    try:
        done = subprocess.run(
            command, cwd=COPY, env=env, capture_output=True, text=True, timeout=_SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"no result within {_SECONDS} seconds"
    if done.returncode < 0:
        return "a crash"
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)} did not run:\n{done.stdout}{done.stderr}")
    failed = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", done.stdout, re.MULTILINE)
    return failed[0] if failed else None


def is_found(fault: Fault, all_tests: bool) -> bool:
    """Plant a fault, run the tests, take it away again, and print what came of it."""
    path = COPY / fault.file
    text = path.read_text()
    path.write_text(fault.planted(text))
    try:
        if fault.in_core:
            compile_core()
        found = found_by(() if all_tests else fault.tests)
    finally:
        path.write_text(text)
    print(f"{fault.name}: {'NOT FOUND' if found is None else f'found by {found}'}", flush=True)
    return found is not None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="of a patch, without .patch")
    parser.add_argument("--all", action="store_true", help="run all quick tests")
    chosen = parser.parse_args()
    known = faults()
    if unknown := set(chosen.names) - {fault.name for fault in known}:
        parser.error(f"no such faults: {', '.join(sorted(unknown))}")
    make_copy()
    configure()
    compile_core()
    planted = [fault for fault in known if not chosen.names or fault.name in chosen.names]
    found = [is_found(fault, chosen.all) for fault in planted]
    print(f"{sum(found)} of {len(found)} faults found")
    return 0 if all(found) else 1


if __name__ == "__main__":
    sys.exit(main())
