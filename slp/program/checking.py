"""`check`: tests any tree against constraints."""

from __future__ import annotations

import reprlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from slp.errors import UsageError
from slp.messages.trees import NOT_A_CONSTRAINT, NOT_A_TREE
from slp.program.program import Program
from slp.program.reading import Include, parse
from slp.trees import Tree

if TYPE_CHECKING:
    from slp.trees import CheckResult


def check(
    tree: Tree,
    *constraints: str | Program | Callable[[Tree], bool],
    X: Any = None,
    y: Any = None,
    allow_code: bool = False,
    include: Include = (),
) -> list[CheckResult]:
    """Check whether any tree satisfies constraints, without a posterior: a list of
    `slp.CheckResult`. Each constraint is a text such as `"first(age)"`, a program, or a function of
    the tree that returns True or False. A text that ends in a full stop contains clauses that the
    other constraints may use: boxes, `:- response(...)`, `:- leaf(...)`. Constraints and limits
    among these clauses are checked too.

    Parameters
    ----------
    X, y, allow_code : as for `Tree.check`.
    include : folders that texts can use files from, as for `parse`.

    Raises
    ------
    SlpError
        A fault in a text or the table, or a function that returns no truth value. E613: `tree` is
        no tree. E655: a constraint is neither a text nor a program nor a function.
    """
    if not isinstance(tree, Tree):
        raise UsageError(NOT_A_TREE(given=reprlib.repr(tree)))
    for c in constraints:
        if not (isinstance(c, str | Program) or callable(c)):
            raise UsageError(NOT_A_CONSTRAINT(given=reprlib.repr(c)))
    texts = [c.rstrip() for c in constraints if isinstance(c, str)]
    shared = "\n".join([*(t for t in texts if t.endswith(".")), ":- use(growtree).\n"])

    def results(program: Program) -> list[CheckResult]:
        return tree.check(program, X, y, allow_code=allow_code)

    found: list[CheckResult] = []
    for constraint in constraints:
        if isinstance(constraint, Program):
            found += results(constraint)
        elif not isinstance(constraint, str):
            program = parse(shared, "<clauses>", include=include).require(constraint)
            found.append(results(program)[len(program.ir.constraints) - 1])
        elif constraint.rstrip().endswith("."):
            text = f"{constraint}\n:- use(growtree).\n"
            found += results(parse(text, "<clauses>", include=include))
        else:
            text = f":- constraint({constraint}).\n{shared}"
            stated = parse(text, "<constraint>", include=include)
            found += results(stated)[:1]
    return found
