"""Fixtures for all tests. Only this file decides which external tools a test may require."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import importlib
import importlib.machinery
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import pytest

ROOT = Path(__file__).resolve().parent.parent

# Helper modules of the tests are imported as `tests.…`. The checkout comes last on the path, so
# that `slp` is the installed one wherever there is one.
sys.path.append(str(ROOT))

# Tests compare what commands print; colours are tested by themselves.
os.environ.pop("FORCE_COLOR", None)


def hides_installation(imported: Sequence[str], path: Sequence[str]) -> bool:
    """Whether the `slp` that is imported, from these folders, has no compiled kernels, though a
    folder of the path has an `slp` with them."""

    def compiled(folders: Sequence[str]) -> bool:
        return importlib.machinery.PathFinder.find_spec("_core", list(folders)) is not None

    return not compiled(imported) and any(compiled([f"{folder}/slp"]) for folder in path)


def pytest_configure() -> None:
    """`python -m pytest` puts the present folder first on the path."""
    spec = importlib.util.find_spec("slp")
    imported = [] if spec is None else list(spec.submodule_search_locations or ())
    if hides_installation(imported, sys.path):
        raise pytest.UsageError(
            "the tests would import the checkout, where no kernels are compiled, in place of the "
            "installed slp: run `pytest`, or `python -P -m pytest`"
        )


#: So many states are looked at where a program is checked without a table, in place of 300. That
#: takes a fifth of the time of all tests. Those of the analysis look at all: tests/analysis.
FEW_STATES = 40


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Every test is held to the end, so the collector of garbage finds nothing while they come, and
    would look at all of them again and again. That takes a quarter of the time."""
    from slp.analysis.derivations import existence, states  # on the path from here on

    for module in (existence, states):
        module.MOST_STATES = FEW_STATES  # type: ignore[attr-defined]
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


#: The slow tests run about so many cases of a thinned test for each quick one.
SLOW_FOR_ONE = 3


@pytest.hookimpl(tryfirst=True)  # before `-m` takes its choice
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Under `thinned(every)` one case of so many is as quick as the test, some are slow, and the
    rest runs only where all tests run."""
    met: Counter[str] = Counter()
    for item in items:
        thinned = item.get_closest_marker("thinned")
        if thinned is not None:
            test, every = item.nodeid.partition("[")[0], thinned.args[0]
            if met[test] % every:
                some = met[test] % max(1, every // SLOW_FOR_ONE) == 0
                item.own_markers[:] = [m for m in item.own_markers if m.name != "slow"]
                item.add_marker(pytest.mark.slow if some else pytest.mark.rest)
            met[test] += 1


def _need(what: str, variable: str) -> NoReturn:
    """Skip the test for want of `what`, or fail it if the environment insists on it."""
    if os.environ.get(variable):
        pytest.fail(f"{variable} is set, but this is missing: {what}")
    pytest.skip(f"missing: {what}")


@pytest.fixture(autouse=True)
def own_leaf_models() -> Iterator[None]:
    """What a test registers is forgotten behind it."""
    from slp.leaves import SIGNATURES  # on the path from here on

    known = dict(SIGNATURES)
    yield
    SIGNATURES.clear()
    SIGNATURES.update(known)


@pytest.fixture(scope="session")
def swipl() -> str:
    """Path of SWI-Prolog's executable; without one the test is skipped, or fails under
    SLP_REQUIRE_SWIPL."""
    path = shutil.which("swipl")
    if path is None:
        _need("SWI-Prolog (swipl) on the PATH", "SLP_REQUIRE_SWIPL")
    return path


@pytest.fixture(scope="session")
def janus() -> ModuleType:
    """SWI-Prolog inside Python; without it the test is skipped, or fails under
    SLP_REQUIRE_SWIPL. Where SWI-Prolog and janus do not fit, importing janus ends the process."""
    trial = subprocess.run([sys.executable, "-c", "import janus_swi"], capture_output=True)
    if trial.returncode != 0:
        _need("SWI-Prolog 9.1.12 or newer (swipl) on the PATH and janus-swi", "SLP_REQUIRE_SWIPL")
    return importlib.import_module("janus_swi")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Headless Chromium, driven by playwright; without the two the test is skipped, or fails under
    SLP_REQUIRE_BROWSER."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        _need("Chromium (chromium) on the PATH", "SLP_REQUIRE_BROWSER")
    try:
        playwright = importlib.import_module("playwright.sync_api")
    except ImportError:
        _need("playwright", "SLP_REQUIRE_BROWSER")
    with playwright.sync_playwright() as driver:
        # The sandbox of Chromium does not run as root. Pages of the tests are our own.
        started = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def node_modules() -> Path:
    """The folder of the packages of npm that tests/editors/package.json lists, for NODE_PATH.
    They are installed once, in the user's cache. Without Node or npm, or where npm cannot fetch
    them, the test is skipped, or fails under SLP_REQUIRE_NODE."""
    for tool in ("node", "npm"):
        if shutil.which(tool) is None:
            _need(f"Node.js ({tool}) on the PATH", "SLP_REQUIRE_NODE")
    listed = (ROOT / "tests" / "editors" / "package.json").read_bytes()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "slp-ci"
    folder = cache / f"node-{hashlib.sha256(listed).hexdigest()[:12]}"
    if not folder.exists():
        cache.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=".node-", dir=cache))
        (work / "package.json").write_bytes(listed)
        command = ["npm", "install", "--no-package-lock", "--ignore-scripts", "--no-audit"]
        done = subprocess.run(command, cwd=work, capture_output=True, text=True)
        if done.returncode == 0:
            with contextlib.suppress(OSError):  # another process was faster
                work.rename(folder)
        shutil.rmtree(work, ignore_errors=True)
        if not folder.exists():
            _need(f"packages of npm: {done.stderr[-300:]}", "SLP_REQUIRE_NODE")
    return folder / "node_modules"


@pytest.fixture(scope="session")
def compiled_kernels() -> ModuleType:
    """The extension module; without one the test is skipped, or fails under
    SLP_REQUIRE_COMPILED."""
    try:
        import slp._core as _core
    except ImportError as error:
        _need(f"compiled kernels ({error})", "SLP_REQUIRE_COMPILED")
    return _core
