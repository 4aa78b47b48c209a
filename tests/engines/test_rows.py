"""Labels and guards that use the rows of the box: messages, and faults in a box."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import slp

TABLE = pd.DataFrame(
    {
        "x": [1, 2, 3, 4, 5, 6, 6],
        "z": [1, 2, 1, 2, 1, 2, 2],
        "y": ["no", "no", "yes", "no", "yes", "yes", "yes"],
    }
)
BY_ROWS = """
:- start(tree).
1 - 1/N :: tree --> { rows(N) }, split(_, _), tree, tree.
1/N     :: tree --> { rows(N) }, leaf.
"""
BY_CLASS = """
:- start(tree(0)).
0.9 * A/N     :: tree(D) --> { rows(N), rows(yes, A) }, split(_, _), tree(D+1), tree(D+1).
1 - 0.9 * A/N :: tree(_) --> { rows(N), rows(yes, A) }, leaf.
"""
#: Sums to 1 only where A is 0 or half of N.
WRONG_BY_CLASS = BY_CLASS.replace("1 - 0.9 * A/N", "1 - 1.8 * A/N * A/N")


@pytest.mark.parametrize("engine", ["exact", "chart", "enumerate", "mh"])
def test_a_sum_that_is_wrong_in_a_box_names_the_counts(engine: str) -> None:
    with pytest.raises(slp.SlpError) as caught:
        slp.parse(WRONG_BY_CLASS).posterior(TABLE, "y", engine=engine, draws=10, seed=1)
    (found,) = caught.value.diagnostics
    assert found.code == "E520"
    want = "sum to 0.9265306122, not to 1, in a box of 7 rows (no 3, yes 4)"
    assert found.message.endswith(want)
    assert found.span is not None


@pytest.mark.parametrize("engine", ["exact", "chart", "mh"])
def test_a_label_without_a_value_in_a_box(engine: str) -> None:
    text = ":- start(t). :- weights. 1/(A - 3) :: t --> { rows(yes, A) }, leaf.\n"
    text += "1 :: t --> split(_, _), t, t.\n"
    with pytest.raises(slp.SlpError) as caught:
        slp.parse(text).posterior(TABLE, "y", engine=engine, draws=10, seed=1)
    (found,) = caught.value.diagnostics
    assert found.code == "E520"
    assert "the label of `t`" in found.message
    assert "rows (no " in found.message or "row (no " in found.message


def test_only_class_counts_look_at_the_response() -> None:
    assert slp.parse(BY_ROWS).posterior(TABLE, "y", draws=0).evidence_note is None
    note = slp.parse(BY_CLASS).posterior(TABLE, "y", draws=0).evidence_note
    assert note is not None
    assert note.startswith("rows(Class, N) looks at the response")
    both = BY_CLASS + "box(b, x, 0, 2). :- constraint(majority(b, no))."
    note = slp.parse(both).posterior(TABLE, "y", draws=0).evidence_note
    assert note is not None
    assert note.startswith("majority and rows(Class, N) look at the response")


def test_in_words() -> None:
    text = slp.parse(BY_CLASS).explain(TABLE, "y")
    words = " ".join(text.split())
    assert "tree(D), in a box of N rows and A rows of yes, splits into two tree(D+1)" in words
    assert "0.9 * N(yes)) / N: split by feature_then_cut" in words
    assert "1 - ((0.9 * N(yes)) / N): leaf" in words
    assert "not in blocks" in words


def test_labels_are_tried_out_for_all_rows_of_the_table() -> None:
    text = BY_ROWS.replace("1 - 1/N", "1 - N/5").replace("1/N", "N/5")
    text = (
        text.replace("{ rows(N) }", "{ rows(N), N < 20 }")
        + "1 :: tree --> { rows(N), N >= 20 }, leaf."
    )
    with pytest.raises(slp.SlpError, match=r"in a box of 6 to 10 rows"):
        slp.parse(text)
    text = BY_ROWS.replace("1 - 1/N", "1 - N/12").replace("1/N", "N/12")
    program = slp.parse(text)
    assert program.posterior(TABLE, "y", draws=0).log_evidence is not None
    large = pd.concat([TABLE, TABLE])
    with pytest.raises(slp.SlpError, match=r"in a box of 13 to 14 rows"):
        program.posterior(large, "y", draws=0)


@pytest.mark.parametrize("engine", ["exact", "mh"])
def test_labels_are_tried_out_in_every_state_that_an_engine_meets(engine: str) -> None:
    """Depth 350 lies behind the states that are looked at before the run."""
    text = (
        ":- start(t(0)).\n"
        "0.5 :: t(D) --> { rows(N), N > 5 }, split(_, _), t(D+1), t(D+1).\n"
        "0.5 :: t(D) --> { rows(N), N > 5, D < 350 }, leaf.\n"
        "0.4 :: t(D) --> { rows(N), N > 5, D >= 350 }, leaf.\n"
        "1 :: t(_) --> { rows(N), N =< 5 }, leaf.\n"
    )
    X, y = np.arange(400.0)[:, None], np.arange(400) % 2
    with pytest.raises(slp.SlpError, match=r"sum to 0.9, not to 1, for `t\(350\)`") as error:
        slp.parse(text).posterior(X, y, engine=engine, seed=1, draws=1)
    assert error.value.diagnostics[0].code == "E130"


def test_repeated_rows_count() -> None:
    text = ":- start(t). 1 :: t --> { rows(N), N > 6 }, split(_, _), leaf, leaf.\n"
    text += "1 :: t --> { rows(N), N =< 6 }, leaf.\n"
    assert slp.parse(text).posterior(TABLE, "y", draws=0).tree_count() == 6
    fewer = TABLE.drop_duplicates()
    assert slp.parse(text).posterior(fewer, "y", draws=0).tree_count() == 1


WEIGHED = """
:- start(t). :- weights.
N^2/4 :: t --> { rows(N), N > 1 }, split(_, _), t, t.
LABEL + 1 :: t --> { rows(N), rows(a, A) }, leaf.
"""


@pytest.mark.slow
@pytest.mark.parametrize(("label", "bounded"), [("0*N", True), ("1/N", True), ("A/N", False)])
def test_bounds_hold_where_weights_depend_on_the_rows(label: str, bounded: bool) -> None:
    rng = np.random.default_rng(1)
    rows = pd.DataFrame(rng.integers(0, 9, size=(70, 3)), columns=["u", "v", "w"])
    y = ["ab"[int(u)] for u in rng.random(70) < 0.4]
    text = WEIGHED.replace("LABEL", label)
    program = slp.parse(text if not bounded else text.replace(", rows(a, A)", ""))
    want = program.posterior(rows, y, engine="exact", draws=0).log_evidence
    assert want is not None
    with pytest.raises(slp.SlpError) as caught:
        program.posterior(rows, y, engine="exact", draws=0, memory="300KiB")
    message = caught.value.diagnostics[0].message
    found = re.search(r"at least (\S+) and at most (\S+)$", message)
    if bounded:
        assert found is not None, message
        assert float(found[1]) - 1e-4 <= want <= float(found[2]) + 1e-4
    else:
        assert "at least" not in message
