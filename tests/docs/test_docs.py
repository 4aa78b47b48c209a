"""The documentation is true: its code runs, its programs are sound, and its lists of names are
complete."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from shutil import copytree
from typing import Any

import click
import polars as pl
import pytest

import slp
from slp.analysis.clauses.predicates import BUILT_IN
from slp.analysis.sources.directives import CONSTRAINTS, DIRECTIVES
from slp.cli import slp_command
from slp.engines import ENGINES, engine_named
from slp.errors import ExitCode
from slp.ir.program import MEASURES
from slp.leaves import SIGNATURES
from slp.resolution.machine import functions
from slp.resolution.machine.of_trees import ASKING_TREES
from slp.resources import prior_names
from tests.docs import options_page, pictures_page, python_page
from tests.docs.pages import (
    PAGES,
    ROOT,
    Block,
    anchors_of,
    blocks_of,
    commands_of,
    links_of,
    prints,
    prose_of,
)
from tests.docs.running import printed, run_python

by_page = pytest.mark.parametrize("page", PAGES, ids=[p.name for p in PAGES])
README = ROOT / "README.md"
DESIGN = sorted((ROOT / "docs" / "design").glob("*.md"))

#: What the code of a page may take for granted, where the page speaks of tables of the reader's.
_GIVEN = {
    "data.md": """
import polars as pl, numpy as np, warnings
from pathlib import Path
Path("prior.slp").write_text(":- use(growtree).")
frame = pl.DataFrame({"width": [1.0, 2.0, 3.0], "species": ["a", "b", "b"]})
X, y = np.array([[1.0], [2.0], [3.0]]), ["a", "b", "b"]
"""
}


def written(page: Path, folder: Path) -> None:
    """The files of a page, in a folder, and the examples."""
    copytree(ROOT / "examples", folder / "examples")
    for block in blocks_of(page):
        if block.file is not None:
            (folder / block.file).write_text(block.text, "utf-8")


def place(page: Path, block: Block) -> str:
    return f"{page.name}:{block.line}"


# --- code ----------------------------------------------------------------------------------------


@pytest.fixture
def own_names(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A page may register leaf models, and engines whose modules are files of the page."""
    engines, models = set(ENGINES), set(SIGNATURES)
    monkeypatch.syspath_prepend(".")
    yield
    for module in ENGINES.keys() - engines:
        sys.modules.pop(ENGINES.pop(module))
    for model in SIGNATURES.keys() - models:
        del SIGNATURES[model]


@pytest.mark.thinned(5)  # CI runs every page
@by_page
def test_python_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_names: None
) -> None:
    monkeypatch.chdir(tmp_path)
    written(page, tmp_path)
    names: dict[str, Any] = {}
    exec(_GIVEN.get(page.name, ""), names)
    for block in blocks_of(page):
        if block.language == "python":
            run_python(block, page, names)


@by_page
def test_programs_are_without_faults(page: Path) -> None:
    for block in blocks_of(page):
        if block.language == "prolog":
            program = slp.parse(block.text, place(page, block))
            # A page shows a predicate that never ends, of which W109 warns.
            found = [w for w in program.warnings if w.code != "W109"]
            assert found == [], "\n".join(map(str, found))
            program.explain()


@pytest.mark.slow
@by_page
def test_commands_print_what_the_page_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    if page.name == "prolog.md":
        request.getfixturevalue("janus")
    monkeypatch.chdir(tmp_path)
    written(page, tmp_path)
    for block in blocks_of(page):
        if block.language == "console":
            for command, want in commands_of(block):
                have = printed(command)
                assert prints(want, have), f"{place(page, block)}: {command} prints\n{have}"


def test_what_is_printed_may_differ_in_the_last_digits_of_full_numbers_alone() -> None:
    said = "mean 22.975773373048888 of 3\n...\nlog 1.5\n"
    assert prints(said, "mean 22.975773373048899 of 3\nx\ny\nlog 1.5\n")
    for other in ("mean 22.975773573048888 of 3", "mean 22.975773373048888 of 4", "mean"):
        assert not prints(said, f"{other}\nx\ny\nlog 1.5\n")
    assert not prints(said, "mean 22.975773373048888 of 3\nlog 1.6\n")


def test_readme_shows_what_the_first_command_prints() -> None:
    """The evidence and the most probable tree of the iris example, without its slow summaries."""
    (page,) = (b.text for b in blocks_of(README) if "petal_width" in b.text)
    program = slp.load(ROOT / "examples" / "iris" / "prior.slp")
    frame = pl.read_csv(ROOT / "examples" / "iris" / "iris.csv")
    posterior = program.posterior(frame, draws=0)
    assert f"features) = {posterior.log_evidence:.6f}, exact\n" in page
    assert f"posterior probability {math.exp(posterior.map().log_posterior):.6g}, 5 lea" in page
    for line in posterior.map_tree().to_text().splitlines():
        assert line in page


