"""Learning the parameters of a tree program from tables: maximum marginal likelihood.

Let theta be the parameters that labels use and the feature weights. The log evidence of a table is

    l(theta) = log sum over trees of w(tree; theta) L(tree)  -  log sum over trees of w(tree; theta)

The log evidence of several tables is the sum over them. w is the product of the weights of the
steps of the tree's derivation. The weight of a step is a label, renormalised over the rules that
apply in the box, times the split probability. Let c(e) be the expected number of uses of step e
(inside-outside: Baker 1979; `slp.reference.chart.chart`), under the posterior and under the prior.
Then

    d l / d theta = sum over steps e of  [c(e | posterior) - c(e | prior)]  d log w(e) / d theta

(Fisher's identity). Salakhutdinov, Roweis & Ghahramani, "Optimization with EM and
Expectation-Conjugate-Gradient", ICML 2003, show that an ascent by this gradient needs far fewer
sums over all trees than EM. The zeros of the gradient are the fixed points of EM. d log w(e) / d
theta is computed by differences of the labels. The prior's term accounts for failure, as in
Cussens' failure-adjusted maximisation. It is 0 if no derivation can fail.

If the chart of all steps is too large for the memory, the gradient comes from differences of l,
which the compiled engine computes without storing the steps.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from slp.budgets import check_time
from slp.data.table import Table
from slp.errors import BudgetError, UsageError
from slp.ir import program as ir
from slp.learn.ascent import Ascent, climb
from slp.learn.evidence import EvidenceSums, OtherStepsError, grammar_on, sums_of
from slp.learn.result import Learned
from slp.learn.text import ProgramText
from slp.learn.unknowns import Unknowns
from slp.messages.learning import NO_TABLE
from slp.results.record.evidence import evidence_note

_Vector = NDArray[np.float64]


def learn_parameters(
    program: ir.CheckedProgram,
    text: ProgramText,
    tables: Sequence[Table],
    *,
    only: Collection[str] = (),
    compiles: Callable[[Mapping[str, float]], bool],
    memory: int,
    tolerance: float = 1e-9,
    iterations: int = 1000,
    progress: Callable[[int, str], None] | None = None,
) -> Learned:
    """Maximise the evidence of tables over the parameters that labels use, and feature weights.

    Parameters
    ----------
    program, text : the same program, checked and as text. If the program declares no response, each
        table uses its own.
    only : parameters and features to learn; if empty, all that can be learned.
    compiles : whether the program is sound with given values of some parameters.
    memory : budget of each table's sums, in bytes.
    tolerance : stop when an iteration gains no more than this in log evidence.
    progress : called with the number of sums made.

    The time that is held (`slp.budgets.held`) and Ctrl-C end the ascent. The result is that of the
    last step; without one the error is raised.

    Raises
    ------
    SlpError
        E286 to E288, and the errors of inference.
    """
    if not tables:
        raise UsageError(NO_TABLE())
    unknowns = Unknowns.of(program, text, only, compiles)
    sums = [sums_of(program, table, memory) for table in tables]
    evidence = _Evidence(unknowns, sums, progress)
    caution = evidence_note(grammar_on(program, tables[0]), tables[0])
    path: list[Ascent] = []
    converged = False
    ended: BudgetError | KeyboardInterrupt | None = None
    try:
        _, converged = climb(
            evidence, unknowns.start, iterations=iterations, tolerance=tolerance, path=path
        )
    except (BudgetError, KeyboardInterrupt) as e:
        if not path:
            raise
        ended = e
    values = tuple(point.value for point in path)
    learned = unknowns.learned(path[-1].point, values, converged, evidence.method).ended_by(ended)
    return learned if caution is None else replace(learned, notes=(*learned.notes, caution))


@dataclass(frozen=True, eq=False)
class _Evidence:
    """The log evidence of all tables, as a function of the coordinates."""

    unknowns: Unknowns
    sums: Sequence[EvidenceSums]
    progress: Callable[[int, str], None] | None
    _made: list[int] = field(default_factory=lambda: [0])

    @property
    def method(self) -> str:
        """How the evidence is summed."""
        return " and ".join(sorted({s.name for s in self.sums}))

    def value(self, u: _Vector) -> float:
        """The value; -inf if the labels are invalid."""
        check_time("while the evidence was summed")
        if self.progress is not None:
            self._made[0] += 1
            self.progress(self._made[0], "learning")
        if not self.unknowns.is_sound(u):
            return -np.inf
        try:
            return sum(s.value(self.unknowns, u) for s in self.sums)
        except OtherStepsError:
            return -np.inf

    def slope(self, u: _Vector) -> _Vector:
        """The gradient."""
        return np.asarray(sum(s.slope(self.unknowns, u) for s in self.sums))
