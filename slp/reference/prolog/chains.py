"""Chains over trees that SWI-Prolog proposes, as a stepper of the run loop."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from slp.engines.mcmc.options import CUTS, TreeChainOptions
from slp.engines.mcmc.refusals import find_refused_proposals
from slp.engines.mcmc.sample import begin_chains_at
from slp.engines.mcmc.tempering import Tempering
from slp.engines.shared.proposal_names import Named
from slp.errors import Diagnostic
from slp.ir import program as ir
from slp.lower import tree_grammar_or_all
from slp.messages.chains import EXACT_SUBTREES_IN_PROLOG
from slp.problem.ambiguity import derivations_are_trees
from slp.problem.problem import Problem
from slp.reference.boxes import Geometry
from slp.reference.mh.chains import MetropolisHastings
from slp.reference.mh.scans import PlainScans, Rungs
from slp.reference.prolog.process import PrologProcess, expanded


class PrologMetropolisHastings(MetropolisHastings):
    """`MetropolisHastings` with proposals that SWI-Prolog proves. Likelihoods come from the core.

    Constraints on the finished tree (`max_leaves`, `max_features`, `monotone`, predicates) are
    tested on every proposed tree, as in the base class. Constraints on a split or a leaf have no
    expansion and are refused. The program needs no finite tree grammar.

    Parameters
    ----------
    program : of tree rules, with callable predicates.
    geometry : the boxes of the table.
    proposal, likelihood : as in `MetropolisHastings`, without `q_exact`.

    Raises
    ------
    UsageError
        E516: there is no such proposal.
    UnsupportedError
        E163, E164: the program cannot be expanded. E260, E261: SWI-Prolog is missing.
    ProgramError
        E263: the program runs code, without `allow_code`.
    """

    def __init__(
        self,
        program: ir.CheckedProgram,
        geometry: Geometry,
        *,
        proposal: str = "q_uc",
        likelihood: bool = True,
        allow_code: bool = False,
    ) -> None:
        local = tuple(c for c in program.constraints if not c.at_finished_tree)
        source = expanded(replace(program, constraints=local), geometry)
        schema = geometry.table.schema(program.support.min_leaf)
        grammar, self._is_its_own = tree_grammar_or_all(program, schema)
        super().__init__(
            grammar,
            geometry,
            program.constraints,
            proposal=proposal,
            likelihood=likelihood,
            process=PrologProcess(program, source, grammar, geometry, allow_code=allow_code),
        )
        self._source = source

    @property
    def identity(self) -> Mapping[str, str]:
        """See `Stepper`."""
        digest = hashlib.sha256(self._source.text.encode()).hexdigest()
        return {**super().identity, "expansion": digest, "kernel": "SWI-Prolog"}

    @property
    def rule_grammar(self) -> None:
        """See `TreeSampler`. None, because states are numbered by proofs here, not by the
        grammar."""
        return None

    @property
    def draws_prior(self) -> bool:
        """See `MixtureWithPower`: what SWI-Prolog draws from is not known to sum to 1."""
        return False

    @cached_property
    def derivations_are_trees(self) -> bool:
        """Whether it is certain that no tree has two proofs."""
        return self._is_its_own and derivations_are_trees(self.process.grammar)


def find_refusals(options: TreeChainOptions) -> Iterator[Diagnostic]:
    """See `Engine.refusal`: E516."""
    return find_refused_proposals(options, _sums_over_subtrees)


def _sums_over_subtrees(named: list[Named]) -> Iterator[Diagnostic]:
    if any(one.name == "q_exact" for one in named):
        yield EXACT_SUBTREES_IN_PROLOG()


def sampler(
    problem: Problem, options: TreeChainOptions, likelihood: bool, allow_code: bool
) -> PrologMetropolisHastings | Tempering[Rungs]:
    """The sampler for the run loop, with the options of chains. Raises as its class. Steps are slow
    here, so chains are tempered only where rungs are asked for."""
    chains = PrologMetropolisHastings(
        problem.program,
        Geometry(problem.grammar, problem.table),
        proposal=options.proposal or CUTS,
        likelihood=likelihood,
        allow_code=allow_code,
    )
    if options.start is not None:
        begin_chains_at(chains, options.start, problem.table)
    if options.rungs in (None, 1) or not likelihood:
        return chains
    return Tempering(PlainScans(chains, n_steps=1), rungs=options.rungs)