def test_shown_files_are_the_shipped_ones() -> None:
    """Library priors that a page shows are those in `priors/`, comments left out."""
    shown = [b.text for page in PAGES for b in blocks_of(page) if b.language == "prolog"]
    for name in ("growtree", "pinball"):
        text = (ROOT / "priors" / f"{name}.slp").read_text("utf-8")
        want = "\n".join(s for s in text.splitlines() if s and not s.startswith("%"))
        assert any(want == "\n".join(filter(None, block.splitlines())) for block in shown), name


# --- links ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", [*PAGES, *DESIGN], ids=lambda p: f"{p.parent.name}/{p.name}")
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for link in links_of(page):
        target, _, anchor = link.partition("#")
        file = page.parent / target if target else page
        if not file.exists() or (anchor and anchor not in anchors_of(file)):
            broken.append(link)
    assert broken == []


@by_page
def test_blocks_have_a_known_language(page: Path) -> None:
    known = {"", "bash", "console", "json", "prolog", "python", "text"}
    known |= {"elisp", "lua", "toml"}  # set-up lines of editors
    assert {b.language for b in blocks_of(page)} <= known
    assert page.read_text("utf-8").count("\n```") == 2 * len(blocks_of(page))


@pytest.mark.parametrize("name", pictures_page.NAMES)
def test_every_picture_is_made_by_a_command_of_its_page(name: str) -> None:
    made = [f for f in pictures_page.made(name) if f.endswith(".svg")]
    assert pictures_page.shown(name) == made


def test_every_page_is_on_the_map() -> None:
    index = ROOT / "docs" / "index.md"
    assert {p.name for p in PAGES} - {"README.md", "index.md"} <= set(links_of(index))
    assert {f"design/{p.name}" for p in DESIGN} <= set(links_of(index))


# --- names ---------------------------------------------------------------------------------------


def prose(name: str) -> str:
    return prose_of(ROOT / "docs" / name)


@pytest.mark.parametrize("page", ["language.md", "priors.md"])
def test_every_measure_is_described(page: str) -> None:
    assert [m for m in MEASURES if f"`{m}`" not in prose(page)] == []


def test_every_prior_is_described() -> None:
    headings = re.findall(r"^### `(\w+)`", prose("priors.md"), re.MULTILINE)
    assert sorted(headings) == prior_names()


def test_every_directive_is_described() -> None:
    text = prose("language.md")
    table = re.findall(r"^\| `:- (\w+)", text[text.index("## Directives") :], re.MULTILINE)
    assert sorted(table) == sorted(DIRECTIVES)


def test_every_constraint_is_described() -> None:
    rows = re.findall(r"^\| `(?:[^|]*)` \|.*\| (?:yes|no).*$", prose("language.md"), re.MULTILINE)
    assert rows
    listed = set(re.findall(r"^\| `(\w+)\(", prose("language.md"), re.MULTILINE))
    listed |= set(re.findall(r", `(\w+)\(Goal\)`", prose("language.md")))
    assert set(CONSTRAINTS) <= listed


def test_every_built_in_is_listed_and_no_other() -> None:
    # docs/tree-goals.md has those that ask trees.
    known = {f"{name}/{arity}" for name, arity in BUILT_IN - ASKING_TREES.keys()}
    text = prose("language.md")
    table = text[text.index("## Helper predicates") : text.index("### Arithmetic")]
    listed = set(re.findall(r"`(\S+/\d)`", table))
    assert listed - known == set()
    between = {"call": range(2, 8), "maplist": range(3, 7), "foldl": range(5, 6)}
    assert known - listed == {f"{name}/{n}" for name, arities in between.items() for n in arities}


def test_every_arithmetic_function_is_listed_and_no_other() -> None:
    text = prose("language.md")
    table = text[text.index("### Arithmetic") : text.index("| constants")]
    listed = set(re.findall(r"`(\S+)`", table))
    assert listed == {name for name, _ in functions.FUNCTIONS}


# --- Python and the command line -----------------------------------------------------------------


def test_tables_of_python_names_are_those_of_the_docstrings() -> None:
    text = python_page.PAGE.read_text("utf-8")
    assert text == python_page.with_tables(text)
    tables = re.findall(r"<!-- python: (\w+) -->\n\| \S", text)
    assert sorted(tables) == sorted([*python_page.GROUPS, *python_page.CLASSES])


