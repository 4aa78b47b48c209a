"""What is found for a query: answers and proofs with their masses, and proofs that were drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from slp.errors import Diagnostic
from slp.ir import program as ir  # its names are used late: it imports slp.terms
from slp.resolution.proofs.choices import Fired
from slp.resolution.proofs.failures import FailedGoal
from slp.resolution.proofs.masses import Mass
from slp.terms import Term


@dataclass(frozen=True)
class MassOfAnswer:
    """An answer: terms for the goal's named variables, in their order, and its mass.

    Free variables are called `_A`, `_B`, ...: answers that differ only in these names are one.
    """

    terms: tuple[Term, ...]
    mass: Mass


@dataclass(frozen=True)
class ProofOfAnswer:
    """A proof: its answer, its mass, and the labelled clauses used, in order."""

    terms: tuple[Term, ...]
    mass: Mass
    fired: tuple[Fired, ...]


@dataclass(frozen=True)
class ProofSearchResult:
    """What a search found, or what tables tell, all on the mass scale.

    `answers` by decreasing mass; `best` proofs likewise, and whether no other proof can be among
    them (`best_certified`). `success` is the mass of all proofs found, `failure` the mass of what
    is known to fail, `open` that of what was not searched. `upper` bounds the mass of all proofs;
    None if no bound is known. `complete`: whether the open mass is within the tolerance. `stopped`
    is the limit that was reached, or the interrupt from the keyboard (`interrupted`). `failed`: the
    deepest goals that failed, if nothing was proved. `by_tables`: whether tables tell it; else
    `untabled` says why they were asked in vain, None where they were not asked. Of tables `failure`
    is None, too, where a logical goal has several results.
    """

    answers: tuple[MassOfAnswer, ...]
    best: tuple[ProofOfAnswer, ...]
    best_certified: bool
    success: Mass
    failure: Mass | None
    open: Mass
    upper: Mass | None
    complete: bool
    stopped: Diagnostic | None
    interrupted: bool
    failed: tuple[FailedGoal, ...]
    by_tables: bool = False
    untabled: str | None = None


@dataclass(frozen=True)
class DrawnProofs:
    """Proofs that were drawn by a `method`.

    Proof i gives the answer `answers[answer_of[i]]`. Its path are the numbers of the labelled
    clauses used, in order, among `fired`: clauses with the values of their labels. `log_masses` are
    the logs of the products of these labels. Paths and masses are None where the method does not
    tell them.

    `tries` counts the draws begun, rejected ones included. `interrupted`: whether Ctrl-C ended the
    drawing. `success` and `failure` are masses, None where they are not known exactly. `untabled`:
    why the proofs are not drawn by tables, where these were asked in vain. `log_weights` of
    weighted draws: the sum of the weights over `tries` estimates the success. Draws of different
    `origins` are independent. Both are None of draws without weights.
    """

    method: str
    answers: Sequence[tuple[Term, ...]]
    answer_of: Sequence[int]
    paths: Sequence[Sequence[int]] | None
    fired: Sequence[tuple[ir.LogicClause, float]]
    log_masses: Sequence[float] | None
    tries: int
    interrupted: bool = False
    success: Mass | None = None
    failure: Mass | None = None
    untabled: str | None = None
    log_weights: Sequence[float] | None = None
    origins: Sequence[int] | None = None
