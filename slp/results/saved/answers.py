"""The answers of a run of trees: the parts of its `Result` that are written as they are
(`answers_to_plain`), and the record that is filled with them again (`result_of_answers`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, get_type_hints

import numpy as np
from numpy.typing import NDArray

from slp.data.table import Table
from slp.errors import UnsupportedError, UsageError
from slp.messages.saved import OTHERS_NOT_SAVED, PRIOR_NOT_SAVED, ROWS_NOT_SAVED, WEIGHTS_NOT_SAVED
from slp.problem.tree_on_table import log_likelihood_of_tree
from slp.results.averages.additive import SummedTrees
from slp.results.averages.drawn_trees import DrawnTrees
from slp.results.averages.soft import SoftTrees
from slp.results.record.additive import only_sums
from slp.results.record.choice import EngineChoice
from slp.results.record.edit_summary import EditSummary
from slp.results.record.later import Later
from slp.results.record.parts import Candidate, Draw, NearBest, shown
from slp.results.record.prior_mass import PriorMass
from slp.results.record.prior_uses import PriorUses
from slp.results.record.result import Result
from slp.results.record.rule_use import RuleUse, no_rules
from slp.results.record.soft import LikelihoodOfSoftTrees, no_weight
from slp.results.record.stacked import Stacked
from slp.results.saved.archive import DamagedError
from slp.results.saved.plain import from_plain, to_plain
from slp.results.saved.tables import TableWithoutRows
from slp.results.trust.diagnostics import Diagnostics
from slp.runner import Schedule
from slp.trees import Tree

#: The parts of a `Result` that `answers.json` has. Trees in them have the numbers of the run's
#: trees; the tree given to `edittree` has the next one.
PARTS = (
    "evidence",
    "derivations_are_trees",
    "tree_count",
    "trees_found",
    "importances",
    "diagnostics",
    "schedule",
    "ended",
    "best",
    "rules",
    "mixture",
    "edits",
    "parameters",
    "prior_mass",
    "prior_uses",
)
#: The prior's use of features in a file that was written before these were.
_NO_PRIOR_USES = PriorUses.not_known("the saved run does not have it")
#: Logs of probabilities are below this, those of estimated evidence too.
_MOST_LOG_SHARE = 100.0


def answers_to_plain(result: Result, drawn: DrawnTrees) -> dict[str, Any]:
    """`answers.json`: `PARTS`, of `best` those among the trees that there are, `rules` null where
    the engine does not tell; and `weights_known`, whether a draw tells its log weight."""
    of_sums = result.kind == "additive"
    asked = {
        **{name: getattr(result, name) for name in PARTS},
        "best": lambda: () if of_sums else tuple(islice(result.best(), len(drawn.trees))),
        "rules": lambda: _rules(result),
    }
    told = {name: part() if callable(part) else part for name, part in asked.items()}
    weights_known = all(draw.log_weight is not None for draw in result.draws())
    return {**to_plain(told, _number_of(result, drawn)), "weights_known": weights_known}


def _number_of(result: Result, drawn: DrawnTrees) -> Callable[[Tree], int]:
    """Tells the number of a tree; that given to `edittree` is behind all others. Most trees are
    found without a look at their nodes."""
    shown = [] if drawn.n_summed else [result.shown(tree) for tree in drawn.trees.trees]
    same = {id(tree): u for u, tree in enumerate(shown)}
    soft = {} if drawn.hard else {tree: u for u, tree in enumerate(shown)}

    def number_of(tree: Tree) -> int:
        number = same.get(id(tree))
        if number is not None:
            return number
        if not drawn.hard:
            return soft[tree]
        number = drawn.arrays.find(tree)
        return len(shown) if number is None or shown[number] != tree else number

    return number_of


def _rules(result: Result) -> list[RuleUse] | None:
    try:
        return result.rules()
    except UsageError:  # this engine does not tell
        return None


def answers_of_format_1(said: dict[str, Any], n_trees: int) -> dict[str, Any]:
    """The answers of a file of format 1, which had the fields of parts under other names."""
    evidence = {
        "estimate": said["log_evidence"],
        "why_none": said["no_evidence"],
        "note": said["evidence_note"],
        **{
            name: said[name]
            for name in ("no_bayes_factor", "log_prior_total", "log_total", "left_out")
        },
    }
    out = {
        **said,
        "evidence": evidence,
        "ended": {name: said[name] for name in ("interrupted", "out_of_time")},
    }
    if said["edits"] is not None:
        out["edits"] = {**said["edits"], "given": n_trees}
    if said["diagnostics"] is not None:  # its figures are judged again
        out["diagnostics"] = {k: v for k, v in said["diagnostics"].items() if k != "warnings"}
    return out


def result_of_answers(
    said: Mapping[str, Any],
    table: Table,
    averages: DrawnTrees,
    weights: NDArray[np.float64],
    given: Sequence[Tree],
    *,
    choice: EngineChoice,
    likelihood: bool,
    normalised: bool,
    seed: int,
) -> Result:
    """The distribution over trees that a saved run shows. It weighs no other trees.

    Parameters
    ----------
    said : what `answers_to_plain` gave.
    averages : over the trees that are there.
    weights : of each draw, chain after chain, shape (T,).
    given : the tree given to `edittree`, if one was.
    choice, likelihood, normalised, seed : as of `Result`.

    Raises
    ------
    ValueError, KeyError, DamagedError
        The answers are not sound.
    """
    late = [Diagnostics, EditSummary, RuleUse, Schedule, Stacked]  # as `result` imports them
    hints = get_type_hints(Result, None, {kind.__name__: kind for kind in late})
    of_sums = isinstance(averages, SummedTrees)
    kept = [] if of_sums else averages.trees.trees
    trees = [*(shown(tree, likelihood) for tree in kept), *given]
    said = {
        "parameters": None,
        "prior_mass": to_plain(PriorMass()),
        "prior_uses": to_plain(_NO_PRIOR_USES),
        **said,
    }
    told = {
        name: from_plain(hints[name], said[name], trees)
        for name in PARTS
        if name != "rules" or said["rules"] is not None
    }
    if not told["prior_uses"]().is_sound(len(table.features)):
        raise DamagedError("its answers are not sound")
    best, used = told["best"](), told["importances"]
    probable = all((found.log_posterior or 0.0) < _MOST_LOG_SHARE for found in best)
    there = bool(best) or of_sums
    if not there or not probable or (used is not None and len(used) != len(table.features)):
        raise DamagedError("its answers are not sound")
    smooth = told["trees_found"] is not None and any(found.log_joint is None for found in best)
    known = from_plain(bool, said["weights_known"])
    of = (choice.engine, likelihood, normalised, known, smooth)
    saved = _Saved(table, averages, weights, best, *of)
    soft = isinstance(averages, SoftTrees)
    parts: dict[str, Any] = {"rules": saved.no_rules, **told, "best": saved.best}
    result = Result(
        chosen=choice,
        table=table,
        likelihood=likelihood,
        normalised=normalised,
        seed=seed,
        kind="soft" if soft else "additive" if of_sums else "trees",
        averaged=averages,
        near_best=saved.near_best,
        draws=Later(saved.draws),
        log_weight=no_weight if soft else saved.log_weight,
        log_likelihood=LikelihoodOfSoftTrees(table, averages) if soft else saved.log_likelihood,
        prior=saved.prior,
        **parts,
    )
    return only_sums(result, averages.n_summed) if averages.n_summed else result


@dataclass(frozen=True, eq=False)
class _Saved:
    """What a record of a saved run is filled with, beside the parts that its file has.

    Attributes
    ----------
    found : the best trees that are there.
    smooth : whether trees were found by a smoothed posterior: see `slp.engines.modal.result`.
    """

    table: Table
    averages: DrawnTrees
    weights: NDArray[np.float64]
    found: Sequence[Candidate]
    engine: str
    likelihood: bool
    normalised: bool
    weights_known: bool
    smooth: bool

    def prior(self) -> Result:
        """See `Result`: not there (E562)."""
        raise UnsupportedError(PRIOR_NOT_SAVED(engine=self.engine))

    def no_rules(self) -> list[RuleUse]:
        """See `Result`: not told (E531)."""
        raise no_rules(self.engine)

    def log_weight(self, tree: Tree) -> float:
        """See `Result`: of the trees that are there.

        Raises
        ------
        UnsupportedError
            E562: of another tree.
        """
        u = self.averages.arrays.find(tree)
        if u is None:
            raise UnsupportedError(WEIGHTS_NOT_SAVED(engine=self.engine))
        return float(self.averages.trees.log_weight[u])

    def log_likelihood(self, tree: Tree) -> float:
        """See `Result`: without the table's rows, of the trees that are there.

        Raises
        ------
        UnsupportedError
            E562: of another tree.
        """
        if not isinstance(self.table, TableWithoutRows):
            return log_likelihood_of_tree(self.table, tree)
        u = self.averages.arrays.find(tree)
        if u is None:
            raise UnsupportedError(ROWS_NOT_SAVED(what="the likelihood of another tree"))
        return float(self.averages.trees.log_likelihood[u])

    def best(self) -> Iterator[Candidate]:
        """See `Result`: those that are there.

        Raises
        ------
        UnsupportedError
            E562: the next one of a search.
        """
        yield from self.found
        self._raise_if_searched()

    def near_best(self, slack: float) -> NearBest | None:
        """See `Result`.

        Raises
        ------
        UnsupportedError
            E562: of a search, which tells them by its next trees.
        """
        self._raise_if_searched()
        return None

    def _raise_if_searched(self) -> None:
        if self.found[0].upper_bound is not None:
            raise UnsupportedError(OTHERS_NOT_SAVED(engine=self.engine))

    def draws(self) -> Sequence[Draw]:
        """See `Result`."""
        out: list[Draw] = []
        scored = self.averages.trees
        trees = [shown(tree, self.likelihood) for tree in scored.trees]
        log_weights, fits = scored.log_weight.tolist(), scored.log_likelihood.tolist()
        weights = iter(self.weights.tolist())
        for c, chain in enumerate(self.averages.chains):
            for u in chain.tolist():
                prior = own = log_weights[u] if self.weights_known else None
                prior = prior if self.normalised and not self.smooth else None
                fit = math.nan if self.smooth else fits[u]
                out.append(Draw(trees[u], own, prior, fit, c, next(weights)))
        return out
