"""The checker agrees with the check of trees, accepts what is true, and rejects what was made
false, on the claim itself.

`pytest -m '' tests/trees/certificates/test_random_trees.py` makes all cases.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

import slp
from slp.errors import DataError
from slp.trees.check import TreeChecks, check_one, statements
from slp.trees.definitions import findings
from tests.trees.certificates.checking import (
    WORDS,
    certificate_of,
    checker,
    verdicts,
)
from tests.trees.certificates.random_trees import Example, examples, moved

N_SEEDS = 60


#: Certificates that are made false for each seed, at least.
LEAST_FALSE = 40


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
