"""The checker as a file that stands alone, and certificates that say too little or are forged."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

import slp
from slp.trees import CHECKER
from tests.trees.certificates.checking import (
    INFANT,
    SPLIT,
    TREE,
)


def checked(path: Path) -> subprocess.CompletedProcess[str]:
    """A run without site packages, and without the folder of slp."""
    command = [sys.executable, "-I", "-S", str(CHECKER), str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_checker_stands_alone() -> None:
    text = CHECKER.read_text("utf-8")
    assert text.count("\n") <= 200
    imported = {
        name.name if isinstance(node, ast.Import) else node.module or ""
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in node.names
    }
    assert imported <= sys.stdlib_module_names


def test_exit_codes(tmp_path: Path) -> None:
    program = slp.parse(
        INFANT + ":- constraint(constant(infant)). :- constraint(monotone(age, up))."
    )
    certificate = TREE.certificate(program)
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(certificate, indent=2))
    run = checked(path)
    assert run.returncode == 0 and run.stderr == ""
    assert [line.split(":")[:2] for line in run.stdout.splitlines()] == [
        ["holds", " true"],
        ["broken", " true"],
    ]
    certificate["tree"]["threshold"] = 12
    path.write_text("\n".join(json.dumps({"draw": 0, "certificate": certificate}) for _ in "ab"))
    run = checked(path)
    assert run.returncode == 1
    assert run.stdout.count("holds: FALSE (broken)") == 2
    for text in (
        "",
        "[]",
        "{}",
        '{"tree": {}, "claims": [], "n": NaN}',
        '{"tree": 3, "claims": []}',
    ):
        path.write_text(text)
        run = checked(path)
        assert (run.returncode, run.stdout) == (2, ""), text
        assert run.stderr.startswith("no certificate: ") and "Traceback" not in run.stderr


@pytest.mark.parametrize(
    "change",
    [
        {"claim": "true"},
        {"witness": {}},
        {"witness": None},
        {"witness": {"points": [{}, {}]}},
        {"witness": {"points": [{"age": "x"}, {"age": "y"}]}},
        {"statement": {"kind": "monotone"}},
    ],
)
def test_claims_that_say_nothing_are_rejected(change: dict[str, Any], tmp_path: Path) -> None:
    certificate = TREE.certificate(slp.parse(INFANT + ":- constraint(monotone(age, up))."))
    certificate["claims"][0] |= change
    (tmp_path / "c.json").write_text(json.dumps(certificate))
    run = checked(tmp_path / "c.json")
    assert run.returncode == 1 and "FALSE" in run.stdout


def forged(tmp_path: Path, certificate: dict[str, Any], **beside: Any) -> tuple[int, str]:
    """The exit code and the output for a certificate, with other keys beside it."""
    path = tmp_path / "forged.json"
    path.write_text(json.dumps({"certificate": certificate, **beside}))
    run = checked(path)
    assert "Traceback" not in run.stderr
    return run.returncode, run.stdout


STAGE = {"feature": "stage", "threshold": "b", "order": ["a", "b", "c"], "left": {}, "right": {}}


@pytest.mark.parametrize(
    "tree",
    [
        {**SPLIT, "feature": None},
        {key: value for key, value in SPLIT.items() if key != "feature"},
        {key: value for key, value in SPLIT.items() if key != "threshold"},
        {**SPLIT, "threshold": None},
        {**SPLIT, "threshold": "nan"},
        {**SPLIT, "threshold": "30"},
        {**SPLIT, "threshold": float("inf")},
        {**SPLIT, "threshold": 10**400},
        {**SPLIT, "threshold": "nan", "order": ["1", "2"]},
        {**SPLIT, "level": "old"},
        {**STAGE, "right": {**STAGE, "order": ["c", "b", "a"]}},
    ],
)
def test_what_is_no_tree_has_no_certificate(tree: Any, tmp_path: Path) -> None:
    """Each would hide a split from the claims."""
    (claim,) = slp.Tree.from_dict({}).certificate(slp.parse(INFANT + ":- support(max_depth(1))."))[
        "claims"
    ]
    assert forged(tmp_path, {"format": 1, "tree": tree, "claims": [claim]}) == (2, "")


def test_a_certificate_is_that_of_the_draw_and_of_this_format(tmp_path: Path) -> None:
    certificate = TREE.certificate(slp.parse(INFANT + ":- constraint(first(age))."))
    draw = deepcopy(certificate["tree"])
    assert forged(tmp_path, certificate, tree=draw)[0] == 0
    draw["threshold"] = 12
    assert forged(tmp_path, certificate, tree=draw) == (2, "")
    assert forged(tmp_path, {**certificate, "format": 2}) == (2, "")
    assert forged(tmp_path, {**certificate, "claims": []}) == (2, "")
    assert forged(tmp_path, {**certificate, "rows": [5]}) == (2, "")
    assert forged(tmp_path, {**certificate, "rows": [5, 5]})[0] == 0
    assert forged(tmp_path, {**certificate, "rows": [5, 5, 5]}) == (2, "")


@pytest.mark.parametrize(
    "claim",
    [
        {"claim": "holds", "statement": {"kind": "once"}},
        {"claim": "holds", "statement": {"kind": "exclusive"}},
        {"claim": "holds", "statement": {"kind": "once", "features": "age"}},
        {"claim": "holds", "statement": {"kind": "max_leaves", "count": 2, "within": None}},
        {"claim": "malformed, KeyError('kind')", "statement": {}},
        {"claim": "not shown", "statement": {"kind": "once", "feature": "age"}},
    ],
)
def test_statements_say_what_their_kind_does(claim: Any, tmp_path: Path) -> None:
    code, told = forged(tmp_path, {"format": 1, "tree": TREE.to_dict(), "claims": [claim]})
    assert code == 1 and "FALSE" in told


@pytest.mark.parametrize(
    "predicts",
    [
        {"classes": ["no"], "add": [1.0]},
        {"classes": [], "add": []},
        {"classes": ["no", "yes"], "add": [-20.0, -20.0]},
    ],
)
def test_predictions_are_of_all_classes(predicts: Any, tmp_path: Path) -> None:
    certificate = TREE.certificate(slp.parse(INFANT + ":- constraint(monotone(age, up))."))
    certificate["claims"][0]["statement"]["predicts"] = predicts
    certificate["claims"][0] |= {"claim": "holds"}
    assert forged(tmp_path, certificate)[0] == 1


def test_levels_that_tests_name_are_there(tmp_path: Path) -> None:
    def red(outcome: str) -> dict[str, Any]:
        return {"feature": "colour", "level": "red", "left": {"counts": {outcome: 9}}, "right": {}}

    tree = {"feature": "age", "threshold": 5, "left": red("yes"), "right": red("no")}
    for node in (tree["left"], tree["right"]):
        node["right"] = {"counts": {"no": 1}}
    program = slp.parse(INFANT + ":- constraint(monotone(age, up)).")
    certificate = slp.Tree.from_dict(tree).certificate(program)
    (claim,) = certificate["claims"]
    assert claim["claim"] == "broken"
    claim |= {"claim": "holds"}
    claim["statement"]["levels"] = {"colour": []}
    assert forged(tmp_path, certificate)[0] == 1
