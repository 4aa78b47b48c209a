"""Whether a finished tree satisfies a program's constraints, as docs/language.md defines them.

Nothing here is shared with lowering or the engines, so a tree that an engine gives can be checked
against what its user wrote. `slp.trees.definitions` has the constraints; rows come from the leaves'
summaries or from routing a table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from slp.errors import DataError, UsageError
from slp.ir.constraints import Constraint, Support
from slp.ir.program import CheckedProgram
from slp.ir.words import describe_constraint, describe_support
from slp.messages.trees import NOT_A_PROGRAM, NOT_DEFINED_SO, RESPONSE_WITHOUT_TABLE
from slp.source import SourceSpan
from slp.trees.definitions import Seen, findings
from slp.trees.parts import Split
from slp.trees.route import CodedRows, RowsOfTable
from slp.trees.tree import Tree

if TYPE_CHECKING:
    from slp.data.table import Table


@dataclass(frozen=True)
class CheckResult:
    """The result of checking one constraint.

    Attributes
    ----------
    constraint : the constraint or limit as data.
    words : the constraint as a sentence.
    span : its place in the program.
    holds : True or False, or None if the tree does not determine it, as where a leaf does not tell
        its rows.
    counterexample : where and why the constraint fails or is not determined.
    path : the node of the counterexample (`root`, `left.right`), None for the whole tree.
    witness : the counterexample as plain data, None if there is none: the `path` of a node, the
        `paths` of nodes that are too many together, or two `points` between which predictions fall
        (see docs/certificates.md).
    against : of a preference the number of splits and leaves that break it, each at its cost; None
        of other constraints. `holds` then tells whether there are none; a tree may have some.
    """

    constraint: Constraint | Support = field(repr=False)
    words: str
    span: SourceSpan | None = field(repr=False)
    holds: bool | None
    counterexample: str | None = None
    path: str | None = None
    witness: Mapping[str, Any] | None = None
    against: int | None = None

    def to_dict(self) -> dict[str, object]:
        """All of this as plain data."""
        return {
            "constraint": self.words,
            "span": None if self.span is None else self.span.to_dict(),
            "holds": self.holds,
            "counterexample": self.counterexample,
            "path": self.path,
            "witness": self.witness,
            **({} if self.against is None else {"against": self.against}),
        }


def check_tree(
    tree: Tree, program: Any, X: Any = None, y: Any = None, *, allow_code: bool = False
) -> list[CheckResult]:
    """Check every constraint and the support of a program on a tree, in the program's order.

    Parameters
    ----------
    program : an `slp.Program` or an `slp.ir.program.CheckedProgram`.
    X, y : a table whose rows are counted in the leaves, as for `slp.Program.posterior`: a frame
        that contains the response (with the name of its column as `y`, if the program does not
        declare it), or rows and responses separately. Without it the leaves' summaries are used.
    allow_code : whether predicates that the program names may run; if not, their `holds` is None.

    Raises
    ------
    DataError
        As `Tree.apply`; a table without a response, or with one that the program's leaf model does
        not allow, as `slp.data.table_of`; E150, E151: the program names a feature or a class that
        the table lacks; E608: the tree tests a defined feature that the program defines otherwise,
        or not at all; E611: `y` without `X`.
    UsageError
        E612: `program` is not a program.
    SlpError
        E651 to E654: a predicate that cannot be called, or returns no truth value.
    """
    checks = TreeChecks(program, X, y)
    seen = checks.seen(tree, allow_code)
    return [check_one(asked, seen) for asked in statements(checks.program)]


class TreeChecks:
    """A program and, if it is given, a table: what trees are checked with. The table's responses
    are read once, for any number of trees. Of trees of a posterior it may be the `coded` table.

    Raises
    ------
    DataError, UsageError
        As `check_tree`.
    """

    def __init__(
        self, program: Any, X: Any = None, y: Any = None, *, coded: Table | None = None
    ) -> None:
        ir = getattr(program, "ir", program)
        if not isinstance(ir, CheckedProgram):
            raise UsageError(NOT_A_PROGRAM(given=program))
        if X is None and y is not None:
            raise DataError(RESPONSE_WITHOUT_TABLE())
        self.program = ir
        self._rows: RowsOfTable | CodedRows | None = None
        if coded is not None:
            self._rows = CodedRows(coded)
        elif X is not None:
            self._rows = RowsOfTable.of(ir, X, y)

    def seen(self, tree: Tree, allow_code: bool = False) -> Seen:
        """What a check of a tree looks at. Raises DataError as `check_tree`."""
        self._check_formulas(tree)
        levels = None
        if self._rows is not None:
            levels = self._rows.levels(tree)
            tree = tree.with_leaves(self._rows.leaves(tree))
        return Seen(tree, list(tree.places()), self.program, levels, allow_code)

    def _check_formulas(self, tree: Tree) -> None:
        known = {d.name: d.formula for d in self.program.definitions}
        for split in (node for node in tree.nodes() if isinstance(node, Split)):
            formula = split.test.formula
            if formula is not None and formula != known.get(split.feature):
                raise DataError(NOT_DEFINED_SO(feature=split.feature, text=formula.text))


def statements(program: CheckedProgram) -> list[Constraint | Support]:
    """The constraints of a program, in its order, then its limits."""
    return [*program.constraints, *_supports(program)]


def check_one(constraint: Constraint | Support, seen: Seen) -> CheckResult:
    """Check one constraint or limit."""
    found = _check(constraint, seen)
    if isinstance(constraint, Support) or not constraint.is_preference:
        return found
    told = list(findings(constraint, seen))
    against = None if any(one.unknown for one in told) else len(told)
    return replace(found, against=against)


def _check(constraint: Constraint | Support, seen: Seen) -> CheckResult:
    span = None if isinstance(constraint, Support) else constraint.span
    found = sorted(findings(constraint, seen), key=lambda finding: finding.unknown)
    words = statement_words(constraint)
    if not found:
        return CheckResult(constraint, words, span, True)
    first = found[0]
    holds = None if first.unknown else False
    if first.place is None:
        return CheckResult(constraint, words, span, holds, first.why, None, first.witness)
    path, region = first.place.path, first.place.region
    why = f"at {path} ({region.describe()}): {first.why}"
    witness = first.witness
    if holds is False and witness is None:
        witness = {"path": path}
    return CheckResult(constraint, words, span, holds, why, path, witness)


def statement_words(constraint: Constraint | Support) -> str:
    """A constraint or limit as a sentence."""
    if isinstance(constraint, Support):
        return " ".join(describe_support(constraint))
    return describe_constraint(constraint)


def _supports(program: CheckedProgram) -> Iterator[Support]:
    """The declared limits."""
    if program.support.min_leaf > 1:
        yield Support(min_leaf=program.support.min_leaf)
    if program.support.min_weight is not None:
        yield Support(min_weight=program.support.min_weight)
    if program.support.max_depth is not None:
        yield Support(max_depth=program.support.max_depth)
