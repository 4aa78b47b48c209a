"""Learning labels from observed goals: failure-adjusted maximisation.

The model is this. Let G be a goal: the predicate of the observations with free arguments.
Derivations of G are drawn with the probabilities of the labels until one succeeds, and its answer
is observed. Let mass(y) be the sum of the masses of the proofs of y, and Z the sum over all proofs
of G. Then

    log-likelihood = sum over observations of  log mass(y) - log Z

This is maximised by expectation-maximisation. The hidden data are the derivations, including those
that failed before each success (1/Z - 1 on average). Let n be the number of observations. The
expected number of uses of clause c is

    psi(c) = sum over observations of E[c | proof of y]
             + n (1/Z - 1) E[c | failed derivation of G]

For each set of clauses that one goal chooses among, the labels that maximise the expected
log-likelihood are

    label(c) = psi(c) / sum of psi over the set

(Cussens, "Parameter Estimation in Stochastic Logic Programs", Machine Learning 44, 2001: the FAM
algorithm). If a derivation is lost at a goal because the label sum of the matching clauses is below
1, the clauses of the set that do not match count as used, in proportion to their labels.

Labels that are expressions of parameters have no such formula. Their parameters maximise
numerically

    sum of psi log label  +  sum over goals of (expected number of losses) log (1 - sum of labels)

Dirichlet priors add their concentration less 1 to psi (`slp.learn.label_priors`). No iteration
decreases the log-likelihood plus the log prior density.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace

from slp.errors import SlpError, UsageError
from slp.ir import program as ir
from slp.learn.goals import Observation, most_general, tally, with_condition
from slp.learn.iterations import Course, Iterations
from slp.learn.label_values import Labels
from slp.learn.result import Learned
from slp.learn.sample import Sample
from slp.learn.standard_errors import standard_errors
from slp.learn.text import ProgramText
from slp.messages import learning as words
from slp.resolution import DEFAULT_LIMITS, Limits
from slp.terms import Term, variables

#: Uniform priors.
NO_PRIORS: Mapping[str, float] = {}


def learn_labels(
    program: ir.CheckedProgram,
    text: ProgramText,
    observations: Iterable[Observation],
    *,
    goal: Term | None = None,
    given: Term | None = None,
    only: Collection[str] = (),
    compiles: Callable[[Mapping[str, float]], bool],
    concentrations: Mapping[str, float] = NO_PRIORS,
    starts: int = 1,
    seed: int = 0,
    errors: bool = False,
    failures: bool = True,
    tolerance: float = 1e-9,
    iterations: int = 1000,
    limits: Limits = DEFAULT_LIMITS,
    progress: Callable[[int, str], None] | None = None,
) -> Learned:
    """Maximise the likelihood of observed goals over labels and the parameters in them.

    Parameters
    ----------
    program, text : the same program, checked and as text.
    goal : the goal that all observations are answers to; None for the most general goal of each
        observation's predicate.
    given : a condition on the derivations of `goal`, None for none. Variables with the same name
        are shared. Observations are answers of derivations in which both succeed.
    only : predicates and parameters to learn; if empty, all that can be learned.
    compiles : whether the program is sound with given values of some parameters.
    concentrations : of the Dirichlet priors of labels, by predicate; that of others is under "".
    starts : how often the iterations begin: with the labels of the program, then with labels that
        are drawn by `seed`, uniformly. The result of the largest posterior density is kept.
    errors : whether standard errors are computed.
    failures : whether failed derivations are accounted for. If not, this is plain
        expectation-maximisation, which is wrong if derivations can fail (for comparison).
    tolerance : stop when an iteration gains no more than this in log-likelihood, times the mass of
        success: where success is rare, iterations are small.
    limits : limits of each goal's search.
    progress : called with the number of iterations done: each sums over all proofs once.

    The budgets that are held (`slp.budgets`) and Ctrl-C end the iterations. The result is that of
    the last one, of the best start; without one the error is raised.

    Raises
    ------
    SlpError
        E280 to E292, and the errors of a search.
    """
    if program.weights:
        raise SlpError(words.WEIGHTS_NOT_LEARNED())
    seen = tally(observations)
    if not seen:
        raise UsageError(words.NO_GOAL())
    if given is not None:
        _check_condition(goal, given, failures)
    asked = [
        with_condition(o, most_general(o, program) if goal is None else goal, given) for o in seen
    ]
    labels = Labels.of(program, text, only, compiles, [o.goal for o, _ in asked], concentrations)
    sample = Sample(program, asked, limits, failures, given)
    iterate = Iterations(sample, failures, tolerance, iterations, progress)
    first = iterate.first(labels)
    others, notes = iterate.others(first, starts, seed)
    courses = [first, *others]
    best = max(courses, key=lambda course: course.log_posterior)
    method = "failure-adjusted maximisation" if failures else "plain expectation-maximisation"
    learned = best.labels.learned(tuple(best.log_likelihoods), best.converged, method)
    if errors:
        learned = _with_errors(learned, sample, best)
    return replace(
        learned,
        log_priors=tuple(best.log_priors) if best.labels.has_priors else (),
        starts=tuple(course.log_posterior for course in courses) if starts > 1 else (),
        notes=(*sample.notes, *notes, *learned.notes),
    ).ended_by(first.ended)


def _with_errors(learned: Learned, sample: Sample, best: Course) -> Learned:
    """The result with standard errors, or a note where the iterations have not converged, where the
    time or the memory ended before, or near labels proofs cannot be summed."""
    if not best.converged:
        note = "there are no standard errors: the iterations have not converged"
        return replace(learned, notes=(*learned.notes, note))
    try:
        found = standard_errors(sample, best.labels)
    except (SlpError, KeyboardInterrupt) as e:
        why = e.diagnostics[0].message if isinstance(e, SlpError) else "interrupted"
        notes = (*learned.notes, f"there are no standard errors: {why}")
        return replace(learned, notes=notes, interrupted=isinstance(e, KeyboardInterrupt))
    changes = []
    for change, error in zip(learned.changes, best.labels.in_order(found), strict=True):
        if isinstance(error, float):
            changes.append(replace(change, error=error))
        else:
            changes.append(replace(change, why_no_error=error))
    return replace(learned, changes=tuple(changes))


def _check_condition(goal: Term | None, given: Term, failures: bool) -> None:
    """E291 where a condition would change nothing, or where it would be wrong."""
    if not failures:
        raise UsageError(words.CONDITION_WITHOUT_FAILURES())
    if goal is None or not {*variables(goal)} & {*variables(given)}:
        raise UsageError(words.CONDITION_APART())
