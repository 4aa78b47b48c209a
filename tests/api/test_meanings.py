"""What the parts of a text mean, as editors show it."""

from __future__ import annotations

from pathlib import Path

import pytest

from slp.program import find_meanings
from slp.source import SourceFile

PROGRAMS = Path(__file__).resolve().parents[1] / "programs" / "good"


def told(text: str) -> dict[str, list[str]]:
    """The lines of what each part of a text means, by the part."""
    return {
        m.span.text: m.words.splitlines()
        for m in find_meanings(SourceFile("p.slp", text))
        if m.span.file.name == "p.slp"
    }


RULES = """\
:- start(tree(0)).
:- param(p, 0.25).
p * (2 - D) :: tree(D) --> split(F, V), tree(D+1), tree(D+1).
1 - p * (2 - D) :: tree(D) --> leaf.
"""


def test_rules_have_the_sums_of_the_states_where_they_apply() -> None:
    have = told(RULES)
    splits, stops = (RULES.splitlines()[i] for i in (2, 3))
    assert have[stops] == [
        "tree(D) becomes a leaf, with probability 1 - p * (2 - D).",
        "Labels in `tree(0)`: 0.5 + 0.5 = 1.",
        "Labels in `tree(1)`: 0.25 + 0.75 = 1.",
        "Labels in `tree(2)`: 1.",
    ]
    assert have[splits][0].startswith("tree(D) splits into two tree(D+1) (the feature drawn")
    assert have[splits][1:] == have[stops][1:3]  # at depth 2 the label is 0
    assert have[":- param(p, 0.25)."] == ["p = 0.25"]


def test_a_wrong_sum_is_told_too() -> None:
    have = told(RULES.replace("1 - p * (2 - D)", "0.75 - p * (2 - D)"))
    assert "Labels in `tree(1)`: 0.25 + 0.5 = 0.75." in next(
        words for text, words in have.items() if "--> leaf" in text
    )


def test_declarations_and_constraints_have_words() -> None:
    text = (
        ":- use(growtree, [alpha = 0.5]).\n:- support([min_leaf(5), max_depth(3)]).\n"
        "box(young, age, 0, 24).\n:- constraint(constant(young)).\n"
    )
    have = told(text)
    named = {m.name: m.words for m in find_meanings(SourceFile("p.slp", text)) if m.name}
    assert (named["alpha"], named["beta"]) == ("alpha = 0.5", "beta = 1")
    assert named["young"] == "The box young (0 <= age < 24)."
    assert have["min_leaf(5)"] == ["Each side of a split keeps at least 5 rows."]
    assert have["max_depth(3)"] == ["No leaf is deeper than 3."]
    (constraint,) = have[":- constraint(constant(young))."]
    assert constraint.startswith("The box young (0 <= age < 24) is not cut")


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("0.4 :: a(x). 0.6 :: a(y).", "Labels of a(x) and a(y): 0.4 + 0.6 = 1."),
        ("0.4 :: a(x). 0.5 :: a(y).", "Labels of a(x) and a(y): 0.4 + 0.5 = 0.9."),
        (
            "0.4 :: a(x, u). 0.6 :: a(x, v). 1 :: a(y, u).",
            "Labels sum to 1 for each value of some arguments.",
        ),
        ("X :: a(X).", "Labels depend on arguments."),
    ],
)
def test_stochastic_clauses_have_their_sum(text: str, want: str) -> None:
    (first, *_) = told(text).values()
    assert first[0].startswith("This clause of a/") and want in " ".join(first)


def test_texts_with_mistakes_mean_what_can_be_read() -> None:
    have = told(RULES + "a(.\n:- constraint(constant(x)).\n")
    assert len(have) == 3
    assert told("a(") == {}


@pytest.mark.parametrize("path", sorted(PROGRAMS.glob("*.slp")), ids=lambda p: p.name)
def test_every_rule_of_a_program_has_a_meaning(path: Path) -> None:
    source = SourceFile.read(path)
    found = find_meanings(source)
    assert all(m.words and m.span.text for m in found)
    rules = {m.span.text for m in found if "-->" in m.span.text and m.span.file.name == source.name}
    assert len(rules) == source.text.replace("% -->", "").count("-->")
