"""What a column is, and what the test of a split asks of it.

Entry points: `ColumnKind` (`slp.columns.kind`), what every kind answers, and the kinds: `Numeric`,
`Binned`, `Ordinal`, `Nominal`, `Subsets`, `OrderedSubsets`, `Concepts`, and `Sided` around others;
`slp.columns.declared`, what the declaration of a feature means; `kind_of_plain`, from the data of a
saved run; `Below`, `Is`, `In`, `IsMissing` (`slp.columns.tests`), the four tests; `Test`, any of
them; `ways`, which side rows go to (`LEFT`, `RIGHT`, `UNTOLD`); `MISSING`, what the level of
missing values is called; `Formula` (`slp.columns.formula`), what makes a column of others;
`level_numbers`, the numbers that stand for ordered levels;
`quantity_text`, a number with its unit or as its level.
"""

from slp.columns.archive import kind_of_plain
from slp.columns.concepts import Concepts
from slp.columns.kind import ColumnKind
from slp.columns.levels import Nominal
from slp.columns.numeric import Binned, Numeric
from slp.columns.ordered_subsets import OrderedSubsets
from slp.columns.ordinal import Ordinal
from slp.columns.quantities import level_numbers, numbers_in, quantity_text
from slp.columns.sides import Sided
from slp.columns.subsets import Subsets
from slp.columns.tests import (
    LEFT,
    MISSING,
    RIGHT,
    UNTOLD,
    Absent,
    Below,
    In,
    Is,
    IsMissing,
    Side,
    Test,
    ways,
)

__all__ = [
    "LEFT",
    "MISSING",
    "RIGHT",
    "UNTOLD",
    "Absent",
    "Below",
    "Binned",
    "ColumnKind",
    "Concepts",
    "In",
    "Is",
    "IsMissing",
    "Nominal",
    "Ordinal",
    "Side",
    "Sided",
    "OrderedSubsets",
    "Subsets",
    "Test",
    "Numeric",
    "kind_of_plain",
    "level_numbers",
    "numbers_in",
    "quantity_text",
    "ways",
]
