"""Members that are stacked by prediction: an answer where chains do not agree.

It stands above the engines: it sets rows aside, has the registry run its members on the others, and
weights them by how they predict the rows set aside (`slp.results.averages.member_weights`). Files:

    options    the options of the engine
    run        rows, members, weights
    engine     the engine
"""

from typing import TYPE_CHECKING

from slp.late import late_names

if TYPE_CHECKING:
    from slp.engines.stacked.run import run_stacked

__all__ = ["run_stacked"]

__getattr__, __dir__ = late_names(__name__, {"slp.engines.stacked.run": "run_stacked"})
