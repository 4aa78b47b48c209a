"""What changes together lives together: how many files name one thing of a kind."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from slp import constraints
from slp.ir.constraints import Constraint
from slp.leaves import MODELS
from tests.arrows import PACKAGE, all_arrows, trees_of_files_with

ROOT = Path(__file__).resolve().parent.parent

#: By kind of column, the names that stand for it alone in the core.
KINDS_IN_CORE = {
    "thresholds": r"\bThresholds\b|\bFeatureKind::(values|cuts)\b|columns/thresholds\.hpp",
    "levels": r"\bLevels\b|\bFeatureKind::levels\b|columns/levels\.hpp",
    "subsets": r"\bSubsets\b|\bsubsets\b|\bkMostInSubsets\b",
    "ordered_subsets": r"\bOrderedSubsets\b|\bordered_subsets\b",
    "concepts": r"\bConcepts\b|columns/concepts\.hpp",
    "sided": r"\bSided\b|\bholes\b|columns/sided\.hpp",
}


@cache
def files_of_core() -> list[tuple[str, str]]:
    """The path and the text, without comments, of each file of the core but its tests."""
    core = ROOT / "native" / "core"
    return [
        (path.relative_to(core).as_posix(), re.sub(r"//[^\n]*", "", path.read_text("utf-8")))
        for path in sorted(core.rglob("*.?pp"))
    ]


@pytest.mark.parametrize("kind", KINDS_IN_CORE)
def test_a_kind_of_column_is_named_by_few_files_of_the_core(kind: str) -> None:
    """Its header, the data of a feature, the list of kinds, and one that is built on it."""
    found = [path for path, text in files_of_core() if re.search(KINDS_IN_CORE[kind], text)]
    assert f"problem/columns/{kind}.hpp" in found
    assert len(found) <= 4, found


@pytest.mark.parametrize(
    "kind",
    ["Numeric", "Binned", "Ordinal", "Nominal", "Subsets", "OrderedSubsets", "Concepts", "Sided"],
)
def test_a_kind_of_column_is_named_by_few_files(kind: str) -> None:
    """Its file, the names of the room, the reader of archives, the coding of tables, and those that
    are built on it. What parts of a program and its messages say is not counted."""
    room = ((path, path.read_text("utf-8")) for path in (PACKAGE / "columns").rglob("*.py"))
    own = {path.relative_to(PACKAGE) for path, text in room if f"\nclass {kind}" in text}
    found = own | {
        arrow.file
        for arrow in all_arrows(PACKAGE)
        if arrow.module.startswith("slp.columns") and arrow.name == kind
    }
    assert len(own) == 1
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
    "levels": ({"Nominal", "Is"}, set(), 8),
    "concepts": ({"Concepts", "SplitsByConcepts"}, set(), 5),
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

#: The checker of certificates shares nothing with slp, and has each constraint a second time. Its
#: tests compare it with the check of trees.
ALONE = "trees/certificates/check_certificate.py"

#: Folders and files of texts for people, as docs are: messages, and a first program for a table.
TEXTS = ("messages/", "program/starting.py")

#: Constraints that a tree grammar itself holds, as `max_leaves` and as tests of its leaf rules:
#: what goes through grammars has these words. Only their classes are counted.
IN_THE_GRAMMAR = {"max_leaves", "majority"}
#: Names that are words of many other things, too. Only their classes are counted in the core, and
#: in Python what is written as a constraint.
PLAIN_WORDS = {"constant", "forbid", "first", "before", "once", "predicate"}


def names_and_texts(tree: ast.AST) -> tuple[set[str], list[str]]:
    """The identifiers of a file of Python, and its texts without docstrings."""
    names, texts, docs = set(), [], set()
    for node in ast.walk(tree):
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
    return [
        (file, *names_and_texts(tree))
        for file, tree in trees_of_files_with("")
        if not file.startswith((*TEXTS, ALONE))
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


def names_and_words(tree: ast.AST) -> tuple[set[str], set[str]]:
    """The names in a file, and the words of its strings that are no docstrings."""
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


def names(tree: ast.AST, model: str, own: set[str]) -> bool:
    """Whether a file names a model: by its class or name, or by its word in a string."""
    found, words = names_and_words(tree)
    return bool(found & own) or model in words


@pytest.mark.parametrize("model", MODELS)
def test_a_leaf_model_is_named_by_few_files(model: str) -> None:
    """Its own, the list of the models, and the public names of their room; messages are not
    counted, nor is that of known class probabilities, which are a limit of `dirichlet`, nor the
    prior of feature weights, whose distribution has the same name."""
    own = {model, MODELS[model].__name__}
    found = [
        file
        for file, tree in trees_of_files_with(rf"\b({'|'.join(own)})\b")
        if not file.startswith("messages/") and names(tree, model, own)
    ]
    assert f"leaves/{model}.py" in found
    assert len({*found} - {"leaves/known_shares.py", "ir/weights_prior.py"}) <= 3, found


@pytest.mark.parametrize("model", MODELS)
def test_a_leaf_model_is_one_struct_of_the_core(model: str) -> None:
    """The list of all of them, in leaf_formulas.cpp, includes its file."""
    found = [path for path, text in files_of_core() if re.search(rf"\b{model}\b", text)]
    own = [path for path in found if path != "problem/leaf_formulas.cpp"]
    assert len(own) == (0 if MODELS[model].soft_trees else 1)
    assert all(path.startswith("problem/leaves/") for path in own)
