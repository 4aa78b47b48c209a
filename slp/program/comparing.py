"""`compare`: the evidence and the held-out predictions of several programs on one table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from slp.budgets import Deadline
from slp.data import SharedTable
from slp.data.frames import Frame
from slp.errors import BudgetError, UsageError
from slp.ir.program import Predicate
from slp.messages.comparing import AGAINST_WHAT, NO_PROGRAMS, ONE_RUN_EACH
from slp.program.program import Program
from slp.program.progress import Progress, shown_progress
from slp.program.retold import Said, retold
from slp.results import Posterior
from slp.results.averages import TreeAverages
from slp.results.comparison import ComparedProgram, Comparison, HeldOut, bayes_factor, held_out
from slp.results.result import Estimate
from slp.runner import check_count
from slp.runner.options import fresh_seed

_Answer = TypeVar("_Answer")


def compare(
    programs: Sequence[Program] | Mapping[str, Program],
    X: Any,
    y: Any = None,
    *,
    folds: int = 5,
    against: Literal["best", "first"] = "best",
    seed: int | None = None,
    time: float | str | Deadline | None = None,
    progress: Progress | bool | None = None,
    **options: Any,
) -> Comparison:
    """Compare programs on one table: log evidence, log Bayes factors, leaves, held-out predictions.

    Parameters
    ----------
    programs : the programs, or a mapping from names to programs. Without names they have those of
        their files.
    X, y : the table, as for `slp.Program.posterior`. All programs must have the same response, and
        read it in the same way.
    folds : of cross-validation, stratified by class; 0 for none. Each program is run once on the
        whole table and once for each fold.
    against : the program that Bayes factors are against: `"best"`, the one of the highest log
        evidence, or `"first"`.
    seed : of the folds and of every run; None takes one from the system.
    time : limit for all runs together, which share it.
    progress, options : as for `slp.Program.posterior`: `engine`, `draws`, `memory`, `threads`,
        `allow_code`, and the options of the engine, except checkpoints.

    Raises
    ------
    UsageError
        E550 the programs cannot be compared, E551 the folds; and as `slp.Program.posterior`.
    SlpError
        As `slp.Program.posterior`.
    """
    named = _named(programs)
    if against not in ("best", "first"):
        raise UsageError(AGAINST_WHAT(against=against))
    if "checkpoint" in options or "resume" in options:
        raise UsageError(ONE_RUN_EACH())
    if seed is not None:
        check_count("seed", seed, most=math.inf)
    seed = fresh_seed() if seed is None else seed
    table = SharedTable.of({name: program.ir for name, program in named.items()}, X, y)
    parts = table.folds(folds, seed)
    deadline = Deadline.of(time)
    with shown_progress(progress) as shown:
        runs = _Runs(table, options, deadline, shown, len(named) * (1 + folds))
        found = [_of_program(runs, i, *item, seed, parts) for i, item in enumerate(named.items())]
    reference = _reference(found, against)
    return Comparison(
        table.response.name,
        table.frame.n_rows,
        tuple(_with_factor(program, reference) for program in found),
        None if reference is None else reference.name,
        folds,
        seed,
    )


def _named(programs: Sequence[Program] | Mapping[str, Program]) -> dict[str, Program]:
    """Programs by their names; the second of a name is `name (2)`."""
    if not programs:
        raise UsageError(NO_PROGRAMS())
    if isinstance(programs, Mapping):
        return dict(programs)
    out: dict[str, Program] = {}
    for program in programs:
        name = own = program.source.name
        number = 1
        while name in out:
            number += 1
            name = f"{own} ({number})"
        out[name] = program
    return out


# --- runs ----------------------------------------------------------------------------------------


@dataclass
class _Runs:
    """Runs one after the other, which share the time that is left equally."""

    table: SharedTable
    options: Mapping[str, Any]
    deadline: Deadline
    progress: Progress | None
    left: int

    def run(
        self,
        program: Program,
        part: tuple[Frame, Any],
        seed: int,
        what: str,
        question: Callable[[Posterior], _Answer],
    ) -> tuple[Posterior, _Answer]:
        """A posterior and the answer to a question; by a sampler where `auto` had chosen exact sums
        and their share of the time is over.

        Raises
        ------
        KeyboardInterrupt
            A run of chains was interrupted: what it drew is no basis for a comparison.
        """
        left = self.deadline.left()
        time = None if math.isinf(left) else left / self.left
        self.left -= 1
        posterior = program.posterior(
            *part, seed=seed, time=time, progress=self._teller(what), **self.options
        )
        if posterior.interrupted and not posterior.out_of_time:
            raise KeyboardInterrupt
        try:
            return posterior, question(posterior)
        except BudgetError as error:
            drawn = posterior.drawn_instead(error)
            if drawn is None:
                raise
            return drawn, question(drawn)

    def _teller(self, what: str) -> Progress | None:
        """Progress that says which run this is."""
        tell = self.progress
        if tell is None:
            return None

        def told(done: int, phase: str) -> None:
            head, comma, more = phase.partition(", ")
            ended = more == "done"
            tell(done, phase if ended else f"{head}, {what}{comma}{more}")

        return told


def _of_program(
    runs: _Runs,
    number: int,
    name: str,
    program: Program,
    seed: int,
    parts: Sequence[NDArray[np.intp]],
) -> ComparedProgram:
    """All but the Bayes factor."""
    table = runs.table
    seeds = np.random.SeedSequence([seed, 1 + number]).generate_state(1 + len(parts)).tolist()
    with retold(name) as said:
        found, leaves = runs.run(program, (table.frame, table.y), seeds[0], name, _leaves)
    scores = None
    if parts:
        with retold(name, len(parts)) as said:
            scores = _cross_validated(runs, name, program, seeds[1:], parts, said)
    evidence = found._result.log_evidence
    return ComparedProgram(
        name,
        found.engine,
        found.reason,
        seeds[0],
        evidence,
        None,
        leaves,
        found.diagnostics is None or found.diagnostics.converged,
        found.choice.by_clock or found.out_of_time,
        scores,
        found.no_bayes_factor,
        tuple(_notes(program, found)),
    )


def _leaves(posterior: Posterior) -> Estimate:
    value, error = posterior.expected_leaves(), posterior.expected_leaves_error()
    if posterior.diagnostics is None and not posterior.uses_are_drawn:
        return Estimate.exact(value)
    return Estimate.drawn(value, error)


def _notes(program: Program, found: Posterior) -> Iterator[str]:
    if found.log_evidence is None:
        yield f"the evidence is not known: {found.no_evidence}"
        if found.log_evidence_bounds is not None:
            low, high = found.log_evidence_bounds
            yield f"the log evidence lies between {low:.6g} and {high:.6g}"
    if any(isinstance(c, Predicate) for c in program.ir.constraints):
        yield "its predicates can look at the response; if they do, there is no Bayes factor"
    if program.ir.leaf is None and not found.table.leaf.classes:
        yield "no leaf model is declared, so its mean and scale were taken from the response"


def _cross_validated(
    runs: _Runs,
    name: str,
    program: Program,
    seeds: Sequence[int],
    parts: Sequence[NDArray[np.intp]],
    said: Said,
) -> HeldOut:
    """The scores of held-out rows."""
    table, outcomes = runs.table, runs.table.read.outcomes
    every = np.arange(table.frame.n_rows)
    of_classes = bool(table.read.leaf.classes)
    logs: list[NDArray[np.float64]] = []
    right: list[NDArray[np.bool_]] = []
    squared: list[NDArray[np.float64]] = []
    for k, (seed, rows) in enumerate(zip(seeds, parts, strict=True)):
        said.run = k
        new, own = table.frame.rows(rows), outcomes[rows]

        def question(
            posterior: Posterior, new: Frame = new, own: NDArray[Any] = own
        ) -> tuple[NDArray[np.float64], NDArray[Any]]:
            if of_classes:
                told = posterior.predict_proba(new)
                return np.log(told[np.arange(len(own)), own]), told.argmax(axis=1) == own
            numbers = own if own.ndim == 1 else own[:, 0]
            return _log_density(posterior, new, own), (posterior.predict(new) - numbers) ** 2

        what = f"{name}, fold {k + 1} of {len(parts)}"
        training = table.part(np.setdiff1d(every, rows))
        log, score = runs.run(program, training, seed, what, question)[1]
        logs.append(log)
        (right if of_classes else squared).append(score)
    return held_out(logs, right or None, None if table.censored else squared or None)


def _log_density(posterior: Posterior, new: Frame, own: NDArray[Any]) -> NDArray[np.float64]:
    """Log predictive density (of counts: probability) of outcomes of new rows, shape (m,). Of the
    leaves S with probabilities w it is log sum_S w_S p(S and s) / p(S), s the row's statistics."""
    table = posterior.table
    leaf, out = table.leaf, np.empty(len(own))
    rows = table.new_rows(new)

    def fill(averages: TreeAverages) -> None:
        pairs = zip(averages.leaf_mixtures(rows), leaf.statistics(own), strict=True)
        for i, (mixture, s) in enumerate(pairs):
            S = mixture.statistics
            with np.errstate(divide="ignore"):  # a leaf may have no probability
                logs = np.log(mixture.probability) + leaf.log_marginal(S + s) - leaf.log_marginal(S)
            out[i] = np.logaddexp.reduce(logs)

    posterior._result.of_new_rows(fill)
    return out


# --- Bayes factors -------------------------------------------------------------------------------


def _reference(
    programs: Sequence[ComparedProgram], against: Literal["best", "first"]
) -> ComparedProgram | None:
    """The program that Bayes factors are against; None if it has no evidence that makes one."""
    if against == "first":
        return programs[0] if programs[0].has_factor else None

    def evidence(program: ComparedProgram) -> float:
        assert program.log_evidence is not None
        return program.log_evidence.value

    return max((p for p in programs if p.has_factor), key=evidence, default=None)


def _with_factor(program: ComparedProgram, reference: ComparedProgram | None) -> ComparedProgram:
    if reference is None or not program.has_factor:
        return program
    assert program.log_evidence is not None and reference.log_evidence is not None
    if program is reference:
        return replace(program, log_bayes_factor=Estimate.exact(0.0))
    factor = bayes_factor(program.log_evidence, reference.log_evidence)
    return replace(program, log_bayes_factor=factor)
