"""The stand-alone checker of certificates, as tests call it."""

from __future__ import annotations

import importlib.util
import json
from functools import cache
from typing import Any

import slp
from slp.errors import DataError
from slp.trees import CHECKER
from tests.trees.certificates.random_trees import Example

INFANT = """
:- use(growtree).
:- response(ill, [ordinal([no, yes])]).
box(infant, age, 0, 24).
"""

TREE = slp.Tree.from_dict(
    {
        "feature": "age",
        "threshold": 30,
        "left": {"counts": {"no": 5, "yes": 1}},
        "right": {"counts": {"no": 9, "yes": 1}},
    }
)
SPLIT = TREE.to_dict()

WORDS = {True: "holds", False: "broken", None: "not checked"}


@cache
def checker() -> Any:
    """The checker as a module, which no package has."""
    spec = importlib.util.spec_from_file_location("check_certificate", CHECKER)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def verdicts(certificate: Any) -> list[str]:
    """What the checker finds of each claim, from the text of the certificate."""
    read = json.loads(json.dumps(certificate, allow_nan=False))
    places = [*checker().places_of(read)]
    return [checker().verdict(claim, places) for claim in read["claims"]]


def certificate_of(example: Example) -> dict[str, Any] | None:
    """None where rows of the table have no side in the tree."""
    try:
        return example.tree.certificate(example.program, *example.table)
    except DataError as error:
        assert {d.code for d in error.diagnostics} <= {"E607", "E438"}
        return None
