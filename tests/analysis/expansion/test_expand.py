"""`slp expand`: the exact clauses, and that they can be read again."""

from __future__ import annotations

from pathlib import Path

import pytest

from slp.analysis import check_program, expand_program
from slp.errors import UnsupportedError
from slp.folders import folders_of
from slp.resources import prior_file, prior_names
from slp.source import SourceFile
from slp.syntax import parse_program
from tests.syntax.swi_prolog import nodes, read_file

GOOD = sorted((Path(__file__).resolve().parents[2] / "programs" / "good").glob("*.slp"))

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

near(X, Y) :-
    X < Y,
    (Y < 3 ; X > 1).

p :: go(K, Box, split(F, V, Left, leaf)) :-
    (near(0, K) ; K > 5),
    split_box(Box, F, V, all, Below, _Above),
    once((F == age -> V < 3 ; true)),
    State is K+p,
    go(State, Below, Left).

1-p :: go(Box, Box1, Tree) :-
    Box = Box,
    State is p,
    stop(a-Box, State, Box1, Tree).

1 :: stop(_, _, _Box, leaf).

% A tree grows by the goal `go(1, Box, Tree)`.

% Without a table no box can be cut: `slp expand FILE DATA` has the splits of a table.
split_box(_Box, _F, _V, _Measure, _Below, _Above) :-
    fail.
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


def test_an_expansion_keeps_what_is_declared_and_has_no_mistakes() -> None:
    text = """
        :- use(growtree).
        :- response(ill).
        :- leaf(dirichlet([1, 2])).
        :- feature(age, [cuts([18, 40])]).
        :- feature_weight(age, 2).
        :- ignore([id, date]).
        :- support([min_leaf(5), max_depth(3)]).
        :- failure(condition).
        box(b, age, 0, 24).
        :- constraint(constant(b)).
        :- constraint(forbid([dose, sex], below(2))).
    """
    program = check_program(parse_program(SourceFile("t.slp", text)))
    again = check_program(parse_program(SourceFile("expanded.slp", expand_program(program))))
    for name in ("response", "leaf", "features", "feature_weights", "ignored", "support"):
        assert getattr(again, name) == getattr(program, name)
    assert (again.failure, again.boxes) == (program.failure, program.boxes)
    assert again.constraints == program.constraints


@pytest.mark.parametrize("path", GOOD, ids=lambda p: p.stem)
def test_every_expansion_is_without_mistakes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    text = expanded(SourceFile.read(path))
    again = SourceFile("expanded.slp", text, folders_of(path, ()))
    check_program(parse_program(again))


def test_a_label_that_depends_on_rows_needs_a_table() -> None:
    text = ":- start(t). 1 - 1/N :: t --> { rows(N) }, split(_, _), t, t.\n"
    text += "1/N :: t --> { rows(N) }, leaf."
    program = check_program(parse_program(SourceFile("rows.slp", text)))
    with pytest.raises(UnsupportedError, match="E165"):
        expand_program(program)


def test_a_split_on_nameless_variables_hands_them_to_the_tree() -> None:
    text = ":- start(r).\n0.8 :: r --> split(_, _), leaf, leaf.\n0.2 :: r --> leaf.\n"
    want = "r(Box, split(F, V, leaf, leaf)) :-\n    split_box(Box, F, V, feature_then_cut"
    assert want in expanded(SourceFile("t.slp", text))
    text = ":- start(r(1)).\n1 :: r(F) --> { F > 0 }, split(_, V), leaf, leaf.\n"
    assert "split(F1, V, leaf, leaf)" in expanded(SourceFile("t.slp", text))
