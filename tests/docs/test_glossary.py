"""The glossary is sorted, and has the words of which the names of folders and classes are made."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import slp
from tests.docs.pages import ROOT

PACKAGE = Path(slp.__file__).parent
CORE, BINDINGS = ROOT / "native" / "core", ROOT / "native" / "bindings"
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text("utf-8")

#: Words in the names of classes that have their meaning in English, in Python or in a textbook of
#: probability, and so need no entry.
PLAIN = set(
    """
    again argument arithmetic array ask at begun below binding bit branch call change check
    climb comment compare constant count cross damage deep difference each end enough evaluate
    everything exponential fall fault figure file found full function gamma give grid hold how
    html in independent integer inverse kind know language layout least limit line linear log
    make many max mean merge meter most name need new no normal not nothing on one op open or
    other over override own page pair part path poisson prepare product question read real
    refuse replace rise root script seed share side size small spot start status stop sum team text
    thread time to too unavailable undefine uniformly unsupport usage use uses validation whole
    with within
    """.split()
)

_ENDINGS = re.compile(r"(?:ations?|ions?|ings?|ements?|ies|y|ers?|ors?|ives?|ed|es|al|s|e|ity)$")
_IRREGULAR = {
    "leaves": "leaf",
    "drawn": "draw",
    "grown": "grow",
    "kept": "keep",
    "given": "give",
    "known": "know",
    "made": "make",
    "used": "use",
}
_EMPHASIS = re.compile(r"\*\*([^*\n]+)\*\*|\*([^*\n]+)\*")
_INCLUDE = re.compile(r'^#include "(.+)"$', re.MULTILINE)
_CORE_CLASS = re.compile(r"^(?:class|struct|enum class) ([A-Z]\w+)[^;(]*\{", re.MULTILINE)
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")


def _stem(word: str) -> str:
    """A word without its ending: `sampler`, `sampled` and `sampling` have one stem."""
    word = _IRREGULAR.get(word, word)
    while len(short := _ENDINGS.sub("", word)) >= 3 and short != word:
        word = short
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def _explained() -> set[str]:
    """Stems of the words that the glossary explains: its headwords, and words in italics."""
    return {
        _stem(word)
        for match in _EMPHASIS.finditer(GLOSSARY)
        for word in re.findall(r"[a-z]+", (match[1] or match[2]).lower())
    }


def _public_classes() -> Iterator[str]:
    """Those of the package, and of the core's headers that the bindings include."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield node.name
    texts = [path.read_text("utf-8") for path in BINDINGS.rglob("*.?pp")]
    headers = {name for text in texts for name in _INCLUDE.findall(text)}
    for path in sorted(CORE / name for name in headers):
        if path.exists():  # others are of the bindings
            yield from _CORE_CLASS.findall(path.read_text("utf-8"))


def test_entries_are_sorted() -> None:
    heads = [head.casefold() for head in re.findall(r"^\*\*([^*]+)\*\*", GLOSSARY, re.MULTILINE)]
    assert heads == sorted(heads)
    assert len(heads) == len(set(heads))


def test_every_folder_is_in_the_glossary() -> None:
    explained = _explained()
    of_package = {path.parent.name for path in PACKAGE.rglob("*.py")} - {"slp"}
    of_core = {part for path in CORE.rglob("*.?pp") for part in path.parent.name.split("_")}
    folders = sorted(of_package | of_core)
    assert [name for name in folders if _stem(name) not in explained] == []


def test_every_word_of_a_class_is_in_the_glossary() -> None:
    known = _explained() | {_stem(word) for word in PLAIN}
    missing = {
        (word.lower(), name)
        for name in _public_classes()
        for word in _WORD.findall(name)
        if _stem(word.lower()) not in known
    }
    assert sorted(missing) == []


def test_no_word_is_both_plain_and_in_the_glossary() -> None:
    explained = _explained()
    used = {_stem(word.lower()) for name in _public_classes() for word in _WORD.findall(name)}
    assert [word for word in sorted(PLAIN) if _stem(word) in explained] == []
    assert [word for word in sorted(PLAIN) if _stem(word) not in used] == []
