"""What commands tell of a result as JSON: the one place that turns a posterior, or what is known of
one at a limit, into the objects that `--json` and `-o` write.

    posterior_to_json   of `slp-sample` and `slp show`
    known_to_json       the same of a run that a limit ended
    trees_to_json       of `slp map`
    prior_to_json       of `slp prior`
    write_draws         a line for each draw
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import slp
from slp import Posterior
from slp.cli.common import open_atomic
from slp.cli.decisions import decisions_to_json, mass_to_json, tree_to_json
from slp.cli.json_text import finite, json_text
from slp.cli.summary import (
    LEAST_SHARE,
    Uses,
    count_of,
    left_out_words,
    mixture_of,
    notes_of,
    prior_uses_words,
    shares_of_found,
    short_list_note,
)
from slp.data import Table
from slp.errors import BudgetError
from slp.results import (
    Candidate,
    Draw,
    Kind,
    Known,
    RashomonSet,
    RepresentativeTree,
    derivations_note,
    partition_note,
)
from slp.trees import Tree

if TYPE_CHECKING:
    from slp.results import RuleUse, Stacked

#: What the summary of a run that a limit ended does not contain.
MISSING = "the probabilities of trees, their number, leaves, features and predictions"
#: The keys of averages over trees.
_AVERAGES = ("mean_leaves", "mean_leaves_error", "features", "features_error")
_PRIOR_USES = ("features_prior", "features_prior_error", "features_prior_kind")
#: What a run tells of trees, where it tells nothing.
_OF_TREES = {
    "tree_count": None,
    "map": None,
    "trees_summed": None,
    **dict.fromkeys((*_AVERAGES, *_PRIOR_USES)),
    "parameters": None,
    "stacked": None,
    "importances": None,
    "rules": None,
    "edits": None,
    "draws": 0,
    "diagnostics": None,
}


def posterior_to_json(
    posterior: Posterior, uses: Uses | BudgetError, *, draws: int
) -> dict[str, Any]:
    """The summary of a posterior. The caller adds the time. `draws` is the number of draws made."""
    if posterior.stacked is not None:
        return _stacked_to_json(posterior, posterior.stacked)
    # The engine and the clock are asked last, as answers may change what is said of them.
    best = posterior.map() if posterior.trees_summed is None else None
    mixture, count = mixture_of(posterior), count_of(posterior)
    averages, run = _averages_to_json(posterior, uses), _run_to_json(posterior)
    beside = _prior_uses_to_json(posterior, uses)
    return {
        **_answered(posterior),
        "size": _size_to_json(posterior),
        **_table_to_json(posterior.table),
        **_evidence_to_json(
            posterior.log_evidence,
            posterior.log_evidence_error,
            posterior.log_evidence_kind,
            posterior.log_evidence_bounds,
        ),
        "depends_on_clock": posterior.trust.by_clock,
        "left_out": posterior.left_out,
        "notes": [
            *notes_of(posterior),
            *left_out_words(uses, mixture, count),
            *(prior_uses_words(posterior, uses) if beside["features_prior"] is None else ()),
        ],
        "tree_count": None if isinstance(count, BudgetError) else finite(count),
        "map": None
        if best is None
        else {
            **_best_to_json(posterior, best, shares_of_found(posterior)),
            **tree_to_json(posterior, best.tree),
        },
        "trees_summed": posterior.trees_summed,
        **decisions_to_json(posterior),
        **mass_to_json(posterior),
        **averages,
        **beside,
        "parameters": _parameters_to_json(posterior),
        "stacked": None,
        "importances": posterior.importances(),
        "rules": None if isinstance(mixture, BudgetError) else _mixture_to_json(mixture),
        "edits": run["edits"],
        "draws": draws,
        **run,
        "seed": posterior.seed,
        "version": slp.__version__,
    }


def known_to_json(known: Known, limit: str, *, out_of_memory: bool) -> dict[str, Any]:
    """What is known of a run that a limit ended, of memory or of time: the summary with null for
    unknown values. The caller adds the time."""
    bounds = known.log_evidence_bounds
    exact = bounds[0] if bounds is not None and bounds[0] == bounds[1] else None
    kind: Kind | None = None if bounds is None else "bounds" if exact is None else "exact"
    return {
        **_answered(known),
        "size": _size_to_json(known),
        **_table_to_json(known.table),
        **_evidence_to_json(exact, None if exact is None else 0.0, kind, bounds),
        "depends_on_clock": True,
        "left_out": None,
        "notes": [limit, f"not known are {MISSING}"],
        **_OF_TREES,
        "map": None if known.best is None else _best_to_json(known, known.best, {}),
        "interrupted": True,
        "out_of_memory": out_of_memory,
        "seed": None,
        "version": slp.__version__,
    }


def _stacked_to_json(posterior: Posterior, stacked: Stacked) -> dict[str, Any]:
    """Members that are stacked by prediction: the summary with null for all that a posterior alone
    has, and `stacked`, how they were stacked."""
    return {
        **_answered(posterior),
        "size": None,
        **_table_to_json(posterior.table),
        **_evidence_to_json(None, None, None, None),
        "depends_on_clock": posterior.trust.by_clock,
        "left_out": None,
        "notes": [stacked.words(), *stacked.sentences()],
        **_OF_TREES,
        **mass_to_json(posterior),
        "stacked": {"members": len(stacked.weights), **asdict(stacked)},
        "interrupted": posterior.interrupted,
        "out_of_memory": posterior.out_of_memory,
        "seed": posterior.seed,
        "version": slp.__version__,
    }


def trees_to_json(
    posterior: Posterior,
    trees: Sequence[Candidate],
    near: RashomonSet | None,
    nearest: RepresentativeTree | None,
    wanted: int,
) -> dict[str, Any]:
    """The best trees, of as many as were `wanted`; the number of those near the best one, and the
    representative tree, if they were asked for."""
    shares, edits = shares_of_found(posterior), posterior.edits
    return {
        **_answered(posterior),
        "depends_on_clock": posterior.trust.by_clock,
        "size": _size_to_json(posterior),
        "normalised": posterior.normalised,
        "certified": all(found.certified for found in trees),
        "notes": [
            note
            for note in (
                derivations_note(posterior),
                partition_note(posterior),
                short_list_note(posterior, len(trees), wanted),
            )
            if note
        ],
        "best": [
            {
                **_candidate_to_json(found, shares.get(found.tree)),
                **tree_to_json(posterior, found.tree),
                "edits": None if edits is None else _edits_from(edits.given, found.tree),
            }
            for found in trees
        ],
        "within": None if near is None else _near_to_json(near),
        "representative": None
        if nearest is None
        else {**nearest.to_dict(), **tree_to_json(posterior, nearest.tree)},
        "version": slp.__version__,
    }


def prior_to_json(prior: Posterior, wanted: int) -> dict[str, Any]:
    """The summary of a prior, of which `wanted` draws are to be shown."""
    # The engine and the clock are asked last, as averages may change what is said of them.
    averages = _averages_to_json(prior, prior.split_probabilities())
    depth, depth_error = prior.expected_depth(), finite(prior.expected_depth_error())
    leaves = {k: float(p) for k, p in enumerate(prior.leaf_distribution()) if k > 0}
    draws = min(wanted, len(prior.draws)) if prior.interrupted else wanted
    return {
        **_answered(prior),
        "size": _size_to_json(prior),
        "tree_count": finite(prior.tree_count()),
        **mass_to_json(prior),
        "mean_leaves": averages["mean_leaves"],
        "mean_leaves_error": averages["mean_leaves_error"],
        "mean_depth": depth,
        "mean_depth_error": depth_error,
        "leaves": leaves,
        **averages,
        **_run_to_json(prior),
        "depends_on_clock": prior.trust.by_clock,
        "draws": draws,
        "seed": prior.seed,
        "version": slp.__version__,
    }


# --- parts ----------------------------------------------------------------------------------------


def _answered(found: Posterior | Known) -> dict[str, Any]:
    """Which engine answered, and why."""
    return {"engine": found.choice.engine, "reason": found.choice.reason}


def _size_to_json(found: Posterior | Known) -> dict[str, Any] | None:
    """The estimated size of exact sums, and what would make them fit, if `auto` decided by size;
    else None."""
    choice = found.choice
    if choice.size is None:
        return None
    return {**choice.size.to_dict(), "would_fit": [fit.to_dict() for fit in choice.would_fit]}


def _parameters_to_json(posterior: Posterior) -> dict[str, Any] | None:
    """What is known of parameters that have a prior, by name; null where all have values."""
    return None if posterior.parameters is None else posterior.parameters.to_dict()


def _table_to_json(table: Table) -> dict[str, Any]:
    return {"n_rows": table.n_rows, "n_features": len(table.features)}


def _evidence_to_json(
    value: float | None,
    error: float | None,
    kind: Kind | None,
    bounds: tuple[float, float] | None,
) -> dict[str, Any]:
    return {
        "log_evidence": value,
        "log_evidence_error": finite(error),
        "log_evidence_kind": kind,
        "log_evidence_bounds": None if bounds is None else [finite(bound) for bound in bounds],
    }


def _averages_to_json(posterior: Posterior, uses: Uses | BudgetError) -> dict[str, Any]:
    """Leaves and features; null where a limit was reached."""
    if isinstance(uses, BudgetError):
        return dict.fromkeys(_AVERAGES)
    return {
        "mean_leaves": posterior.expected_leaves(),
        "mean_leaves_error": finite(posterior.expected_leaves_error()),
        "features": {name: use.probability for name, use in uses.items()},
        "features_error": {name: finite(use.probability_error) for name, use in uses.items()},
    }


def _prior_uses_to_json(posterior: Posterior, uses: Uses | BudgetError) -> dict[str, Any]:
    """The prior's use of features; null where it is not known, and of a prior."""
    if isinstance(uses, BudgetError) or posterior.prior_uses_kind is None:
        return dict.fromkeys(_PRIOR_USES)
    return {
        "features_prior": {name: use.prior_probability for name, use in uses.items()},
        "features_prior_error": {name: use.prior_probability_error for name, use in uses.items()},
        "features_prior_kind": posterior.prior_uses_kind,
    }


