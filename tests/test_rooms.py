"""What changes together lives together: how many files name one thing of a kind."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import slp
from slp import constraints
from slp.ir.constraints import Constraint
from slp.leaves import MODELS

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = Path(slp.__file__).parent

#: By kind of column, the names that stand for it alone in the core.
KINDS_IN_CORE = {
    "thresholds": r"\bThresholds\b|\bFeatureKind::(values|cuts)\b|columns/thresholds\.hpp",
    "levels": r"\bLevels\b|\bFeatureKind::levels\b|columns/levels\.hpp",
    "subsets": r"\bSubsets\b|\bsubsets\b|\bkMostInSubsets\b",
    "ordered_subsets": r"\bOrderedSubsets\b|\bordered_subsets\b",
    "sided": r"\bSided\b|\bholes\b|columns/sided\.hpp",
}


def files_of_core() -> Iterator[tuple[str, str]]:
    """The path and the text, without comments, of each file of the core but its tests."""
    core = ROOT / "native" / "core"
    for path in sorted(core.rglob("*.?pp")):
        text = re.sub(r"//[^\n]*", "", path.read_text("utf-8"))
        yield path.relative_to(core).as_posix(), text


@pytest.mark.parametrize("kind", KINDS_IN_CORE)
def test_a_kind_of_column_is_named_by_few_files_of_the_core(kind: str) -> None:
    """Its header, the data of a feature, the list of kinds, and one that is built on it."""
    found = [path for path, text in files_of_core() if re.search(KINDS_IN_CORE[kind], text)]
    assert f"problem/columns/{kind}.hpp" in found
    assert len(found) <= 4, found


@cache
def columns_in_files() -> list[tuple[str, set[str], set[str]]]:
    """Each file, with its classes, and the names that it imports from `slp.columns`."""
    found = []
    for path in sorted((ROOT / "slp").rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        imports = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
        of_room = [n for n in imports if (n.module or "").startswith("slp.columns")]
        classes = {n.name for n in tree.body if isinstance(n, ast.ClassDef)}
        names = {alias.name for n in of_room for alias in n.names}
        found.append((path.relative_to(ROOT).as_posix(), classes, names))
    return found


@pytest.mark.parametrize(
    "kind", ["Numeric", "Binned", "Ordinal", "Nominal", "Subsets", "OrderedSubsets", "Sided"]
)
def test_a_kind_of_column_is_named_by_few_files(kind: str) -> None:
    """Its file, the names of the room, the reader of archives, the coding of tables, and those that
    are built on it. What parts of a program and its messages say is not counted."""
    found = []
    for file, classes, imported in columns_in_files():
        if (kind in classes and file.startswith("slp/columns/")) or kind in imported:
            found.append(file)
    assert any(name.startswith("slp/columns/") for name in found)
    assert len(found) <= 6, found


#: By kind of split: the names of its column, of its test and of its declaration, with a flag that
#: it alone has; its words in programs and archives; how many files of Python may have one. What a
#: kind answers in general words (`ColumnKind`, as `not_with`) is not counted. The aim for a new
#: kind is 6: its file, the tests, their JSON data, what its declaration means, the names of the
#: room, and one more. Above it are: of levels those built on them; of missing values that take a
#: side the archive, the coding of such a column, and what lowering knows of a table
#: (`Schema.holes`), as they are part of columns of any kind; of thresholds soft trees, trees of
#: scikit-learn, and regions of constraints, which have thresholds of their own.
SPLITS = {
    "ordinal": ({"Ordinal"}, set(), 4),
    "levels": ({"Nominal", "Is"}, set(), 7),
    "subsets": ({"Subsets", "SplitsBySubsets", "In"}, {"subsets"}, 6),
    "ordered_subsets": (
        {"OrderedSubsets", "SplitsInOrder", "looks_at_response"},
        {"ordered"},
        5,
    ),
    "sides": ({"Sided", "IsMissing", "holes"}, {"holes"}, 11),
    "thresholds": ({"Below"}, set(), 9),
}


@pytest.mark.parametrize("kind", SPLITS)
def test_a_kind_of_split_touches_few_files(kind: str) -> None:
    """Counted by names, and by words in texts that are no prose. These counts may only fall."""
    own, words, most = SPLITS[kind]
    home = "numeric" if kind == "thresholds" else kind
    found = {f"columns/{home}.py"} | {
        file
        for file, names, texts in files_of_package()
        if own & names
        or words & {word for t in texts if " " not in t for word in re.findall(r"\w+", t)}
    }
    assert len(found) <= most, sorted(found)


# --- constraints -------------------------------------------------------------------------------

#: Folders and files of texts for people, as docs are: messages, and a first program for a table.
TEXTS = ("messages/", "program/starting.py")

#: Constraints that a tree grammar itself holds, as `max_leaves` and as tests of its leaf rules:
#: what goes through grammars has these words. Only their classes are counted.
IN_THE_GRAMMAR = {"max_leaves", "majority"}
#: Names that are words of many other things, too. Only their classes are counted in the core, and
#: in Python what is written as a constraint.
PLAIN_WORDS = {"constant", "forbid", "first", "before", "once", "predicate"}


def names_and_texts(code: str) -> tuple[set[str], list[str]]:
    """The identifiers of a file of Python, and its texts without docstrings."""
    names, texts, docs = set(), [], set()
    for node in ast.walk(ast.parse(code)):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            docs.add(id(body[0].value))
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                names.add(name)
            case ast.keyword(arg=str(name)):
                names.add(name)
            case ast.alias(name=name):
                names.update(name.split("."))
            case ast.Constant(value=str(text)) if id(node) not in docs:
                texts.append(text)
    return names, texts


@cache
def files_of_package() -> list[tuple[str, set[str], list[str]]]:
    """Each file but those of texts, with its identifiers and texts."""
    files = [(path.relative_to(PACKAGE).as_posix(), path) for path in sorted(PACKAGE.rglob("*.py"))]
    return [
        (file, *names_and_texts(path.read_text("utf-8")))
        for file, path in files
        if not file.startswith(TEXTS)
    ]


def constraint_classes() -> list[type[Constraint]]:
    known = [getattr(constraints, name) for name in constraints.__all__]
    return [c for c in known if isinstance(c, type) and issubclass(c, Constraint)]


@pytest.mark.parametrize("kind", constraint_classes(), ids=lambda kind: kind.name)
def test_a_constraint_touches_three_files_and_one_of_the_core(kind: type[Constraint]) -> None:
    """Its own file, the list, and the check of finished trees (of predicates: what runs them)."""
    home = kind.__module__.rpartition(".")[2]
    words = {kind.name} - IN_THE_GRAMMAR
    written = re.compile("|".join(rf"constraint\({word}\(|`{word}[`(]" for word in words) or "(?!)")
    counted = words - PLAIN_WORDS
    touched = {
        file
        for file, names, texts in files_of_package()
        if kind.__name__ in names
        or counted & {*names, *texts}
        or (f"constraints/{home}.py" == file)
        or any(map(written.search, texts))
    }
    assert {"constraints/__init__.py", f"constraints/{home}.py"} <= touched
    assert len(touched) <= 3, sorted(touched)
    in_core = {
        path.removesuffix(".hpp").removesuffix(".cpp")  # a header and its source are one
        for path, text in files_of_core()
        if counted & set(re.findall(r"\w+", text))
    }
    assert len(in_core) <= 1, sorted(in_core)


# --- leaf models -------------------------------------------------------------------------------


@cache
def files_of_slp() -> dict[str, tuple[set[str], set[str]]]:
    """By the path of each file of slp beside its messages: the names in it, and the words of its
    strings that are no docstrings."""
    package = ROOT / "slp"
    files = {path.relative_to(package).as_posix(): path for path in package.rglob("*.py")}
    return {
        file: names_and_words(ast.parse(path.read_text("utf-8")))
        for file, path in files.items()
        if not file.startswith("messages/")
    }


def names_and_words(tree: ast.AST) -> tuple[set[str], set[str]]:
    """See `files_of_slp`."""
    found: set[str] = set()
    words: set[str] = set()
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.ImportFrom(module=str(name)) | ast.alias(name=name):
                found |= {*name.split(".")}
            case ast.Constant(value=str(text)) if id(node) not in told:
                words |= set(re.findall(r"\w+", text))
    return found, words


@pytest.mark.parametrize("model", MODELS)
def test_a_leaf_model_is_named_by_few_files(model: str) -> None:
    """Its own, the list of the models, and the public names of their room."""
    found = [
        file
        for file, (names, words) in files_of_slp().items()
        if names & {model, MODELS[model].__name__} or model in words
    ]
    assert f"leaves/{model}.py" in found
    assert len(found) <= 3, found


@pytest.mark.parametrize("model", MODELS)
def test_a_leaf_model_is_named_by_one_file_of_the_core(model: str) -> None:
    found = [path for path, text in files_of_core() if re.search(rf"\b{model}\b", text)]
    assert found == ([] if MODELS[model].soft_trees else ["problem/leaf_formulas.cpp"])
