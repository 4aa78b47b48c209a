"""Best-first search for the derivation of greatest weight, with bounds on what it has not seen.

The mathematics is in docs/search.md. Entry points, by file:

    plain      the search in plain Python: the specification
    compiled   the search in the core (`native/core/search`)
    listing    the derivations after the best, as they are asked for
    run        trees to begin with, the search, and what it found
    result     the same as a `slp.results.record.result.Result`
    engine     the engine
"""

from typing import TYPE_CHECKING

from slp.late import late_names

if TYPE_CHECKING:
    from slp.engines.search.run import listing_of, run_search

__all__ = ["listing_of", "run_search"]

__getattr__, __dir__ = late_names(__name__, {"slp.engines.search.run": "listing_of run_search"})
