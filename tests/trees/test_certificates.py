"""Certificates: the stand-alone checker agrees with the check of trees, accepts what is true, and
rejects what was made false, on the claim itself.

`pytest -m '' tests/trees/test_certificates.py` makes all cases.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import slp
from slp.errors import DataError, UsageError
from slp.trees import CHECKER
from slp.trees.check import TreeChecks, check_one, statements
from slp.trees.definitions import findings
from tests.trees.random_certificates import Example, examples, moved

N_SEEDS = 60
#: Certificates that are made false for each seed, at least.
LEAST_FALSE = 40
WORDS = {True: "holds", False: "broken", None: "not checked"}

INFANT = """
:- use(growtree).
:- response(ill, [ordinal([no, yes])]).
box(infant, age, 0, 24).
"""


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


# --- honest ones -------------------------------------------------------------------------------


def compared(seed: int, trees: int) -> Counter[tuple[str, str]]:
    """Compare the checker with the check of trees: how often each kind of statement met each
    verdict."""
    met: Counter[tuple[str, str]] = Counter()
    for example in examples(seed, trees):
        certificate = certificate_of(example)
        if certificate is None:
            continue
        want = [WORDS[r.holds] for r in example.tree.check(example.program, *example.table)]
        claims = certificate["claims"]
        assert [claim["claim"] for claim in claims] == want
        assert verdicts(certificate) == want, (seed, example)
        for claim in claims:  # what is true is found without counterexamples too
            claim["claim"] = "holds"
        assert verdicts(certificate) == want, (seed, example)
        met.update((c["statement"]["kind"], w) for c, w in zip(claims, want, strict=True))
    return met


@pytest.mark.thinned(20)
@pytest.mark.parametrize("seed", range(N_SEEDS))
def test_the_checker_agrees_with_the_check_of_trees(seed: int) -> None:
    assert len(compared(seed, trees=6)) > 18


@pytest.mark.slow
def test_every_kind_of_statement_meets_every_verdict() -> None:
    met = sum((compared(seed, trees=6) for seed in range(8)), Counter())
    kinds = {kind for kind, _ in met}
    assert kinds >= {*checker().KINDS}
    assert min(met[kind, word] for kind in kinds for word in ("holds", "broken")) > 10, met
    for kind in ("monotone", "majority", "min_leaf", "min_weight"):
        assert met[kind, "not checked"] > 2, met


# --- false ones --------------------------------------------------------------------------------


@pytest.mark.thinned(20)
@pytest.mark.parametrize("seed", range(N_SEEDS))
def test_what_was_made_false_is_rejected(seed: int) -> None:
    rng = random.Random(seed)
    made: Counter[str] = Counter()
    previous: slp.Tree | None = None
    for example in examples(seed, trees=6):
        certificate = certificate_of(example)
        if certificate is None:
            continue
        for how, false, place in falsified(rng, example, certificate, previous):
            said = false["claims"][place]["claim"]
            found = verdicts({**false, "claims": [false["claims"][place]]})[0]
            assert found != said and found in (*WORDS.values(), "not shown"), (how, false)
            made[how] += 1
        previous = example.tree
    assert min(made[how] for how in ("moved", "said", "shown")) > LEAST_FALSE / 4, made
    assert made.total() >= LEAST_FALSE, made


def falsified(
    rng: random.Random, example: Example, certificate: dict[str, Any], other: slp.Tree | None
) -> Iterator[tuple[str, dict[str, Any], int]]:
    """Certificates one of whose claims is false, with the place of the claim: the tree is another,
    what is claimed is another, or the counterexample is none."""
    claims = certificate["claims"]
    if other is not None:
        own = slp.Tree.from_dict(certificate["tree"])
        tree = moved(rng, own, other)
        try:
            fresh = Example(tree, example.program).tree.certificate(example.program)
        except DataError:
            return
        for i, (claim, new) in enumerate(zip(claims, fresh["claims"], strict=True)):
            same = claim["statement"] == new["statement"] and "rows" not in certificate
            if same and claim["claim"] == "holds" and new["claim"] == "broken":
                yield "moved", {**certificate, "tree": fresh["tree"]}, i
    for i, claim in enumerate(claims):
        false = deepcopy(certificate)
        wrong = rng.choice([word for word in WORDS.values() if word != claim["claim"]])
        false["claims"][i]["claim"] = wrong
        if wrong == "broken":
            false["claims"][i]["witness"] = some_witness(rng, claim, certificate)
        yield "said", false, i
        if claim["claim"] == "broken":
            false = deepcopy(certificate)
            witness = no_witness(rng, i, example)
            if witness is not None:
                false["claims"][i]["witness"] = witness
                yield "shown", false, i


def some_witness(rng: random.Random, claim: Any, certificate: Any) -> dict[str, Any]:
    """A counterexample in the form of the statement's."""
    paths = [p.path for p in checker().places_of(certificate)]
    match claim["statement"]:
        case {"kind": "monotone", "feature": feature}:
            tests = {n["feature"]: n.get("level", 0) for n in splits_of(certificate["tree"])}
            return {"points": [{**tests, feature: 0}, {**tests, feature: 1e9}]}
        case {"kind": "max_leaves" | "max_features"}:
            return {"paths": paths}
    return {"path": rng.choice(paths)}


