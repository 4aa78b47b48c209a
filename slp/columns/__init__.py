"""What a column is, and what the test of a split asks of it.

Entry points: `ColumnKind` (`slp.columns.kind`), what every kind answers, and the kinds: `Numeric`,
`Binned`, `Ordinal`, `Nominal`, `Subsets`, `OrderedSubsets`, and `Sided` around any other;
`kind_of_plain`, from the data of a saved run; `Below`, `Is`, `In`, `IsMissing`
(`slp.columns.tests`), the four tests; `Test`, any of them.
"""

from slp.columns.archive import kind_of_plain
from slp.columns.kind import ColumnKind
from slp.columns.levels import Nominal
from slp.columns.numeric import Binned, Numeric, ThresholdKind
from slp.columns.ordered_subsets import OrderedSubsets
from slp.columns.ordinal import Ordinal
from slp.columns.sides import Sided
from slp.columns.subsets import Subsets
from slp.columns.tests import Below, In, Is, IsMissing, Test

__all__ = [
    "Below",
    "Binned",
    "ColumnKind",
    "In",
    "Is",
    "IsMissing",
    "Nominal",
    "Ordinal",
    "Sided",
    "OrderedSubsets",
    "Subsets",
    "Test",
    "ThresholdKind",
    "Numeric",
    "kind_of_plain",
]
