"""The pipeline from text to program: one run reports the mistakes of every stage."""

from __future__ import annotations

import pytest

import slp


def codes(text: str) -> list[str]:
    with pytest.raises(slp.ProgramError) as caught:
        slp.parse(text)
    return [d.code for d in caught.value.diagnostics]


def test_mistakes_of_syntax_and_meaning_in_one_run() -> None:
    text = ":- use(growtree).\n:- constrain(first(a)).\nbox(b, x, 1 2).\n:- support(min_leaf(0)).\n"
    found = codes(text)
    assert found[0] == "E101" and found[-1] == "E109"
    assert len(found) == 3 and found[1].startswith("E0")


def test_what_only_follows_from_an_unread_clause_is_not_reported() -> None:
    text = (
        ":- start(tree(0).\n1 :: tree(_) --> leaf.\nbox(b, x 1, 2).\n:- constraint(constant(b)).\n"
    )
    assert all(code.startswith("E0") for code in codes(text))
    assert len(codes(text)) == 2
