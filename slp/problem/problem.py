"""`Problem`: what every engine is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from slp.data.table import Table
from slp.errors import Diagnostic
from slp.ir.program import CheckedProgram
from slp.ir.tree_grammar import TreeGrammar
from slp.problem.core import core_for, core_problem

if TYPE_CHECKING:
    from slp._core import ExactEngine


@dataclass(frozen=True, eq=False)
class Problem:
    """A checked program on a table.

    Attributes
    ----------
    program : the checked program; its names are resolved to columns, its predicates to functions.
    table : coded, equal rows merged.
    grammar : the program's tree grammar on the columns of the table, without the constraints that
        are decided at the finished tree.
    unsummable : why no exact engine may take the program (E301); empty if one may.
    warnings : what was found in program and table together.
    """

    program: CheckedProgram
    table: Table
    grammar: TreeGrammar
    unsummable: tuple[Diagnostic, ...]
    warnings: tuple[Diagnostic, ...]
    _vary: Callable[[Problem, CheckedProgram], Problem]

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickling and copying: the copy cannot be varied, because that needs the table as it
        was given; but where parameters have a prior it takes values in place of that."""
        of = (self.program, self.table, self.grammar, self.unsummable, self.warnings)
        return Problem, (*of, self._vary if self.program.unknown else unchanged)

    @cached_property
    def core(self) -> ExactEngine | None:
        """The C++ core's `ExactEngine` on the grammar and the table, which counts leaves where the
        grammar limits them; made when first asked for, None without a compiled core that takes the
        table. It holds four bytes for each code of each row."""
        kernels = core_for(self.table)
        if kernels is None:
            return None
        engine: ExactEngine = kernels.ExactEngine(core_problem(kernels, self.grammar, self.table))
        return engine

    @cached_property
    def sampling_core(self) -> ExactEngine | None:
        """The same without counting leaves, which samplers test on finished trees; `core` itself
        where the grammar does not limit them."""
        kernels = core_for(self.table)
        if self.grammar.max_leaves is None or kernels is None:
            return self.core
        problem = core_problem(kernels, self.grammar, self.table, count_leaves=False)
        engine: ExactEngine = kernels.ExactEngine(problem)
        return engine

    def on(self, grammar: TreeGrammar) -> Problem:
        """Another grammar on the same table; itself for its own."""
        return self if grammar is self.grammar else replace(self, grammar=grammar)

    @property
    def can_be_varied(self) -> bool:
        """Whether it has its table as it was given."""
        return self._vary is not unchanged

    def varied(self, program: CheckedProgram) -> Problem:
        """The same table under another program; the table is coded again only if other cuts are
        declared.

        Raises
        ------
        SlpError
            The program and the table do not fit, or it has no tree grammar.
        """
        return self._vary(self, program)


def unchanged(problem: Problem, program: CheckedProgram) -> Problem:
    """In place of what varies a problem, where the table as it was given is not there."""
    raise TypeError("a problem without its table as it was given cannot be varied")