def splits_of(node: Any) -> Iterator[Any]:
    if "feature" in node:
        yield node
        yield from splits_of(node["left"])
        yield from splits_of(node["right"])


def no_witness(rng: random.Random, place: int, example: Example) -> dict[str, Any] | None:
    """What has the form of a counterexample to a statement that is broken, and is none; None if
    every place of the tree is one."""
    checks = TreeChecks(example.program, *example.table)
    asked, seen = statements(checks.program)[place], checks.seen(example.tree)
    witness = check_one(asked, seen).witness
    assert witness is not None
    if "points" in witness:
        low, high = witness["points"]
        return {"points": rng.choice([[high, low], [low, low], [{**low, "other": 0}, high]])}
    if "paths" in witness:
        return {"paths": witness["paths"][1:] + witness["paths"][1:2]}
    broken = {f.place.path for f in findings(asked, seen) if f.place and not f.unknown}
    others = [p.path for p in seen.places if p.path not in broken]
    return {"path": rng.choice(others)} if others else None


# --- the file ----------------------------------------------------------------------------------


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


def checked(path: Path) -> subprocess.CompletedProcess[str]:
    """A run without site packages, and without the folder of slp."""
    command = [sys.executable, "-I", "-S", str(CHECKER), str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


TREE = slp.Tree.from_dict(
    {
        "feature": "age",
        "threshold": 30,
        "left": {"counts": {"no": 5, "yes": 1}},
        "right": {"counts": {"no": 9, "yes": 1}},
    }
)


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


def test_unknown_statements_and_code_are_never_said_to_hold() -> None:
    program = slp.parse(INFANT).require(lambda tree: True)
    certificate = slp.Tree.from_dict({}).certificate(program)
    (claim,) = certificate["claims"]
    assert (claim["claim"], claim["reason"]) == ("not checked", "code decides it")
    assert verdicts(certificate) == ["not checked"]
    claim["statement"]["kind"] = "no_such"
    assert verdicts(certificate) == ["not checked"]


def test_rows_are_counted_apart_from_their_weights() -> None:
    frame = pl.DataFrame({"x": [0, 0, 1], "w": [1.0, 5.0, 9.0], "y": ["a", "b", "a"]})
    weighted = ":- use(growtree). :- row_weight(w). :- response(y)."
    program = slp.parse(weighted + " :- support(min_leaf(2)).")
    tree = slp.Tree.from_dict({"feature": "x", "threshold": 0.5, "left": {}, "right": {}})
    certificate = tree.certificate(program, frame)
    assert certificate["rows"] == [2, 1]
    assert verdicts(certificate) == ["broken"]
    posterior = slp.parse(weighted).posterior(frame, draws=50, seed=1, engine="exact")
    draw = next(draw for draw in posterior.draws if draw.tree.n_leaves == 2)
    certificate = draw.tree.certificate(program)
    assert certificate["rows"] == [None, None]
    assert verdicts(certificate) == ["not checked"]


def test_faults_are_those_of_checks() -> None:
    with pytest.raises(UsageError, match="E612"):
        TREE.certificate("first(age)")
    with pytest.raises(DataError, match="E611"):
        TREE.certificate(slp.parse(INFANT), None, "ill")


@pytest.mark.parametrize(
    "order, at, bounds, want",
    [
        (["i", "ii", "iii", "iv"], "iii", (1.0, 3.0), "broken"),  # its place is 2
        (["i", "ii", "iii", "iv"], "iii", (2.0, 3.0), "holds"),
        (["1", "5", "10"], "10", (4.0, 12.0), "broken"),
        (["1", "5", "10"], "10", (1.0, 3.0), "holds"),
    ],
)
def test_levels_of_an_order_are_numbers_or_places(
    order: list[str], at: str, bounds: tuple[float, float], want: str
) -> None:
    low, high = bounds
    program = slp.parse(
        f":- use(growtree). box(b, stage, {low}, {high}). :- constraint(constant(b))."
    )
    tree = slp.Tree.from_dict(
        {"feature": "stage", "threshold": at, "order": order, "left": {}, "right": {}}
    )
    certificate = tree.certificate(program)
    assert certificate["claims"][0]["claim"] == want
    assert verdicts(certificate) == [want]


def test_leaves_meet_in_levels_of_the_table_alone() -> None:
    """Both leaves with falling predictions are neither red nor blue."""

    def by_colour(level: str, counts: dict[str, int], rest: dict[str, int]) -> dict[str, Any]:
        sides = {"left": {"counts": counts}, "right": {"counts": rest}}
        return {"feature": "colour", "level": level, **sides}

    even, sick, well = {"no": 1, "yes": 1}, {"no": 1, "yes": 4}, {"no": 4, "yes": 1}
    tree = slp.Tree.from_dict(
        {
            "feature": "age",
            "threshold": 5,
            "left": by_colour("red", even, sick),
            "right": by_colour("blue", sick, well),
        }
    )
    program = slp.parse(INFANT + ":- constraint(monotone(age, up)).")
    certificate = tree.certificate(program)
    assert verdicts(certificate) == [certificate["claims"][0]["claim"]] == ["broken"]  # at red
    statement = certificate["claims"][0]["statement"]
    assert statement["levels"] == {"colour": ["blue", "red"]}
    tree = slp.Tree.from_dict(
        {
            "feature": "age",
            "threshold": 5,
            "left": by_colour("red", even, sick),
            "right": by_colour("red", sick, well),
        }
    )
    certificate = tree.certificate(program)
    claim = certificate["claims"][0]
    assert verdicts(certificate) == [claim["claim"]] == ["not checked"]
    claim["statement"]["all_levels"] = True  # red is the only colour
    assert verdicts(certificate) == ["holds"]
    green = {"colour": "green"}
    claim["statement"]["levels"]["colour"].append("green")
    claim |= {"claim": "broken", "witness": {"points": [{**green, "age": 4}, {**green, "age": 5}]}}
    assert verdicts(certificate) == ["broken"]


# --- forged ones -------------------------------------------------------------------------------


def forged(tmp_path: Path, certificate: dict[str, Any], **beside: Any) -> tuple[int, str]:
    """The exit code and the output for a certificate, with other keys beside it."""
    path = tmp_path / "forged.json"
    path.write_text(json.dumps({"certificate": certificate, **beside}))
    run = checked(path)
    assert "Traceback" not in run.stderr
    return run.returncode, run.stdout


SPLIT = TREE.to_dict()
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


# --- what a tree does not tell ------------------------------------------------------------------


def told(tree: dict[str, Any], program: str, text: str = INFANT) -> tuple[str, str]:
    """The claim and the reason of the one statement, which the checker finds too."""
    certificate = slp.Tree.from_dict(tree).certificate(slp.parse(text + program))
    (claim,) = certificate["claims"]
    assert verdicts(certificate) == [claim["claim"]]
    return claim["claim"], claim.get("reason", "")


def test_weights_are_no_rows() -> None:
    """The leaves may have one row each."""
    tree = {**SPLIT, "left": {"counts": {"no": 9}}, "right": {"counts": {"yes": 3}}}
    limit = ":- support(min_leaf(2))."
    assert told(tree, limit)[0] == "holds"
    found, reason = told(tree, limit, ":- use(growtree).\n:- row_weight(w).\n")
    assert found == "not checked" and "give the table" in reason
    tree["left"] = {"counts": {"no": 8.5}}
    assert told(tree, limit)[0] == "not checked"


RISING = ":- constraint(monotone(age, up))."


def test_classes_outside_the_order_are_not_passed_over() -> None:
    tree = {**SPLIT, "left": {"counts": {"maybe": 9}}, "right": {"counts": {"no": 9}}}
    assert told(tree, RISING) == ("not checked", "the declared order lacks maybe")


def test_leaves_with_priors_of_their_own_are_not_checked() -> None:
    """The smoothed predictions fall, those of the counts rise."""
    left = {"counts": {"no": 5, "yes": 3}, "concentrations": {"no": 1.0, "yes": 30.0}}
    right = {"counts": {"no": 3, "yes": 5}, "concentrations": {"no": 30.0, "yes": 1.0}}
    found, reason = told({**SPLIT, "left": left, "right": right}, RISING)
    assert found == "not checked" and "priors of their own" in reason


def test_levels_without_an_order_are_not_monotone() -> None:
    sides = {"left": {"counts": {"yes": 9}}, "right": {"counts": {"no": 9}}}
    found, reason = told({"feature": "age", "level": "old", **sides}, RISING)
    assert (found, reason) == ("not checked", "the levels of age have no order")


def test_means_without_rows_are_not_checked() -> None:
    """As in the leaves of a hardened soft tree."""
    sides = {"left": {"mean": 2.0, "variance": 1.0}, "right": {"mean": 1.0, "variance": 1.0}}
    for leaf in ("", ":- leaf(normal_inverse_gamma(0, 1, 2, 1)).", ":- leaf(gamma_poisson(2, 1))."):
        found, reason = told({**SPLIT, **sides}, f"{leaf}\n{RISING}", ":- use(growtree).\n")
        assert (found, reason) == ("not checked", "the leaves do not say what they predict")
