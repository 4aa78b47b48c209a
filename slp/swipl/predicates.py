"""`:- constraint(prolog(Goal))`: constraints that SWI-Prolog decides on a finished tree.

The goal is called with the tree as an additional last argument. It is a predicate of the program if
there is one, else of SWI-Prolog's module `user`. `prolog("checks.pl":Goal)` first loads a file from
the folder of the program. A tree is a term:

    split(Feature, Threshold, Left, Right)      an atom, the level, in place of the threshold
    leaf([counts-[no-2, yes-1]])                for classes; else leaf([n-3, mean-3.4])

A predicate on nodes gets a node instead:

    node(Depth, Rows, [counts-[no-2, yes-1]], split(Feature, Threshold))      or `leaf`
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from slp.errors import ProgramError
from slp.ir import program as ir
from slp.messages.proofs import PROLOG_FILE_NOT_LOADED
from slp.resolution.machine.loop import DEFAULT_LIMITS
from slp.source import SourceSpan
from slp.swipl.bridge import consult
from slp.swipl.prolog import PrologProgram
from slp.terms import Atom, Number, Struct, Term, Text, arguments, functor
from slp.trees.terms import summary_term, test_term, tree_term


def prolog_function(
    goal: Term, program: ir.CheckedProgram, *, local: bool, span: SourceSpan | None
) -> Callable[[Any], bool]:
    """The predicate of a constraint at `span`, as a function of a `slp.trees.Tree` or, if it is
    local, of a `slp.trees.TreeNode`. The caller has permission to run code.

    Raises
    ------
    UnsupportedError
        E260, E261: SWI-Prolog is missing, or does not start.
    ProgramError
        E266: the file that the goal names cannot be loaded.
    """
    loaded = PrologProgram(program, allow_code=True)
    own = {functor(clause.head) for clause in program.clauses}
    if isinstance(goal, Struct) and goal.name == ":" and isinstance(goal.args[0], Text):
        _consult_beside(goal.args[0], span)
        goal, own = goal.args[1], set()

    def holds(subject: Any) -> bool:
        term = node_term(subject) if local else tree_term(subject)
        asked = _with_argument(goal, term)
        if functor(asked) not in own:
            asked = Struct("prolog", (asked,))
        return loaded.holds(asked, span, DEFAULT_LIMITS)

    loaded.close_with(holds)
    return holds


def _consult_beside(name: Text, span: SourceSpan | None) -> None:
    folder = Path(span.file.name).parent if span else Path()
    said = consult(folder / name.value)
    if said is not None:
        raise ProgramError(PROLOG_FILE_NOT_LOADED(span, name=name.value, text=said))


def _with_argument(goal: Term, last: Term) -> Struct:
    """The goal with one more argument, also after a module's name."""
    if isinstance(goal, Struct) and goal.name == ":" and len(goal.args) == 2:
        return Struct(":", (goal.args[0], _with_argument(goal.args[1], last)))
    assert isinstance(goal, Atom | Struct), "the checker wants a goal"
    return Struct(goal.name, (*arguments(goal), last))


def node_term(node: Any) -> Term:
    """A `slp.trees.TreeNode` as a term."""
    decided: Term = Atom("leaf")
    if not node.is_leaf:
        decided = Struct("split", (Atom(node.feature), test_term(node.split.test)))
    numbers = (Number(node.depth), Number(node.rows))
    return Struct("node", (*numbers, summary_term(node.summary), decided))
