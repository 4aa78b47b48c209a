"""Proofs by chronological backtracking (`:- failure(backtrack).`), draws of the prior that it
defines, and chains over it.

The process
-----------
Goals are proved depth-first, the left side before the right, as a Prolog system proves the clauses
of a tree. At a goal the rule is drawn, then the split, by the weights of the local process
(`slp.reference.local_process`). Where a goal has no alternative, or the finished tree breaks a
test, the last choice that has alternatives which were not tried draws again among these, by their
weights. What was drawn before it stays.

To draw an alternative that must fail, and draw again among the others by their weights, gives every
other one the same probability as never to draw it. So alternatives that break a local constraint,
and those that lead to a goal without a proof, are left out: nothing changes but the time. A goal is
proved whatever the others are, so two things follow. If nothing can fail, the process is the local
process. If no test of the finished tree fails, each choice is among the alternatives that can be
proved, independently of the other parts of the tree.

A test of the finished tree ties its parts together: the last choices are drawn again first, and the
first ones stay as they were drawn. The probability of a tree is then a sum over all ways to fail
before it, and is not computed. So weights are unknown, and trees are drawn alone.

Chains
------
`q_ind` proposes a draw of the prior, so its ratio is that of likelihoods, and it leaves the
posterior invariant. So do `q_seq` and `q_seq(K)`: once some choices are made, backtracking draws
all later ones from their distribution given these, whatever failed before, and it undoes the first
ones only where no tree in the support has them.

`q_n` and `q_uc` prove again below a choice point, the rest kept, and take the same ratio (`q_uc`
with the numbers of choice points), as published. This is right if the proof below a point has the
prior's probability given the rest, as it has without tests of the finished tree. With such tests
they are not known to leave the posterior invariant, and examples show that they need not.

Reference: Cussens (2000), Stochastic logic programs: sampling, inference and applications, UAI;
Angelopoulos & Cussens (2005), Exploiting informative priors for Bayesian classification and
regression trees, IJCAI, sections 2 and 4.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from slp.engines.mcmc.mixture import MixtureState
from slp.engines.shared.records import RecordsOf
from slp.engines.shared.starts import search_stopped
from slp.errors import NoTreeError, SlpError
from slp.ir.constraints import Constraint
from slp.ir.tree_grammar import TreeGrammar
from slp.messages.chains import BACKTRACKING_ENDS, TOO_MUCH_BACKTRACKING
from slp.reference.boxes import Geometry
from slp.reference.derivations import TreeProof, proof_of
from slp.reference.local_process import BoxGoal, Choices, LocalProcess, cumulated, goals_below
from slp.reference.mh.chains import MetropolisHastings
from slp.reference.mh.proof import ProofPoint, before_point, choice_points, goals_of, replaced
from slp.reference.mh.provable import Provable
from slp.reference.mh.target import Target
from slp.results.averages.over_trees import ScoredTree, ScoredTrees
from slp.results.record.backtracking import result_of_backtracking, result_of_prior_draws
from slp.results.record.sampler import ToResult
from slp.runner import Json, Move, Phase, StepByStep, Stop, Tally, never, until
from slp.runner.randomness import Randomness, RandomNumbers
from slp.trees import Tree

#: How many finished trees of one draw may break a test.
MOST_RETURNS = 10_000

#: Boxes with their states, still to prove: the next one, and what follows it.
_Pending: TypeAlias = tuple[tuple[int, int], "_Pending"] | None


@dataclass(slots=True, eq=False)
class _Choice:
    """The choice of a rule at a goal (`rule` is None), or of a split under a rule.

    `pending` : what is to be proved after the goal. `n_before` : how many goals were proved before
    it. `tried` : positions of the alternatives drawn so far.
    """

    goal: BoxGoal
    rule: int | None
    pending: _Pending
    n_before: int
    tried: list[int] = field(default_factory=list)

    def draw(self, randomness: Randomness) -> int | None:
        """One of the alternatives that were not tried, by their weights; None if there is none."""
        if self.rule is None:
            weights, cumulative = [r.log_weight for r in self.goal.rules], self.goal.cumulative
        else:
            taken = self.goal.rules[self.rule]
            weights, cumulative = [*taken.log_probabilities], taken.cumulative
        left = [i for i in range(len(weights)) if i not in self.tried] if self.tried else None
        if not weights or left == []:
            return None
        if left is None:
            drawn = randomness.among(cumulative)
        else:
            drawn = left[randomness.among(cumulated([weights[i] for i in left])[0])]
        self.tried.append(drawn)
        return drawn


def proofs(
    process: LocalProcess,
    provable: Provable,
    randomness: Randomness,
    goal: BoxGoal,
    rule: int | None = None,
    made: Sequence[Choices] = (),
    pending: _Pending = None,
) -> Iterator[TreeProof]:
    """The proofs of a goal, one after the other, as backtracking finds them: the first is a draw,
    each further one what it comes to when told that the last one fails. `rule`: the rule at the
    goal itself, if it is fixed. `made`, `pending`: choices made before the goal, which stay, and
    what is to be proved after it; the proofs then are of the first goal.

    Raises
    ------
    SlpError
        E547: more than `MOST_RETURNS` proofs were asked for.
    """
    drawn = [*made]
    open_choices: list[_Choice] = []
    choice: _Choice | None = _Choice(goal, rule, pending, len(drawn))
    returns = 0
    while choice is not None:
        taken = choice.draw(randomness)
        if taken is None:
            choice = open_choices.pop() if open_choices else None
            continue
        here, pending = choice.goal, choice.pending
        if choice.rule is None and here.rules[taken].splits:
            open_choices.append(choice)
            choice = _Choice(here, taken, pending, choice.n_before)
            continue
        new = (here, taken, -1) if choice.rule is None else (here, choice.rule, taken)
        goals = goals_below(*new)
        if not provable.all(goals):
            continue
        open_choices.append(choice)
        drawn[choice.n_before :] = [new]
        for below in reversed(goals):
            pending = (below, pending)
        if pending is not None:
            below, pending = pending
            choice = _Choice(process.goal(*below), None, pending, len(drawn))
            continue
        yield proof_of(process, drawn)
        returns += 1
        if returns > MOST_RETURNS:
            raise SlpError(TOO_MUCH_BACKTRACKING(most=MOST_RETURNS))
        choice = open_choices.pop()


class BacktrackingTarget(Target):
    """The distribution of draws by backtracking, times the likelihood at a power."""

    @cached_property
    def _provable(self) -> Provable:
        return Provable(self.process)

    def log_score(self, proof: TreeProof) -> float:
        """NaN: the probability of a proof is not known."""
        return math.nan

    def log_ratio(self, new: TreeProof, old: TreeProof) -> float:
        """log of L(new)^power / L(old)^power: see the module."""
        return self.power * (new.log_likelihood - old.log_likelihood)

    def redrawn(self, randomness: Randomness, old: TreeProof) -> TreeProof | None:
        """A draw of the prior."""
        return self.fresh(randomness)

    def cut(self, randomness: Randomness, old: TreeProof, k: int) -> TreeProof | None:
        """The proof cut at choice point k in breadth-first order, from 0, and proved again there;
        None if no proof of that goal leads to a tree in the support."""
        point = choice_points(old)[k]
        new = (self._replaced(old, point, part) for part in self._parts(randomness, old, point))
        return next(filter(self.holds, new), None)

    def cut_sequence(self, randomness: Randomness, old: TreeProof, k: int) -> TreeProof | None:
        """The proof with its sequence cut at choice point k, from 0, and proved on from there; None
        if no tree in the support has the choices before it."""
        made, stack, rule = before_point(old, k)
        goal = self.process.goal(*stack.pop())
        pending: _Pending = None
        for below in stack:
            pending = (below, pending)
        found = proofs(self.process, self._provable, randomness, goal, rule, made, pending)
        return next(filter(self.holds, found), None)

    def fresh(self, randomness: Randomness) -> TreeProof | None:
        """A draw of the prior; None if no tree is in the support."""
        found = proofs(self.process, self._provable, randomness, self.process.root)
        return next(filter(self.holds, found), None)

    def _parts(
        self, randomness: Randomness, old: TreeProof, point: ProofPoint
    ) -> Iterator[TreeProof]:
        below = goals_of(old)[point.goal]
        rule = below.rule if point.of_split else None
        return proofs(self.process, self._provable, randomness, below.goal, rule)

    def _replaced(self, old: TreeProof, point: ProofPoint, part: TreeProof) -> TreeProof:
        return replaced(self.process, old, point.goal, part)


class BacktrackingChains(MetropolisHastings):
    """`MetropolisHastings` under `:- failure(backtrack).`, with the proposals that cut.

    Parameters
    ----------
    grammar, geometry, constraints, likelihood : as of `MetropolisHastings`.
    proposal : of `q_ind`, `q_seq`, `q_seq(K)`, `q_n(K)`, `q_uc`.
    """

    to_result = staticmethod(result_of_backtracking)

    def __init__(
        self,
        grammar: TreeGrammar,
        geometry: Geometry,
        constraints: Iterable[Constraint] = (),
        *,
        proposal: str = "q_ind",
        likelihood: bool = True,
    ) -> None:
        super().__init__(grammar, geometry, constraints, proposal=proposal, likelihood=likelihood)
        plain = self._target
        self._target = BacktrackingTarget(plain.process, plain.power, plain.tests, plain.predicates)
        # The draws are a distribution over trees, whose total is 1.
        self.normalised = True
        self._identity = {**self._identity, "kernel": "backtracking"}

    @property
    def draws_prior(self) -> bool:
        """See `MixtureWithPower`."""
        return True

    @property
    def derivations_are_trees(self) -> bool:
        """See `TreeSampler`: a draw is a tree, by whatever proof."""
        return True

    def init(self, rng: np.random.Generator, stop: Stop = never) -> MixtureState[TreeProof]:
        """A draw of the prior, or the given proof.

        Raises
        ------
        SlpError
            E517: no tree is in the support; E547.
        SearchStoppedError
            See `Stepper`.
        """
        if self.given is not None:
            return self.mixture.start(self.given)
        if stop():
            raise search_stopped(self.constraints)
        return self.mixture.start(self.drawn(rng))

    def drawn(self, rng: np.random.Generator) -> TreeProof:
        """A draw of the prior. Raises as `init`."""
        proof = self._target.fresh(RandomNumbers(rng))
        if proof is None:
            raise NoTreeError(BACKTRACKING_ENDS())
        return proof

    def scored(self, records: Iterable[Json], stop: Stop = never) -> ScoredTrees:
        """The trees of records with their log likelihoods; their weights are not known: NaN."""
        found = map(self.derivation_from_data, until(stop, records))
        return ScoredTrees.of(
            self.table, (ScoredTree(self.tree(p), math.nan, p.log_likelihood) for p in found)
        )

    def log_weight(self, tree: Tree) -> float:
        """NaN: it is not known; -inf off the support."""
        return -math.inf if super().log_weight(tree) == -math.inf else math.nan


class BacktrackingDraws(RecordsOf[BacktrackingChains], StepByStep[TreeProof]):
    """Draws of the prior by backtracking: each step is one draw, independent of the state."""

    @property
    def to_result(self) -> ToResult:
        """See `TreeSampler`."""
        return result_of_prior_draws

    @property
    def identity(self) -> Mapping[str, str]:
        """See `Stepper`."""
        return {**self.base.identity, "kernel": "independent draws by backtracking"}

    def init(self, rng: np.random.Generator, stop: Stop = never) -> TreeProof:
        """A draw. Raises as `BacktrackingChains.init`."""
        return self.base.init(rng, stop).derivation

    def step(
        self, rng: np.random.Generator, state: TreeProof, phase: Phase
    ) -> tuple[TreeProof, Tally]:
        """One draw."""
        return self.base.drawn(rng), Counter({Move("backtrack", "accepted"): 1})

    def record(self, state: TreeProof) -> Json:
        """See `Stepper`."""
        return self.base.derivation_to_data(state)

    def features_of(self, state: TreeProof) -> NDArray[np.int32]:
        """The numbers of the features that its tree splits on, each once."""
        numbers = {name: f for f, name in enumerate(self.table.feature_names)}
        own = [numbers[name] for name in self.base.tree(state).features]
        return np.array(own, np.int32)

    def dump(self, state: TreeProof) -> Json:
        """See `Stepper`."""
        return self.record(state)

    def load(self, data: Json) -> TreeProof:
        """See `Stepper`."""
        return self.base.derivation_from_data(data)
