"""Hostile text: time grows as its length does, memory hardly, and what is too large is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import slp
from slp.errors import SlpError
from slp.program import find_mistakes
from slp.source import SourceFile
from slp.syntax import parse, parse_recovering, parse_term
from slp.syntax.mistakes import MOST_MISTAKES, excerpt
from tests.growth import assert_linear

# What is repeated, between what begins and what ends it.
REPEATED = {
    "list": ("p([", "1, ", "2])."),
    "facts": ("", "edge(a, b).\n", ""),
    "brackets": ("a", "(", "."),
    "closing brackets": ("a", ")", "."),
    "brackets in a row": ("p([", "f([]), ", "b])."),
    "minus": ("p :- X is ", "- ", "1."),
    "sum": ("p :- X is ", "1 + ", "1."),
    "powers": ("p :- X is ", "2^", "1."),
    "negations": ("p :- ", "\\+ ", "q."),
    "goals": ("p :- ", "q, ", "q."),
    "full stops": ("", ". ", ""),
    "points": ("", "a.", ""),
    "words": ("", "a ", "."),
    "lines": ("", "a\n", "."),
    "anonymous variables": ("p(", "_, ", "_)."),
    "open quote": ("a('", "xx", ""),
    "open quote of escapes": ("a('", "\\\\", ""),
    "open quote of quotes": ("a('", "''", "\n"),
    "open quotes": ("", "a('x\n", ""),
    "digits": ("p(", "11", ")."),
    "grouped digits": ("p(1", "_1", "x)."),
    "versions": ("p(1", ".1", ")."),
    "long name": ("p(", "ab", ")."),
    "open comment": ("", "/*", ""),
    "comments": ("", "%x\n", ""),
    "illegal characters": ("", "\x00", ""),
    "op/3": ("", ":- op(700, xfx, ===).\n", ""),
    "directives without a full stop": ("", ":- a\n", "."),
}


def hostile(name: str, length: int) -> str:
    """A text of about that many characters."""
    begin, repeated, end = REPEATED[name]
    return begin + repeated * (length // len(repeated)) + end


def check(text: str) -> None:
    """All that `slp check` does, but for showing what it finds."""
    try:
        slp.parse(text).explain()
    except SlpError as error:
        assert len(error.diagnostics) <= MOST_MISTAKES + 1


@pytest.mark.thinned(48)
@pytest.mark.parametrize("name", REPEATED)
def test_time_grows_as_the_text_does(name: str) -> None:
    assert_linear(lambda n: check(hostile(name, n)), 8_000)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["open quote of escapes", "open quote of quotes", "grouped digits"]
)
def test_a_long_token_takes_no_memory_beside_the_text(name: str) -> None:
    """In a process of its own, as the memory is that of the regular expressions."""
    code = (
        "import resource, sys\n"
        "from slp.syntax import parse_recovering\n"
        "from slp.source import SourceFile\n"
        "from tests.syntax.test_bounds import hostile\n"
        "def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "parse_recovering(SourceFile('p', hostile(sys.argv[1], 100)))\n"
        "text = hostile(sys.argv[1], 2_000_000)\n"
        "before = peak()\n"
        "parse_recovering(SourceFile('p', text))\n"
        "print(peak() - before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, name], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 100_000, "KiB for a text of 2 MB"


def codes(text: str) -> list[str]:
    return [d.code for d in parse_recovering(SourceFile("p.slp", text))[1]]


def test_a_program_of_too_many_tokens_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse, "MOST_TOKENS", 13)
    assert codes("a(b, c).\na(d).") == []  # 12 of them
    assert codes("a(b, c).\na(d). % e") == []  # 13
    assert codes("a(b, c).\na(d). % e\nf.") == ["E052"]
    with pytest.raises(SlpError, match="E052"):
        parse_term("[1, 2, 3, 4, 5, 6, 7]")


def test_a_program_of_too_many_characters_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse, "MOST_CHARACTERS", 8)
    assert codes("abcdefg.") == []
    (fault,) = parse_recovering(SourceFile("p.slp", "abcdefgh."))[1]
    assert (fault.code, fault.message) == ("E052", "this program has more than 8 characters")


def test_no_more_of_a_file_is_read_than_a_program_may_have(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("slp.source.MOST_CHARACTERS", 8)
    (tmp_path / "long.slp").write_text("a" * 100)
    assert len(SourceFile.read(tmp_path / "long.slp").text) == 9


def test_after_so_many_mistakes_the_rest_is_not_told() -> None:
    found = codes(". " * 5000)
    assert found == ["E040"] * MOST_MISTAKES + ["E053"]
    assert codes(". " * MOST_MISTAKES) == ["E040"] * MOST_MISTAKES


def test_after_so_many_findings_of_the_checker_the_rest_is_not_told() -> None:
    with pytest.raises(SlpError) as error:
        slp.parse("p :- " + "q, " * 5000 + "q.")
    found = error.value.diagnostics
    assert [d.code for d in found] == ["E210"] * MOST_MISTAKES + ["E053"]
    assert found[0].span is not None and found[0].span.start == 5, "the first ones are told"
    assert found[-1].message == "there are more than 1,000 mistakes, of which these are the first"


def test_so_many_findings_of_the_checker_are_told_by_slp_check(tmp_path: Path) -> None:
    path = tmp_path / "p.slp"
    path.write_text("p :- " + "q, " * 5000 + "q.")
    found = find_mistakes(path)
    assert [d.code for d in found] == ["E210"] * MOST_MISTAKES + ["E053"]


def test_so_many_warnings_hide_no_error() -> None:
    with pytest.raises(SlpError) as error:
        slp.parse("".join(f"p{i}(X).\n" for i in range(2000)) + "p :- q.")
    assert [d.code for d in error.value.diagnostics][-2:] == ["E210", "W053"]


@pytest.mark.slow
def test_names_are_suggested_without_comparing_all_with_all() -> None:
    def names(n: int) -> None:
        half = n // 40
        text = "".join(f"predicate{i}.\nq{i} :- pedicate{i}.\n" for i in range(half))
        with pytest.raises(SlpError):
            slp.parse(text)

    assert_linear(names, 10_000)
    with pytest.raises(SlpError):
        slp.parse(f"{'ab' * 200_000}. p :- {'ba' * 200_000}.")


def test_a_long_text_is_not_gone_through_for_an_excerpt() -> None:
    assert excerpt("a " * 100_000 + "b") == "a a a a a a a a a  ... a a a a a a a a b"
