"""`slp expand`: the exact clauses, and that they can be read again."""

from __future__ import annotations

from pathlib import Path

import pytest

from slp.analysis import check_program, expand_program
from slp.resources import prior_file, prior_names
from slp.source import SourceFile
from slp.syntax import parse_program
from tests.syntax.swi_prolog import nodes, read_file

GOOD = sorted((Path(__file__).resolve().parents[1] / "programs" / "good").glob("*.slp"))

PROGRAM = """
:- param(p, 0.5).
:- start(go(1)).
near(X, Y) :- X < Y, ( Y < 3 ; X > 1 ).
p     :: go(K) --> { near(0, K) ; K > 5 }, split(F, V, all), { F == age -> V < 3 ; true },
                   go(K+p), leaf.
1 - p :: go(Box) --> { Box = Box }, stop(a-Box, p).
1     :: stop(_, _) --> leaf.
"""

WANT = """\
:- param(p, 0.5).
:- start(go(1)).

near(X, Y) :-
    X < Y,
    (Y < 3 ; X > 1).

p :: go(K, Box, split(F, V, Left, leaf)) :-
    (near(0, K) ; K > 5),
    split(Box, F, V, all, Below, Above),
    once((F == age -> V < 3 ; true)),
    State is K+p,
    go(State, Below, Left).

1-p :: go(Box, Box1, Tree) :-
    Box = Box,
    State is p,
    stop(a-Box, State, Box1, Tree).

1 :: stop(_, _, _Box, leaf).
"""


def expanded(source: SourceFile) -> str:
    return expand_program(check_program(parse_program(source)))


def test_expansion_is_exact() -> None:
    # Spaces around operators are the printer's affair.
    have = expanded(SourceFile("t.slp", PROGRAM)).replace(" ", "")
    assert have == WANT.replace(" ", "")


@pytest.mark.parametrize("name", prior_names())
def test_expansion_of_a_library_prior_can_be_read_again(name: str) -> None:
    text = expanded(prior_file(name))
    items = parse_program(SourceFile("expanded.slp", text)).items
    rules = check_program(parse_program(prior_file(name))).rules
    assert len([i for i in items if getattr(i, "label", None) is not None]) == len(rules)
    assert "-->" not in text


def test_swi_prolog_reads_expansions_as_the_same_terms(swipl: str, tmp_path: Path) -> None:
    for source in [*map(SourceFile.read, GOOD), *map(prior_file, prior_names())]:
        path = tmp_path / Path(source.name).name
        path.write_text(expanded(source), encoding="utf-8")
        have = [nodes(item.term) for item in parse_program(SourceFile.read(path)).items]
        assert have == read_file(swipl, path, tmp_path)
