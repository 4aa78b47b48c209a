"""`rule_probabilities`: by hand, by enumeration of all derivations, and by draws."""

from __future__ import annotations

from collections import Counter

import pandas as pd
import pytest

import slp
from slp.engines.exact import CompiledChart
from slp.reference.boxes import Geometry
from slp.reference.enumeration.derivations import derivations
from slp.reference.enumeration.sums import Enumeration
from slp.results.record.rule_use import RuleUse, clauses_of
from tests.results.filled import filler_of
from tests.spec.cases import Case, random_case
from tests.spec.test_against_enumeration import posterior_of

TABLE = pd.DataFrame(
    {"x": [1, 2, 3, 4, 5, 6], "z": [1, 2, 1, 2, 1, 2], "y": ["n", "n", "y", "n", "y", "y"]}
)
#: Few steps are enough for so few trees.
STEPS = {"warmup": 1000, "thin": 10}
MIXTURE = """:- start(t).
0.3 :: t --> stump.
0.7 :: t --> grown(0).
0.9 :: stump --> split(x, _), leaf, leaf.
0.1 :: stump --> leaf.
0.5/(1+D) :: grown(D) --> split(_, _), grown(D+1), grown(D+1).
1 - 0.5/(1+D) :: grown(D) --> leaf.
"""


def by_enumeration(case: Case) -> list[RuleUse]:
    """From every derivation, with the rules that it takes."""
    grammar, geometry = case.model.grammar, Geometry(case.model.grammar, case.model.table)
    items = list(derivations(grammar, geometry))
    shares = Enumeration(grammar, geometry, items, likelihood=True).probability.tolist()
    out = []
    for span, places in clauses_of(grammar).items():
        first = used = times = 0.0
        for d, share in zip(items, shares, strict=True):
            counts = Counter(d.rules)
            n = sum(counts[place] for place in places)
            first += share * (d.rules[0] in places)
            used += share * (n > 0)
            times += share * n
        out.append(RuleUse.of(span, first, used, times))
    return out


def assert_near(have: list[RuleUse], want: list[RuleUse], case: object) -> None:
    assert [(u.rule, u.line) for u in have] == [(u.rule, u.line) for u in want]
    for own, other in zip(have, want, strict=True):
        assert own.at_start == pytest.approx(other.at_start, abs=1e-9), case
        assert own.expected_uses == pytest.approx(other.expected_uses, abs=1e-9), case
        if own.probability is None:
            assert "majority" in case.text, case  # type: ignore[attr-defined]
        else:
            assert own.probability == pytest.approx(other.probability, abs=1e-9), case


@pytest.mark.parametrize("rows", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_exact_sums_are_those_over_all_derivations(seed: int, rows: bool) -> None:
    case = random_case(seed, rows=rows)
    if not case.spec.derivations:
        return
    want = by_enumeration(case)
    assert_near(posterior_of(case).rule_probabilities(), want, case)


@pytest.mark.parametrize("engine", ["chart", "enumerate"])
def test_plain_engines(engine: str) -> None:
    program = slp.parse(MIXTURE)
    want = program.posterior(TABLE, "y", engine="exact", draws=0).rule_probabilities()
    have = program.posterior(TABLE, "y", engine=engine, draws=0).rule_probabilities()
    for own, other in zip(have, want, strict=True):
        assert own.probability == pytest.approx(other.probability, abs=1e-9)
        assert own.expected_uses == pytest.approx(other.expected_uses, abs=1e-9)
        assert own.at_start == pytest.approx(other.at_start, abs=1e-9)


@pytest.mark.parametrize("prior", ["growtree", "denison", "gmt"])
def test_a_rule_of_all_splits_and_one_of_all_leaves_need_no_outside_sums(
    prior: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    posterior = slp.load(prior).posterior(TABLE, "y", engine="exact", draws=0)
    by_parts = filler_of(posterior)._rule_uses(list(clauses_of(filler_of(posterior)._grammar)))
    monkeypatch.setattr(CompiledChart, "rule_uses", None)
    for own, other in zip(posterior.rule_probabilities(), by_parts, strict=True):
        assert (own.rule, own.line) == (other.rule, other.line)
        assert own.at_start == pytest.approx(other.at_start, abs=1e-11)
        assert own.probability == pytest.approx(other.probability, abs=1e-11)
        assert own.expected_uses == pytest.approx(other.expected_uses, abs=1e-11)


def test_the_prior_of_a_mixture_by_hand() -> None:
    uses = slp.parse(MIXTURE, "mix.slp").prior(TABLE, "y").rule_probabilities()
    assert [(u.file, u.line) for u in uses] == [("mix.slp", k) for k in range(2, 8)]
    assert uses[0].rule == "0.3 :: t --> stump."
    have = [(u.at_start, u.probability) for u in uses[:4]]
    want = [(0.3, 0.3), (0.7, 0.7), (0.0, 0.27), (0.0, 0.03)]
    for pair, other in zip(have, want, strict=True):
        assert pair == pytest.approx(other, abs=1e-12)
    assert uses[4].probability == pytest.approx(0.35, abs=1e-12)  # at the root, or nowhere
    assert uses[5].probability == pytest.approx(0.7, abs=1e-12)
    # 0.7 x (the root splits: 0.5, and then each side of two rows or more with 0.25, ...)
    assert uses[4].expected_uses > 0.35


def test_components_of_a_mixture() -> None:
    posterior = slp.parse(MIXTURE).posterior(TABLE, "y", draws=0)
    parts = posterior.mixture()
    assert [part.line for part in parts] == [2, 3]
    assert sum(part.at_start for part in parts) == pytest.approx(1)
    assert slp.load("growtree").posterior(TABLE, "y", draws=0).mixture() == []


def test_draws_agree_within_their_errors() -> None:
    program = slp.parse(MIXTURE)
    want = program.posterior(TABLE, "y", engine="exact", draws=0).rule_probabilities()
    for engine in ("mh",):
        drawn = program.posterior(TABLE, "y", engine=engine, draws=4000, seed=3, **STEPS)
        for own, other in zip(drawn.rule_probabilities(), want, strict=True):
            assert abs(own.at_start - other.at_start) < 5 * own.at_start_error + 1e-9
            assert own.probability is not None
            assert other.probability is not None
            assert abs(own.probability - other.probability) < 5 * own.probability_error + 1e-9
            assert abs(own.expected_uses - other.expected_uses) < 5 * own.expected_uses_error + 1e-9
        assert [part.line for part in drawn.mixture()] == [2, 3]


def test_plain_chains_and_the_core_take_the_same_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    text = MIXTURE + "box(b, x, 2.2, 4.8). :- constraint(constant(b))."
    program = slp.parse(text)
    want = program.posterior(TABLE, "y", engine="exact", draws=0).rule_probabilities()
    have = program.posterior(
        TABLE, "y", engine="mh", draws=2000, seed=4, **STEPS
    ).rule_probabilities()
    for own, other in zip(have, want, strict=True):
        assert abs(own.expected_uses - other.expected_uses) < 5 * own.expected_uses_error + 1e-9


def test_edits_take_no_rules() -> None:
    tree = slp.load("growtree").posterior(TABLE, "y", draws=0).map_tree()
    program = slp.parse(":- use(edittree).", tree=tree)
    posterior = program.posterior(TABLE, "y", draws=10, seed=1)
    with pytest.raises(slp.SlpError, match="E531"):
        posterior.rule_probabilities()
    assert posterior.mixture() == []
