"""SWI-Prolog reads every program, and every text that this parser accepts, as the same term."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from slp.errors import ProgramError
from slp.source import SourceFile
from slp.syntax import format_program, parse_program, parse_term
from tests.syntax.swi_prolog import nodes, read_file, read_texts
from tests.syntax.test_parse_term import CONSTANTS, OPERATORS, STRUCTURES

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted(
    path
    for folder in ("priors", "examples", "tests/programs/good", "tests/syntax/programs")
    for path in (ROOT / folder).rglob("*.slp")
)

# Texts that need a decision: both readers accept them, or both refuse.
TEXTS = (Path(__file__).parent / "tricky_terms.txt").read_text(encoding="utf-8").splitlines()

# What SWI-Prolog reads beyond the language: calls on dicts, more numbers, codes and '[]'.
EXTENSIONS = [
    "a.b", "X.y", "1 000", "1_ 000", "16'F_F", "0xff_ff", "0''", "1r3", "1.5NaN",
    "`abc`", "0'\\x41", "'[]'", "a/* b /* c */ d */", "'a\nb'", "\u20ac",
]  # fmt: skip

WORDS = (
    "a b X _ 1 2.5 f( -( +( *( =( ( ) [ ] { } , | - + * = \\+ :- --> :: dynamic table is mod ; "
    "-> ^ ** \\ : 'q' 'is' \"s\" -1 f(x) (a) [] ! 0'a $ ?- [a|b] \\+( $( dynamic( is( ::( >"
).split()


def _read(text: str) -> list[str] | None:
    try:
        return nodes(parse_term(text))
    except ProgramError:
        return None


def test_tricky_texts_read_alike(swipl: str, tmp_path: Path) -> None:
    texts = [f"{text} ." for text in TEXTS]
    texts += [f"{text} ." for text, _ in CONSTANTS + STRUCTURES + OPERATORS]
    want = read_texts(swipl, texts, tmp_path)
    have = [_read(text) for text in texts]
    assert dict(zip(texts, have, strict=True)) == dict(zip(texts, want, strict=True))


def test_extensions_are_refused(swipl: str, tmp_path: Path) -> None:
    texts = [f"{text} ." for text in EXTENSIONS]
    assert None not in read_texts(swipl, texts, tmp_path)
    assert [_read(text) for text in texts] == [None] * len(texts)


def _random_text(rng: random.Random) -> str:
    words = [rng.choice(WORDS) + " " * (rng.random() < 0.8) for _ in range(rng.randint(1, 7))]
    text = "".join(words)
    return text + ")" * (text.count("(") - text.count(")")) + " ."


def test_random_texts_that_are_accepted_read_alike(swipl: str, tmp_path: Path) -> None:
    rng = random.Random(20)
    texts = [_random_text(rng) for _ in range(2000)]
    accepted = {text: have for text in texts if (have := _read(text)) is not None}
    want = read_texts(swipl, accepted, tmp_path)
    assert accepted == dict(zip(accepted, want, strict=True))
    assert len(accepted) > 250


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: str(path.relative_to(ROOT)))
def test_programs_read_alike(path: Path, swipl: str, tmp_path: Path) -> None:
    program = parse_program(SourceFile.read(path))
    have = [nodes(item.term) for item in program.items]
    assert have == read_file(swipl, path, tmp_path)
    formatted = tmp_path / "formatted.slp"
    formatted.write_text(format_program(program), encoding="utf-8")
    assert have == read_file(swipl, formatted, tmp_path)


def test_there_are_programs() -> None:
    assert len(PROGRAMS) >= 11
