"""Kinds of columns and weights of rows: random cases of every engine against enumeration.

    python benchmarks/kinds.py --kind orders --cases 2000

Each case is a random table and program (`tests/spec`), whose derivations are listed one by one.
`exact` is compared in every number; `chart` and `enumerate` in evidence and number of derivations;
the best tree of `search` with the best of the list, and its score and that of the tree of `modal`
with the list's; of `mh` and `smc` each drawn tree's scores, and the evidence of `smc`, and the mean
number of leaves of `mh`, in units of their errors over all cases. An engine may refuse a case in
words; how often is printed.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
import warnings
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import slp
from slp.engines import infer
from slp.errors import NoTreeError, SlpError, SlpWarning, UnsupportedError
from tests.engines.test_differences import compare as compare_differences
from tests.spec.cases import Case, random_case
from tests.spec.leaf_formulas import ByTable
from tests.spec.pipeline import key_of
from tests.spec.test_against_enumeration import check

_KINDS = (
    *("orders", "weights", "least_weight", "missing_level", "missing_side", "lines"),
    *("exposures", "subsets", "tables", "extremes"),
)


class Comparison:
    """Counts of cases by engine, and what the drawing engines add up over cases."""

    def __init__(self) -> None:
        self.compared: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.z: defaultdict[str, list[float]] = defaultdict(list)

    def case(self, case: Case, seed: int, drawn: bool) -> None:
        """Compare every engine on one case."""
        check(case)
        compare_differences(case, "exact")
        self.compared["exact"] += 1
        if not case.spec.derivations:
            return
        self._take("chart", case, self._sums)
        self._take("enumerate", case, self._sums)
        self._take("search", case, self._best)
        self._take("modal", case, self._scores)
        if drawn:
            self._take("mh", case, self._chains, draws=200, warmup=20, thin=5, seed=seed)
            self._take("smc", case, self._particles, draws=100, islands=8, particles=40, seed=seed)

    def _take(
        self, engine: str, case: Case, compare: Any, seed: int = 1, draws: int = 0, **options: Any
    ) -> None:
        try:
            posterior = infer(case.model, engine=engine, seed=seed, draws=draws, options=options)
        except (UnsupportedError, NoTreeError):
            self.refused[engine] += 1
            return
        compare(case, posterior)
        self.compared[engine] += 1

    def _sums(self, case: Case, posterior: Any) -> None:
        assert abs(posterior.log_evidence - case.spec.log_evidence()) < case.rounding, case
        assert posterior.tree_count() == len(case.spec.derivations), case

    def _best(self, case: Case, posterior: Any) -> None:
        self._scores(case, posterior)
        best = posterior.map()
        if best.certified:
            top = max(w for _, w in case.spec.log_scored())
            trees = {d.tree for d in case.spec.derivations}
            several = len(trees) < len(case.spec.derivations)  # the best derivation is certified
            assert several or abs(best.log_joint - top) < case.rounding, case
            self.compared["search, certified"] += 1

    def _scores(self, case: Case, posterior: Any) -> None:
        best = posterior.map()
        self._score(case, best.tree, best.log_joint)

    def _score(self, case: Case, tree: object, log_joint: float) -> None:
        own = [w for d, w in case.spec.log_scored() if d.tree == key_of(tree)]
        assert own, case
        several = case.measures == {"partition"} or len(own) > 1
        assert several or abs(own[0] - log_joint) < case.rounding, case

    def _drawn(self, case: Case, posterior: Any) -> list[Any]:
        """The trees drawn, all of which the list has, with these scores."""
        for draw in {key_of(d.tree): d for d in posterior.draws}.values():
            self._score(case, draw.tree, draw.log_weight + draw.log_likelihood)
        return [draw.tree for draw in posterior.draws]

    def _chains(self, case: Case, posterior: Any) -> None:
        trees = self._drawn(case, posterior)
        want = sum(len(d.leaves) * p for d, p in case.spec.posterior())
        have = np.array([tree.n_leaves for tree in trees], np.float64)
        if have.std() > 0:
            batches = have[: len(have) // 10 * 10].reshape(10, -1).mean(axis=1)
            error = batches.std(ddof=1) / math.sqrt(10)
            if error > 0:
                self.z["mh: mean number of leaves"].append((have.mean() - want) / error)

    def _particles(self, case: Case, posterior: Any) -> None:
        self._drawn(case, posterior)
        error = posterior.log_evidence_error
        if error > 1e-6:
            difference = posterior.log_evidence - case.spec.log_evidence()
            self.z["smc: log evidence"].append(difference / error)


def main() -> None:
    """Run the cases, stop at the first difference, and print what was compared."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kind", choices=_KINDS, required=True)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--drawn", type=int, default=200, help="cases of the engines that draw")
    given = parser.parse_args()
    warnings.simplefilter("ignore", SlpWarning)
    warnings.simplefilter("ignore", RuntimeWarning)  # of ArviZ, about chains that do not move
    slp.register_leaf_model("by_table", ByTable)
    done, begin = Comparison(), time.process_time()
    begin_at = 10_000 + given.first
    for seed in range(begin_at, begin_at + given.cases):
        case = random_case(seed, **{given.kind: True})
        try:
            done.case(case, seed, seed < begin_at + given.drawn)
        except (AssertionError, SlpError):
            print(f"seed {seed}", case, flush=True)
            raise
    print(f"{given.cases} cases, {time.process_time() - begin:.0f} CPU seconds")
    for engine in done.compared:
        refused = done.refused[engine]
        print(f"{engine}: {done.compared[engine]} compared, {refused} refused in words")
    for name, values in done.z.items():
        z = np.array(values)
        print(
            f"{name}: {len(z)} cases, mean {z.mean():.2f}, median {np.median(z):.2f} errors, "
            f"{np.mean(np.abs(z) > 3):.1%} beyond 3"
        )


if __name__ == "__main__":
    main()
