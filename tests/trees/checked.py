"""Small trees and programs, and what the check of a constraint says of them."""

from __future__ import annotations

import math

from slp.columns import Below, Is
from slp.ir.boxes import Box
from slp.ir.constraints import Constraint, Support
from slp.ir.program import CheckedProgram
from slp.trees import CheckResult, Leaf, Node, Split, Tree

INF = math.inf
INFANT = Box("infant", {"age": (0.0, 24.0)})
SMALL = Box("small", {"age": (0.0, 24.0), "size": (-INF, 2.0)})


def split(
    feature: str, at: float | str, left: Node | None = None, right: Node | None = None
) -> Split:
    test = Is(at) if isinstance(at, str) else Below(at)
    return Split(feature, test, left or Leaf(), right or Leaf())


#: The order of all classes in these tests.
ORDER = ("1", "2", "3", "no", "yes")


def program(*constraints: Constraint, support: Support | None = None) -> CheckedProgram:
    support = support or Support()
    return CheckedProgram(
        "test", None, (), constraints=constraints, support=support, class_order=ORDER
    )


def check(constraint: Constraint, root: Node) -> CheckResult:
    (result,) = Tree(root).check(program(constraint))
    return result


def why(constraint: Constraint, root: Node) -> str | None:
    """The counterexample; None where the constraint holds."""
    result = check(constraint, root)
    assert result.holds is (result.counterexample is None)
    return result.counterexample


def counted(**counts: int) -> Leaf:
    return Leaf({"counts": counts})
