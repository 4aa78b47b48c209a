"""The checkout: its folders, the shipped files, and the promises of README, stub and metadata."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.machinery import EXTENSION_SUFFIXES
from itertools import permutations
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import slp
from slp import resources
from slp.errors import ProgramError
from tests.conftest import hides_installation

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def test_an_uncompiled_checkout_does_not_hide_the_installed_package(tmp_path: Path) -> None:
    """An editable installation imports from both folders."""
    checkout, site = tmp_path / "checkout" / "slp", tmp_path / "site" / "slp"
    for folder in (checkout, site):
        folder.mkdir(parents=True)
    path = [str(checkout.parent), str(site.parent)]
    assert not hides_installation([str(checkout)], path)  # neither is compiled
    (site / f"_core{EXTENSION_SUFFIXES[0]}").touch()
    assert hides_installation([str(checkout)], path)
    assert not hides_installation([str(site)], path)
    assert not hides_installation([str(site), str(checkout)], path)
    (checkout / f"_core{EXTENSION_SUFFIXES[0]}").touch()
    assert not hides_installation([str(checkout)], path)


@pytest.fixture(scope="module")
def metadata() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_nothing_else_stands_at_the_top() -> None:
    want = {"pyproject.toml", "CMakeLists.txt", "LICENSE", "README.md"}
    want |= {"CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "mkdocs.yml"}
    want |= {
        "slp",
        "slp_commands",
        "priors",
        "grammars",
        "tests",
        "examples",
        "native",
        "docs",
        "benchmarks",
        "editors",
    }
    made_by_tools = {"build", "dist", "site", "__pycache__"}
    have = {p.name for p in ROOT.iterdir() if not p.name.startswith(".")}
    assert have - made_by_tools <= want


def test_one_version_stands_everywhere(metadata: dict[str, Any]) -> None:
    own = metadata["project"]["version"]
    assert own == slp.__version__
    assert f"\nversion: {own}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    assert re.search(rf"^## {re.escape(own)}\b", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)


def test_readme_opens_with_two_commands() -> None:
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
    commands = [text for language, text in blocks if language == "bash"]
    assert [language for language, _ in blocks[:2]] == ["bash", "bash"]
    assert len(commands) == 2
    assert all(re.fullmatch(r"[^\n#]+\n", text) for text in commands)
    before = README[: README.index("```bash")]
    assert len(before.strip().splitlines()) == 1  # the title


def test_readme_names_files_that_are_there() -> None:
    linked = re.findall(r"\]\(([^):#]+)\)", README)
    named = re.findall(r"\bexamples/[\w/.]+", README)
    assert linked
    assert named
    assert [p for p in linked + named if not (ROOT / p).exists()] == []


def test_the_citation_and_the_changes_name_the_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\nversion: {slp.__version__}\n" in citation
    assert f"\n## {slp.__version__}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_what_is_shipped_is_what_is_read(metadata: dict[str, Any]) -> None:
    packages = metadata["tool"]["scikit-build"]["wheel"]["packages"]
    assert packages == {
        "slp": "slp",
        "slp_commands": "slp_commands",
        "slp/_data/priors": "priors",
        "slp/_data/grammars": "grammars",
        "slp/_data/demo": "examples/demo",
    }
    assert resources.prior_names() == sorted(p.stem for p in (ROOT / "priors").glob("*.slp"))
    assert resources.prior_names()
    assert [p.stem for p in (ROOT / "grammars").glob("*.lark")] == ["slp"]


def test_shipped_files_are_found_in_a_checkout_and_in_a_wheel(tmp_path: Path) -> None:
    package = Path(resources.__file__).parent
    for name in ("__init__.py", "errors.py", "folders.py", "late.py", "source.py", "resources.py"):
        target = tmp_path / "slp" / name
        target.parent.mkdir(exist_ok=True)
        target.write_text("" if name == "__init__.py" else (package / name).read_text("utf-8"))
    shutil.copytree(package / "messages", tmp_path / "slp" / "messages")
    for folder, demo in ((tmp_path, "examples/demo"), (tmp_path / "slp" / "_data", "demo")):
        shutil.copytree(ROOT / "priors", folder / "priors")
        shutil.copytree(ROOT / "grammars", folder / "grammars")
        shutil.copytree(ROOT / "examples" / "demo", folder / demo)
        program = (
            "from slp.resources import *; assert (demo_folder() / 'infant.slp').exists(); "
            "print(prior_names(), len(grammar_text('slp')))"
        )
        environment = os.environ | {"PYTHONPATH": str(tmp_path)}
        command = [sys.executable, "-P", "-c", program]
        have = subprocess.check_output(command, cwd=tmp_path, env=environment, text=True)
        assert have == f"{resources.prior_names()} {len(resources.grammar_text('slp'))}\n"
        shutil.rmtree(folder / "priors")


def test_a_library_prior_calls_itself_by_its_place_in_the_library() -> None:
    file = resources.prior_file("growtree")
    assert file.name == "priors/growtree.slp"
    assert file.text == (ROOT / "priors" / "growtree.slp").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "help"),
    [
        ("growtre", "did you mean `growtree`?"),
        ("xyz", "the priors are {all}"),
        ("../priors/growtree", "did you mean `growtree`?"),
    ],
)
def test_unknown_prior(name: str, help: str) -> None:
    with pytest.raises(ProgramError) as caught:
        resources.prior_file(name)
    want = help.format(all=", ".join(f"`{name}`" for name in resources.prior_names()))
    assert str(caught.value) == (f"error[E003]: there is no library prior '{name}'\n  help: {want}")


def test_the_package_ships_its_types() -> None:
    assert (Path(slp.__file__).parent / "py.typed").exists()


def test_the_build_makes_a_stub_of_the_extension(compiled_kernels: ModuleType) -> None:
    stub = ast.parse((Path(slp.__file__).parent / "_core.pyi").read_text("utf-8"))
    listed = {node.name for node in stub.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert listed | {"CONSTANTS"} == {n for n in dir(compiled_kernels) if not n.startswith("_")}


def test_no_two_classes_have_the_same_name() -> None:
    places: dict[str, list[str]] = {}
    for path in sorted((ROOT / "slp").rglob("*.py")):
        for name in re.findall(r"^\s*class (\w+)\s*[(:]", path.read_text("utf-8"), re.M):
            places.setdefault(name, []).append(str(path.relative_to(ROOT)))
    assert len(places) > 500
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def test_no_two_classes_of_the_core_have_the_same_name() -> None:
    places: dict[str, list[str]] = {}
    core = ROOT / "native" / "core"
    for path in sorted(core.rglob("*.[ch]pp")):
        named = r"^\s*(?:struct|(?:enum )?class) (\w+)[^;(<>&]*(?:[:{]|$)"
        for name in re.findall(named, path.read_text("utf-8"), re.M):
            places.setdefault(name, []).append(str(path.relative_to(core)))
    assert len(places) > 300
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


#: Neighbours that look alike, where both names are the words that readers know.
ALIKE = {
    ("coding", "code_pages"),  # the coded table, and the pages of machine code
}
_SUFFIXES = r"(at)?(ions?|ings?|ers?|ors?|ed|es|e|s)$"


def test_no_two_neighbours_differ_by_a_suffix() -> None:
    """As `expand` and `expand_later`, `sampling` and `samplers`, or `sampling` and `sampled_trees`.

    A noun in the plural and a compound of it go together: `boxes`, `box_edges`.
    """
    folders: dict[Path, set[str]] = {}
    for top in (ROOT / "slp", ROOT / "native" / "core"):
        for path in top.rglob("*"):
            folder = path.is_dir() and path.name != "__pycache__"
            if folder or path.suffix in {".py", ".cpp", ".hpp"}:
                folders.setdefault(path.parent, set()).add(path.stem)
    assert len(folders) > 20
    found = [
        (str(folder.relative_to(ROOT)), name, other)
        for folder, names in sorted(folders.items())
        for name, other in permutations(sorted(names), 2)
        if _differ_by_a_suffix(name, other) and (name, other) not in ALIKE
    ]
    assert found == []


def _differ_by_a_suffix(name: str, longer: str) -> bool:
    if longer.startswith(f"{name}_"):
        return True
    first, _, rest = longer.partition("_")
    if rest and name in {f"{first}s", f"{first}es"}:
        return False
    return re.sub(_SUFFIXES, "", name) == re.sub(_SUFFIXES, "", first if rest else longer)