def _run_to_json(posterior: Posterior) -> dict[str, Any]:
    """What a sampler tells of its run."""
    found = posterior.diagnostics
    return {
        "edits": _edits_to_json(posterior),
        "diagnostics": None if found is None else found.to_dict(),
        "interrupted": posterior.interrupted,
        "out_of_memory": posterior.out_of_memory,
    }


def _best_to_json(
    found: Posterior | Known, best: Candidate, shares: dict[Tree, float]
) -> dict[str, Any]:
    return {**_candidate_to_json(best, shares.get(best.tree)), "normalised": found.normalised}


def _candidate_to_json(found: Candidate, share: float | None) -> dict[str, Any]:
    """A tree, how good it is, and its share of those found. `derivation_log_joint` is there where
    trees may have several derivations."""
    own = found.derivation_log_joint
    return {
        "tree": found.tree.to_dict(predictive=True),
        "log_joint": found.log_joint,
        **({} if own is None else {"derivation_log_joint": own}),
        "log_posterior": found.log_posterior,
        "upper_bound": finite(found.upper_bound),
        "certified": found.certified,
        "n_leaves": found.tree.n_leaves,
        "share": share,
    }


def _mixture_to_json(mixture: list[RuleUse]) -> list[dict[str, Any]]:
    """The probability of each component of a mixture."""
    return [
        {
            "rule": use.rule,
            "file": use.file,
            "line": use.line,
            "probability": use.at_start,
            "probability_error": finite(use.at_start_error),
        }
        for use in mixture
    ]


