"""What a posterior is asked."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import polars as pl

import slp
from frozen_cases.cases import told

__all__ = ["questions"]


def questions(posterior: slp.Posterior, rows: pl.DataFrame) -> dict[str, Any]:
    """All that a posterior tells. Names that end in `error`, and `diagnostics`, are known to less
    than the others (see `frozen.py`)."""
    best = posterior.map()
    given = best.tree
    found = {
        "engine": posterior.engine,
        "reason": posterior.reason,
        "seed": posterior.seed,
        "normalised": posterior.normalised,
        "likelihood": posterior.likelihood,
        "derivations_are_trees": posterior.derivations_are_trees,
        "log_evidence": posterior.log_evidence,
        "evidence_note": posterior.evidence_note,
        "left_out": posterior.left_out,
        "tree_count": posterior.tree_count(),
        "map": _best(best),
        "k_best": [_best(b) for b in posterior.k_best(5)],
        "draws": [
            {
                "tree": d.tree,
                "chain": d.chain,
                "log_weight": d.log_weight,
                "log_prior": d.log_prior,
                "log_likelihood": d.log_likelihood,
            }
            for d in posterior.draws
        ],
        "sample": posterior.sample(8, seed=5),
        "log_prior": posterior.log_prior(given),
        "log_likelihood": posterior.log_likelihood(given),
        "log_posterior": posterior.log_posterior(given),
        "split_probabilities": {k: asdict(v) for k, v in posterior.split_probabilities().items()},
        "expected_leaves": posterior.expected_leaves(),
        "expected_leaves_error": posterior.expected_leaves_error(),
        "expected_depth": posterior.expected_depth(),
        "expected_depth_error": posterior.expected_depth_error(),
        "leaf_distribution": posterior.leaf_distribution(),
        "depth_distribution": posterior.depth_distribution(),
        "predict": posterior.predict(rows),
        "predict_proba": told(lambda: posterior.predict_proba(rows)),
        "predict_interval": told(lambda: posterior.predict_interval(rows, 0.8)),
        "predict_error": posterior.predict_error(rows),
        "rule_probabilities": told(lambda: [asdict(r) for r in posterior.rule_probabilities()]),
        "mixture": told(lambda: [asdict(r) for r in posterior.mixture()]),
        "schedule": None if posterior.schedule is None else asdict(posterior.schedule),
        "diagnostics": None if posterior.diagnostics is None else posterior.diagnostics.to_dict(),
        "interrupted": posterior.interrupted,
        "predicates": [
            {"words": p.words, "asked": p.asked, "refused": p.refused} for p in posterior.predicates
        ],
        "drawn_tree": best.tree.to_text(),
    }
    if posterior.edits is not None:
        found["edits"] = _edits(posterior)
    return found


def _best(best: Any) -> dict[str, Any]:
    return {
        "tree": best.tree,
        "log_joint": best.log_joint,
        "log_posterior": best.log_posterior,
        "certified": best.certified,
    }


def _edits(posterior: slp.Posterior) -> dict[str, Any]:
    edits = posterior.edits
    assert edits is not None
    return {
        "given": edits.given,
        "expected": edits.expected,
        "expected_error": edits.expected_error,
        "distribution": edits.distribution,
        "shares": [
            {
                "kind": s.edit.kind,
                "path": s.edit.path,
                "words": str(s.edit),
                "probability": s.probability,
                "probability_error": s.probability_error,
            }
            for s in edits.shares
        ],
    }
