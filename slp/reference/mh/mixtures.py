"""Mixtures of proposals over proof trees, from their names."""

from __future__ import annotations

from slp.engines.mcmc.mixture import Mixture, cut_by_name
from slp.engines.mcmc.proposals import CutSequenceAtEach, CutSequenceUniformly, Proposal
from slp.engines.shared.filter_plan import plan_of
from slp.engines.shared.proposal_names import Named, mixture_of_names
from slp.reference.derivations import TreeProof
from slp.reference.local_process import LocalProcess
from slp.reference.mh.exact_subtrees import ExactSubtree, SubtreeCharts
from slp.reference.mh.moves import TREE_MOVES
from slp.reference.mh.particle_gibbs import ParticleGibbs
from slp.reference.mh.target import Target


def mixture_of(text: str, process: LocalProcess, most_boxes: float) -> Mixture[Target, TreeProof]:
    """The mixture that a text names, as `mixture_of_names`. Under predicates on nodes `q_exact` is
    refused before (`slp.engines.mcmc.refusals`).

    Raises
    ------
    UsageError
        E516: the text names no proposals.
    """
    charts = SubtreeCharts(process, most_boxes)
    names = mixture_of_names(text, lambda: charts.fits(process.root))
    exact = ExactSubtree(charts)
    return Mixture.of([(_by_name(named, exact), named.weight) for named in names])


def _by_name(named: Named, exact: ExactSubtree) -> Proposal[Target, TreeProof]:
    if named.name == "q_exact":
        return exact
    if named.name == "q_pg":
        return ParticleGibbs(plan_of(named.number, named.settings), named.full_name)
    if named.name == "q_seq":
        return CutSequenceUniformly() if named.number is None else CutSequenceAtEach(named.number)
    return TREE_MOVES.get(named.name) or cut_by_name(named)
