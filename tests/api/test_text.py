"""`Program.text`: a program as text, with the values of its parameters."""

from __future__ import annotations

import pytest

import slp

COMPUTED = """:- param(a, 0.5).  % half
:- param(b, 2*a).
:- start(t(0)).
a :: t(D) --> leaf.
1 - a :: t(D) --> { D < b }, split(F, V), t(D+1), leaf.
"""


@pytest.mark.parametrize(
    ("text", "values", "want"),
    [
        (":- use(growtree).\n", {"alpha": 0.3}, ":- use(growtree, [alpha = 0.3]).\n"),
        (
            ":- use(growtree, [alpha = 0.7 /* high */]).\n",
            {"alpha": 0.3, "beta": 2},
            ":- use(growtree, [alpha = 0.3 /* high */, beta = 2]).\n",
        ),
        (COMPUTED, {"a": 0.25}, COMPUTED.replace("0.5", "0.25")),
        (COMPUTED, {"a": 0.25, "b": 7}, COMPUTED.replace("0.5", "0.25").replace("2*a", "7")),
        (COMPUTED, {"a": 0.5}, COMPUTED),
    ],
)
def test_text_has_the_values_and_reads_as_the_same_program(
    text: str, values: dict[str, float], want: str
) -> None:
    for program in (slp.parse(text, **values), slp.parse(text).with_parameters(**values)):
        assert (program.source.text, program.text) == (text, want)
        again = slp.parse(program.text)
        assert again.parameters == program.parameters and again.text == again.source.text


def test_a_library_prior_by_name() -> None:
    program = slp.load("growtree", alpha=0.4)
    assert ":- param(alpha, 0.95)." in program.source.text
    assert ":- param(alpha, 0.4)." in program.text
    assert slp.parse(program.text).parameters == {"alpha": 0.4, "beta": 1.0}
    assert program.text in program._repr_html_().replace("&#x27;", "'") or "0.4" in (
        program._repr_html_()
    )


def test_what_is_learned_keeps_the_values_of_the_caller() -> None:
    rows = {"x": [0, 0, 1, 1, 2, 2] * 3, "y": list("aababb") * 3}
    pl = pytest.importorskip("polars")
    found = slp.load("growtree", beta=2.5).learn(pl.DataFrame(rows), only=["alpha"], iterations=3)
    assert found.program.parameters["beta"] == 2.5
    assert ":- param(beta, 2.5)." in found.text