def test_every_public_name_has_a_row() -> None:
    groups, classes = python_page.GROUPS, python_page.CLASSES
    listed = {name for group in groups for name in python_page.members_of_group(group)}
    assert sorted({*slp.__all__} - listed - classes.keys()) == ["__version__"]
    assert "`slp.__version__`" in prose("api.md")
    for kind in (slp.Program, slp.Posterior, slp.Tree, slp.TreeNode, slp.CheckResult):
        parts = [part for part in kind.__mro__ if part.__name__ in classes]
        rows = {name for part in parts for name in python_page.names_of_class(part)}
        public = {n for n in dir(kind) if not n.startswith("_")}
        if is_dataclass(kind):
            public |= {field.name for field in fields(kind)}
        assert sorted(public - rows) == []


def test_every_link_of_a_python_name_is_shown() -> None:
    tables = [*python_page.GROUPS, *python_page.CLASSES]
    keys = {key for table in tables for key, _, _ in python_page.rows_of(table)}
    assert sorted(python_page.SEE.keys() - keys) == []


def test_every_command_and_option_is_described() -> None:
    text = prose("api.md")
    context = click.Context(slp_command)
    for name in slp_command.list_commands(context):
        command = slp_command.get_command(context, name)
        assert command is not None
        assert f"### `slp {name}" in text
        told = section_of(text, f"### `slp {name}") + section_of(text, "### Common options")
        options = [o for p in command.params for o in p.opts if o.startswith("--")]
        assert [o for o in options if f"`{o}`" not in told and f"`{o} " not in told] == [], name


def section_of(text: str, heading: str) -> str:
    """A section of level 3, up to the next one."""
    text = text[text.index(heading) :]
    return text[: text.index("\n##", 1)]


@pytest.mark.parametrize("page", options_page.PAGES, ids=lambda p: str(p.name))
def test_tables_of_options_are_those_of_the_engines(page: Path) -> None:
    text = page.read_text("utf-8")
    assert text == options_page.with_tables(text)
    wanted = {e for e, place in options_page.TABLES.items() if place.startswith(page.name)}
    assert set(re.findall(r"<!-- options: (\w+) -->\n\| option", text)) == wanted


def test_every_engine_with_options_has_a_table_of_them() -> None:
    told = [engine_named(engine).Options for engine in options_page.TABLES]
    kinds = {engine_named(engine).Options for engine in ENGINES}
    assert [kind for kind in kinds if fields(kind) and kind not in told] == []
    assert prose("api.md").count("<!-- engine flags -->\n| engine") == 1


def test_every_engine_is_described() -> None:
    for page in ("api.md", "engines.md"):
        assert [e for e in (*ENGINES, "auto") if f"`{e}`" not in prose(page)] == []


def test_exit_codes_are_described() -> None:
    assert [c for c in ExitCode if f"| {c.value} |" not in prose("api.md")] == []


@pytest.mark.parametrize("command", ["sample", "map", "prior"])
def test_every_json_key_is_described(command: str, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("a,y\n1,p\n2,q\n3,q\n")
    result = json.loads(printed(f"slp {command} growtree {table} --json --seed 1"))
    text = prose("api.md")
    section = section_of(text, f"### `slp {command}")
    inner = result.get("map") or result.get("best", [{}])[0]
    missing = [key for key in (*result, *inner) if f"`{key}`" not in section]
    assert missing == []


def test_every_key_of_a_draw_is_described(tmp_path: Path) -> None:
    table, draws = tmp_path / "table.csv", tmp_path / "draws.jsonl"
    table.write_text("a,y\n1,p\n2,q\n3,q\n")
    printed(f"slp sample growtree {table} -n 1 -o {draws}")
    keys = json.loads(draws.read_text())
    assert [key for key in keys if f"`{key}`" not in prose("api.md")] == []


def test_the_stops_of_the_walk_are_there() -> None:
    """Each stop of docs/how-it-works.md is a file that has the name, and none occurs twice."""
    text = (ROOT / "docs" / "how-it-works.md").read_text("utf-8")
    for walk in text.split("\n## ")[1:]:
        stops = re.findall(r"^\| \d+ \| `([^`]+)`, `(\w+)` \|", walk, re.MULTILINE)
        assert 8 <= len(stops) <= 12 and len(set(stops)) == len(stops)
        for file, name in stops:
            assert re.search(rf"\b{name}\b", (ROOT / file).read_text("utf-8")), (file, name)
