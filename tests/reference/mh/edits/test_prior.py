"""The process of edits against the definition by brute force."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chi2

from slp.runner.randomness import RandomNumbers
from slp.trees import Tree
from tests.reference.mh.edits.brute_force import exact_prior
from tests.reference.mh.edits.examples import Example, all_examples
from tests.reference.mh.every_outcome import outcomes

EXAMPLES = all_examples()
BY_NAME = pytest.mark.parametrize("made", EXAMPLES.values(), ids=EXAMPLES)


def engine_next_trees(made: Example) -> dict[Tree, Counter[Tree]]:
    """Of every tree that can be reached, where one edit leads, by the engine's own choices."""
    process = made.process
    out: dict[Tree, Counter[Tree]] = {}
    waiting = [process.given]
    for node in waiting:  # grows while it is read
        tree = made.tree(node)
        if tree in out:
            continue
        out[tree] = Counter()
        if any(node.places):
            for probability, edit in outcomes(lambda c, n=node: process.draw_edit(c, n)):
                new = process.nodes.edited(node, *edit)
                out[tree][made.tree(new)] += probability  # type: ignore[assignment]
                waiting.append(new)
    return out


@BY_NAME
def test_one_edit(made: Example) -> None:
    have = engine_next_trees(made)
    assert made.given in have
    for tree, row in have.items():
        want = made.definition.next_trees(tree)
        assert row.keys() == want.keys()
        for new, probability in want.items():
            assert row[new] == pytest.approx(probability, rel=1e-12)
    assert len(have) == len(exact_prior(made.definition, made.given, made.process.p))


def test_examples_are_varied() -> None:
    sizes = {name: len(exact_prior(m.definition, m.given, 0.5)) for name, m in EXAMPLES.items()}
    assert sizes["one row"] == 1
    assert sizes["one split at most"] == 5
    assert sum(size > 15 for size in sizes.values()) >= 6


@pytest.mark.thinned(4)
@BY_NAME
def test_draws(made: Example) -> None:
    """2500 draws by chi-square, against the exact prior; each fails by chance 1 time in 1000."""
    prior = exact_prior(made.definition, made.given, made.process.p)
    assert sum(prior.values()) == pytest.approx(1, rel=1e-12)
    randomness = RandomNumbers(np.random.default_rng(5))
    found = Counter(made.tree(made.process.draw(randomness).tree) for _ in range(2500))
    assert chi_square_fits(found, prior)


def chi_square_fits(found: Counter[Tree], prior: dict[Tree, float]) -> bool:
    """By chi-square at 0.001; trees expected fewer than 5 times are counted together."""
    assert found.keys() <= prior.keys()
    n = sum(found.values())
    common = [tree for tree in prior if prior[tree] * n >= 5]
    have = [found[tree] for tree in common]
    want = [prior[tree] * n for tree in common]
    have.append(n - sum(have))
    want.append(n - sum(want))
    cells = [(h, w) for h, w in zip(have, want, strict=True) if w > 1e-9]
    statistic = sum((h - w) ** 2 / w for h, w in cells)
    return statistic <= chi2.ppf(0.999, max(1, len(cells) - 1))
