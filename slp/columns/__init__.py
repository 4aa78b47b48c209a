"""What the test of a split asks of a column.

Entry points: `Below`, `Is`, `In`, `IsMissing` (`slp.columns.tests`), the four tests; `Test`, any of
them.
"""

from slp.columns.tests import Below, In, Is, IsMissing, Test

__all__ = ["Below", "In", "Is", "IsMissing", "Test"]
