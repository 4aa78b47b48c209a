"""What is told of a place, and the outline."""

from __future__ import annotations

from pathlib import Path

import pytest

from slp.lsp.checks import Job, check
from slp.lsp.hover import hover_text
from slp.lsp.names import NameIndex
from slp.lsp.outline import outline
from slp.messages import entries
from slp.source import SourceFile
from tests.lsp.at_cursor import split_at_cursor

TEXT = """\
% data: t.csv
:- use(growtree, [alpha = 0.9]).
box(infant, age, 0, 24).
:- constraint(constant(infant)).
:- ignore(ward).
0.4 :: coin(heads).
0.6 :: coin(tails).
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "t.csv").write_text("age,ward,y\n1,a*b,0\n2,c,1\n3,c,0\n4,,1\n")
    return tmp_path


def told(text: str, folder: Path) -> str | None:
    source, offset = split_at_cursor(text, folder)
    checked = check(Job(source.text, folder / "p.slp"))
    return hover_text(source, NameIndex(source), checked, offset)


@pytest.mark.parametrize(
    ("at", "want"),
    [
        ("grow|tree", "priors/growtree.slp"),
        ("grow|tree", "a node at depth D splits with probability"),
        ("al|pha", "`alpha = 0.9`"),
        (":- us|e", "A directive: `:- use(growtree, [alpha = 0.9]).`"),
        ("constant(inf|ant", "`The box infant (0 <= age < 24).`"),
        ("constant(inf|ant", "The box infant (0 \\<= age \\< 24) is not cut"),
        (":- constraint(con|stant", "A constraint: `constant(Box)`"),
        ("infant, a|ge", "The column `age` of the table: numbers, 1 to 4, 4 different values"),
        ("ignore(wa|rd", "text, 2 different values: a\\*b, c, 1 missing"),
        ("co|in(heads", "The predicate `coin/1`: 2 clauses"),
        ("co|in(heads", "Labels of coin(heads) and coin(tails): 0.4 + 0.6 = 1."),
    ],
)
def test_a_place_is_told_of(folder: Path, at: str, want: str) -> None:
    plain = at.replace("|", "")
    have = told(TEXT.replace(plain, at, 1), folder)
    assert have is not None and want in have


def test_a_rule_is_told_in_words_with_its_sums(folder: Path) -> None:
    have = told(":- start(t).\n0.5 :: t -->| leaf.\n0.5 :: t --> split(F, V), t, t.\n", folder)
    assert have == "t becomes a leaf, with probability 0.5.\n\nLabels in `t`: 0.5 + 0.5 = 1."


def test_a_finding_has_the_page_of_its_code(folder: Path) -> None:
    have = told(":- use(growtree, [al|fa = 1]).\n", folder)
    assert have is not None and entries()["E106"].to_text() in have


def test_without_a_check_the_text_alone_tells() -> None:
    source, offset = split_at_cursor(":- us|e(growtree).\n")
    have = hover_text(source, NameIndex(source), None, offset)
    assert have == "A directive: `:- use(growtree, [alpha = 0.9]).`"


def test_nothing_is_told_between_clauses(folder: Path) -> None:
    assert told("a(x).\n|\nb(y).\n", folder) is None


def test_the_outline_has_clauses_under_their_name() -> None:
    text = ":- use(growtree).\nf(1).\nf(2).\n1 :: t --> leaf.\nf(3).\n:- ignore(a).\n"
    parts = outline(SourceFile("p.slp", text))
    assert [(p.name, p.kind, len(p.inside)) for p in parts] == [
        ("use(growtree)", "directive", 0),
        ("f/1", "predicate", 2),
        ("t//0", "nonterminal", 1),
        ("f/1", "predicate", 1),
        ("ignore(a)", "directive", 0),
    ]
    assert parts[1].span.text == "f(1).\nf(2)."
    assert [p.span.text for p in parts[1].inside] == ["f(1).", "f(2)."]
    assert parts[2].name_at.text == "t"
    for part in parts:
        assert part.span.start <= part.name_at.start <= part.name_at.end <= part.span.end