def _edits_to_json(posterior: Posterior) -> dict[str, Any] | None:
    """The differences of trees from the tree given to `edittree`; None for other programs."""
    found = posterior.edits
    if found is None:
        return None
    return {
        "given": found.given.to_dict(),
        "mean": found.expected,
        "mean_error": finite(found.expected_error),
        "numbers": {k: float(p) for k, p in enumerate(found.distribution)},
        "shares": [
            {
                "kind": s.edit.kind,
                "path": s.edit.path,
                "before": s.edit.before,
                "after": s.edit.after,
                "probability": s.probability,
                "probability_error": finite(s.probability_error),
            }
            for s in found.shares
            if s.probability >= LEAST_SHARE
        ],
        "map": _edits_from(found.given, posterior.map_tree()),
    }


def _edits_from(given: Tree, tree: Tree) -> list[str]:
    """The differences of a tree from the one given to `edittree`, in words."""
    return [str(edit) for edit in tree.edits_from(given)]


def _near_to_json(near: RashomonSet) -> dict[str, Any]:
    return {
        "factor": near.factor,
        "count": near.count,
        "complete": near.complete,
        "upper_bound": finite(near.upper_bound),
        "probability": near.probability,
    }


# --- draws ----------------------------------------------------------------------------------------


def sum_of_weights(result: Posterior, draws: Sequence[Draw]) -> float | None:
    """What the weights of draws are shares of; None where all draws count alike."""
    if result.trees_found is not None:
        return result.trees_found
    return sum(draw.weight for draw in draws) if draws and result.draws_have_weights else None


def write_draws(
    draws: Iterable[Draw],
    path: str | Path,
    total: float | None = None,
    certificate: Callable[[Any], Any] | None = None,
) -> None:
    """Write the draws as JSON, one object per line, with their shares of this total weight, and
    the `certificate` of each tree. An error leaves no incomplete file."""
    with open_atomic(path) as stream:
        for i, draw in enumerate(draws):
            line = {
                "draw": i,
                "chain": draw.chain,
                "log_weight": draw.log_weight,
                "log_prior": draw.log_prior,
                "log_likelihood": finite(draw.log_likelihood),
                **({} if total is None else {"share": draw.weight / total}),
                "tree": draw.tree.to_dict(),
            }
            if certificate is not None:
                line["certificate"] = certificate(draw.tree)
            stream.write(json_text(line) + "\n")
