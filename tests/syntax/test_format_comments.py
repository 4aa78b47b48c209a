"""What `format_program` writes: the same terms and comments, readable, and a fixed point of itself,
for programs with long names and comments anywhere."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slp.source import SourceFile
from slp.syntax import format_program, parse_program
from slp.syntax.ast import SourceProgram
from slp.syntax.lark_parser import Tokens

CONSTANTS = ["a", "bb", "X", "2.5", '"text"', "'q w'", "long_" * 6, "verylong_" * 13, "[]"]


def some_term(r: Random, depth: int = 0) -> str:
    if depth > 3 or r.random() < 0.35:
        return r.choice(CONSTANTS)
    some = [some_term(r, depth + 1) for _ in range(r.randint(1, 4))]
    first, listed = some[0], ", ".join(some)
    operator = r.choice(["+", "-", "*", "=", "is", "->", ";", ","])  # `::` is no goal
    return r.choice(
        [
            f"f({listed})",
            f"{'name_' * 8}({listed})",
            f"[{listed}]",
            f"{{ {first} }}",
            f"({first} {operator} {some[-1]})",
            f"- ({first})",
            f"(\\+ {first})",
        ]
    )


def some_head(r: Random) -> str:
    arguments = f"({some_term(r, 2)})"
    return r.choice(
        ["q" * r.randint(1, 130), "h" * r.randint(1, 115) + arguments, "a", "p" + arguments]
    )


def some_clause(r: Random) -> str:
    label = r.choice(["", "0.5 :: ", "alpha * (1 + D) :: ", "l" * r.randint(30, 110) + " :: "])
    goals = ", ".join(r.choice([some_term(r, 2), some_head(r)]) for _ in range(r.randint(1, 4)))
    head = some_head(r)
    return r.choice(
        [f":- {head}.", f"{label}{head}."]
        + 3 * [f"{label}{head} {r.choice([':-', '-->'])} {goals}."]
    )


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A program with blanks, line ends and comments strewn between its tokens."""
    r = draw(st.randoms(use_true_random=False))
    text = "\n".join(some_clause(r) for _ in range(r.randint(1, 4))) + "\n"
    often = r.choice([0.03, 0.1, 0.3])
    out, end = [], 0
    before = ""
    for i, token in enumerate(Tokens(SourceFile("", text))):
        assert token.start_pos is not None and token.end_pos is not None
        gap = text[end : token.start_pos]
        if before != "FUNCTOR" and r.random() < often:
            own = f"\n% {'x' * r.randint(0, 100)}\n"
            gap = r.choice(
                [
                    f" % {i}\n",
                    f" /* {i} */ ",
                    own,
                    "\n\n",
                    f" /* {i}\n   two */ ",
                    "\n",
                    " /**/ % c\n",
                ]
            )
        out += [gap, str(token)]
        before, end = token.type, token.end_pos
    return "".join([*out, r.choice(["\n", " % end", "\n% end\n"])])


def comments(program: SourceProgram) -> list[str]:
    return sorted(" ".join(comment.text.split()) for comment in program.comments)


def check(text: str) -> str:
    """The formatted text, once it has been seen to be right."""
    program = parse_program(SourceFile("p.slp", text))
    formatted = format_program(program)
    again = parse_program(SourceFile("p.slp", formatted))
    assert [item.term for item in again.items] == [item.term for item in program.items]
    assert comments(again) == comments(program)
    assert format_program(again) == formatted
    return formatted


@given(programs())
@settings(max_examples=150, deadline=None, derandomize=True)
def test_any_program_with_comments_keeps_its_meaning_and_its_layout(text: str) -> None:
    check(text)


@pytest.mark.parametrize("arrow", [":-", "-->"])
@pytest.mark.parametrize("comment", ["% c", "/* c */", "/* c\n d */", "/* c */ % d"])
@pytest.mark.parametrize("length", [90, 97, 98, 115, 130])
def test_a_comment_behind_a_long_head(arrow: str, comment: str, length: int) -> None:
    check(f"{'h' * length} {comment}\n{arrow} b.\n")
    check(f"{'h' * length} {arrow} {comment}\nb.\n")
    check(f"{'h' * length} {comment}\n{arrow} {comment}\nb, c.\n")


def test_deep_prefix_operators_stay_as_they_are_written() -> None:
    """In the standard layout each would take brackets, of which only 500 may be nested."""
    text = "0.5   :: a :- X is " + "- " * 600 + "1 /* d */ , b. % c\n0.5 ::  a  :- c.\n"
    assert check(text) == text.replace(" % c", "  % c").replace("0.5 ::  a  ", "0.5 :: a ")
    check(":- op(200, fy, ~).\np( " + "~ " * 600 + "\n a).\n")
    check("p(X) :- X is " + "2^ - " * 600 + "1.\n")
    assert check("p( - - - 1).") == "p(-(-(-(1)))).\n"
