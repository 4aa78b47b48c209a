"""A proof to start a chain from.

It is drawn from the local process with backtracking: at a dead end, the last choice that has an
alternative left is drawn again among those left. This is not a draw from the program, and need not
be. It finds proofs even if nearly all derivations fail.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from slp.errors import Diagnostic, SlpError
from slp.messages.chains import NO_PROOF_YET
from slp.messages.queries import ALL_PROOFS_IMPOSSIBLE, NO_PROOF_TO_START, NO_PROOF_WITHIN_LIMITS
from slp.resolution.proofs.derivations import ProofSpace, RunChoice, SLDDerivation
from slp.resolution.proofs.runs import Run
from slp.runner import SearchStoppedError, Stop, never
from slp.runner.randomness import Randomness
from slp.source import SourceSpan

#: The most searches, and the most dead ends of each.
_TRIES = 200
_DEAD_ENDS = 1000


def find_start(
    space: ProofSpace, randomness: Randomness, span: SourceSpan | None, stop: Stop = never
) -> SLDDerivation:
    """A proof in the support; `span` is the goal's.

    Raises
    ------
    SlpError
        E250: none was found.
    SearchStoppedError
        See `slp.runner.Stepper`.
    """
    found = 0
    for _ in range(_TRIES):
        if stop():
            raise SearchStoppedError(NO_PROOF_YET)
        derivation = backtracked(space, randomness)
        if derivation is not None and space.passes(derivation):
            return derivation
        found += derivation is not None
    raise _no_start(found, space.stopped, span)


def backtracked(space: ProofSpace, randomness: Randomness) -> SLDDerivation | None:
    """A proof; None if none was found."""
    steps: list[RunChoice] = []
    left: list[list[int]] = []  # numbers of the alternatives not tried yet, for each step
    dead_ends = 0
    while True:
        run = space.run_behind(steps)
        untried = list(range(len(run.alternatives)))
        if not space.allows(sum(step.run.inferences for step in steps) + run.inferences):
            return None
        while not untried:
            dead_ends += 1
            if not steps or dead_ends > _DEAD_ENDS:
                return None
            run, untried = steps.pop().run, left.pop()
        steps.append(RunChoice(run, _drawn(run, untried, randomness)))
        left.append([i for i in untried if i != steps[-1].taken])
        if steps[-1].alternative.start is None:
            return space.finished(steps)


def _drawn(run: Run[object], untried: Sequence[int], randomness: Randomness) -> int:
    """One of the alternatives not tried yet, by their weights."""
    return untried[randomness.among(tuple(accumulate(run.alternatives[i].weight for i in untried)))]


def _no_start(found: int, stopped: Diagnostic | None, span: SourceSpan | None) -> SlpError:
    if found:
        return SlpError(ALL_PROOFS_IMPOSSIBLE(span, found=found))
    if stopped is not None:
        return SlpError(NO_PROOF_WITHIN_LIMITS(span, reason=stopped.message))
    return SlpError(NO_PROOF_TO_START(span))
