"""JSON of any depth. Other JSON equals that of the standard encoder."""

from __future__ import annotations

import json
import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slp.cli.json_text import json_text

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(VALUES)
def test_the_text_is_that_of_the_standard_encoder(value: object) -> None:
    assert json_text(value) == json.dumps(value)


def test_any_depth() -> None:
    depth = 20 * sys.getrecursionlimit()
    value: dict[str, object] = {}
    for _ in range(depth):
        value = {"left": value}
    assert json_text(value) == '{"left": ' * depth + "{}" + "}" * depth


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_numbers_that_json_lacks(value: float) -> None:
    with pytest.raises(ValueError):
        json_text({"x": [value]})
