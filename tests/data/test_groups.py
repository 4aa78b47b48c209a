"""Groups of features, as users see them."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import slp
from slp.errors import ProgramError
from slp.estimators import SLPTreeClassifier
from slp.trees.certificates import CHECKER

BLOOD = pl.DataFrame(
    {
        "ldl": [0, 1, 2, 3, 4, 5] * 2,
        "hdl": [1, 0, 2, 1, 0, 3] * 2,
        "age": [0, 0, 1, 1, 2, 2, 1, 0, 2, 0, 1, 2],
        "ill": ["no", "yes", "no", "yes", "no", "yes"] * 2,
    }
)
LIPIDS = "of_group(ldl, lipids). of_group(hdl, lipids)."


def evidence(text: str) -> float:
    found = slp.parse(text).posterior(BLOOD, "ill", draws=0).log_evidence
    assert found is not None
    return found


def test_a_group_of_one_changes_nothing() -> None:
    want = evidence(":- use(growtree).")
    assert evidence(":- use(growtree). of_group(age, years).") == pytest.approx(want, abs=1e-12)


@pytest.mark.parametrize("measure", ["per_feature", "feature_then_cut", "gap", "range"])
def test_the_root_by_hand(measure: str) -> None:
    """Each group has 1/2; under `per_feature` each lipid half of its group's, else by weight."""
    weights = "" if measure == "per_feature" else ":- feature_weight(ldl, 3)."
    text = f":- start(t). 1 :: t --> split(_, _, {measure}), leaf, leaf. {LIPIDS} {weights}"
    found = slp.parse(text).prior(BLOOD, "ill", engine="exact", draws=0)
    roots = found.root_probabilities()
    ldl = 0.5 if measure == "per_feature" else 0.75
    assert roots["age"] == pytest.approx(0.5)
    assert roots["ldl"] == pytest.approx(ldl / 2)


def test_prices_of_groups() -> None:
    text = f":- use(growtree). {LIPIDS} :- constraint(once(lipids))."
    once, group = slp.parse(text).price(BLOOD, "ill").statements
    assert (once.kind, group.kind) == ("constraint", "group")
    assert group.statement == "of_group(ldl, lipids), of_group(hdl, lipids)"
    assert group.log_evidence_added is not None and group.log_evidence_removed is not None
    added = evidence(f":- use(growtree). {LIPIDS}") - evidence(":- use(growtree).")
    assert group.log_evidence_added.value == pytest.approx(added, abs=1e-9)


def test_checks_and_certificates(tmp_path: Path) -> None:
    program = slp.parse(
        f":- use(growtree). {LIPIDS} :- constraint(once(lipids)). :- constraint(first(lipids)). "
        ":- constraint(exclusive([lipids, age])). :- constraint(before(lipids, age)). "
        ":- constraint(forbid(lipids, below(1)))."
    )
    both = {"feature": "hdl", "threshold": 0.5, "left": {}, "right": {}}
    tree = slp.Tree.from_dict({"feature": "ldl", "threshold": 1, "left": both, "right": {}})
    found = [result.holds for result in tree.check(program)]
    assert found == [False, True, True, True, False]
    claims = tree.certificate(program)
    assert claims["claims"][0]["statement"]["feature"] == ["ldl", "hdl"]
    file = tmp_path / "certificate.json"
    file.write_text(str(claims).replace("'", '"').replace("None", "null"), "utf-8")
    told = subprocess.run([sys.executable, CHECKER, file], capture_output=True, text=True)
    assert told.returncode == 0, told.stdout + told.stderr


def test_monotone_of_a_group_is_that_of_each_feature() -> None:
    said = f":- use(growtree). {LIPIDS} :- response(ill, [ordinal([no, yes])])."
    program = slp.parse(f"{said} :- constraint(monotone(lipids, up)).")
    assert [c.words() for c in program.ir.constraints] == [
        c.words()
        for c in slp.parse(
            f"{said} :- constraint(monotone(ldl, up)). :- constraint(monotone(hdl, up))."
        ).ir.constraints
    ]


def test_guards_ask_for_groups() -> None:
    text = f":- start(t). 1 :: t --> split(F, V), {{ of_group(F, lipids) }}, leaf, leaf. {LIPIDS}"
    roots = slp.parse(text).prior(BLOOD, "ill", draws=0).root_probabilities()
    assert roots["age"] == 0 and roots["ldl"] == pytest.approx(0.5)


def test_saved_runs_and_estimators(tmp_path: Path) -> None:
    text = f":- use(growtree). {LIPIDS}"
    found = slp.parse(text).posterior(BLOOD, "ill", seed=1)
    found.save(tmp_path / "run.slpz")
    again = slp.load_posterior(tmp_path / "run.slpz")
    X = BLOOD.drop("ill")
    np.testing.assert_allclose(again.predict_proba(X), found.predict_proba(X))
    made: Any = SLPTreeClassifier(slp.parse(text), random_state=1).fit(
        X.to_pandas(), BLOOD["ill"].to_list()
    )
    np.testing.assert_allclose(made.predict_proba(X.to_pandas()), found.predict_proba(X))


def test_other_groups_make_other_digests() -> None:
    """So that a checkpoint of one is not gone on with under another."""
    from slp.engines.shared.digests import digest_of_grammar

    digests = set()
    for facts in ("", "of_group(ldl, g). of_group(hdl, g).", "of_group(ldl, g). of_group(age, g)."):
        problem = slp.parse(f":- use(growtree). {facts}").compile(BLOOD, "ill")
        digests.add(digest_of_grammar(problem.grammar, ()))
    assert len(digests) == 3


def test_a_measure_without_features_refuses() -> None:
    for name in ("growtree_all", "denison", "bcart_pcfg"):
        with pytest.raises(ProgramError, match="E172"):
            slp.parse(f":- use({name}). {LIPIDS}")


def test_weights_far_apart() -> None:
    text = f":- use(growtree). {LIPIDS} :- feature_weight(ldl, 1.0e-200)."
    assert math.isfinite(evidence(text))
