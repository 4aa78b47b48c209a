"""Where names are declared and used, in a program and in the files that it uses."""

from __future__ import annotations

from pathlib import Path

import pytest

from slp.lsp.names import NameIndex
from slp.source import SourceFile, SourceSpan
from tests.lsp.at_cursor import split_at_cursor

PROGRAMS = Path(__file__).resolve().parents[1] / "programs" / "good"

TEXT = """\
:- use(growtree, [alpha = 0.9]).
:- use('own.slp').
:- constraint(constant(infant)).
:- constraint(forbid(bmi, within(infant))).
:- define(bmi, weight / height).
of_group(bmi, body).
of_group(dose, body).
:- constraint(once(body)).
half(X, Y) :- Y is X / 2, small(Y).
small(Y) :- Y < alpha.
0.5 :: mine(D) --> { small(D) }, split(F, V), mine(D+1), leaf.
0.5 :: mine(_) --> leaf.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "own.slp").write_text("% mine\nbox(infant, age, 0, 24).\n")
    return tmp_path


def places(spans: list[SourceSpan]) -> list[str]:
    """`file:line:column`, with the files' own names."""
    return [
        f"{Path(s.file.name).name}:{':'.join(map(str, s.file.line_column(s.start)))}" for s in spans
    ]


@pytest.mark.parametrize(
    ("at", "declared", "named"),
    [
        ("[al|pha", ["growtree.slp:5:10"], ["p.slp:1:19", "p.slp:10:17", "growtree.slp:5:10"]),
        ("use(|growtree", ["growtree.slp:1:1"], ["p.slp:1:8"]),
        ("use('own|.slp", ["own.slp:1:1"], ["p.slp:2:8"]),
        ("constant(infant|", ["own.slp:2:5"], ["p.slp:3:24", "p.slp:4:34", "own.slp:2:5"]),
        ("forbid(|bmi", ["p.slp:5:11"], ["p.slp:4:22", "p.slp:5:11", "p.slp:6:10"]),
        ("once(bo|dy", ["p.slp:6:15", "p.slp:7:16"], ["p.slp:6:15", "p.slp:7:16", "p.slp:8:20"]),
        ("2, sm|all(Y", ["p.slp:10:1"], ["p.slp:9:27", "p.slp:10:1", "p.slp:11:22"]),
        ("{ |small(D", ["p.slp:10:1"], ["p.slp:9:27", "p.slp:10:1", "p.slp:11:22"]),
        ("|mine(D+1", ["p.slp:11:8", "p.slp:12:8"], ["p.slp:11:8", "p.slp:11:47", "p.slp:12:8"]),
        ("Y| is X", ["p.slp:9:9"], ["p.slp:9:9", "p.slp:9:15", "p.slp:9:33"]),
    ],
)
def test_names_lead_to_their_declaration_and_uses(
    folder: Path, at: str, declared: list[str], named: list[str]
) -> None:
    plain = at.replace("|", "")
    assert TEXT.count(plain) == 1
    source, offset = split_at_cursor(TEXT.replace(plain, at), folder)
    names = NameIndex(source)
    here = names.at(source, offset)
    assert here is not None
    assert places(names.declarations(here.meant)) == declared
    have = places(names.places(here.meant))
    assert [place for place in have if place in named] == named
    own = [place for place in have if not place.startswith("growtree")]
    assert own == [place for place in named if not place.startswith("growtree")]


def test_a_nonterminal_and_a_predicate_of_one_name_are_two() -> None:
    source, _ = split_at_cursor("|1 :: a(X) --> { a(X) }, leaf.\na(1).\n:- start(a(1)).\n")
    names = NameIndex(source)
    assert places(names.places(("nonterminal", "a", 1))) == ["<text>:1:6", "<text>:3:10"]
    assert places(names.places(("predicate", "a", 1))) == ["<text>:1:17", "<text>:2:1"]


def test_variables_belong_to_one_clause() -> None:
    source, offset = split_at_cursor("a(X|) :- b(X).\nb(X).\n")
    here = (names := NameIndex(source)).at(source, offset)
    assert here is not None and places(names.places(here.meant)) == ["<text>:1:3", "<text>:1:11"]


def test_quoted_names_are_whole() -> None:
    source, _ = split_at_cursor("|box('my box', 'a''b', 0, 1).\n'odd name'(x) :- 'odd name'(y).\n")
    texts = [o.span.text for o in NameIndex(source).occurrences]
    assert texts == ["box", "'my box'", "'a''b'", "'odd name'", "x", "'odd name'", "y"]


def test_no_name_stands_between_names() -> None:
    source, offset = split_at_cursor("a(x) :-  |  b(y).\nb(y).\n")
    assert NameIndex(source).at(source, offset) is None


#: `edittree` is built in: no file declares it, or its parameters.
WITH_FILES = sorted(path for path in PROGRAMS.glob("*.slp") if path.stem != "edittree")


@pytest.mark.parametrize("path", WITH_FILES, ids=lambda p: p.name)
def test_what_is_called_is_declared(path: Path) -> None:
    """Programs without mistakes declare all that they call; each place has a text of its own."""
    names = NameIndex(SourceFile.read(path))
    for occurrence in names.occurrences:
        assert occurrence.span.text.strip() == occurrence.span.text != ""
        if occurrence.meant[0] in ("nonterminal", "predicate", "box", "parameter", "group", "file"):
            assert names.declarations(occurrence.meant), occurrence
    spans = [(o.span.file.name, o.span.start) for o in names.occurrences]
    assert len(set(spans)) == len(spans)
