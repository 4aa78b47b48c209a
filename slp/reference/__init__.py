"""The specifications: plain versions of what the C++ core computes, in Python and NumPy.

They are read beside the core, and tests compare the two. They run where there is no compiled core,
and for what the core does not take. `slp.engines.registry` imports them late, and no other module
does (docs/design/reference.md).

    boxes          the boxes of a table as sets of bits, and their splits
    split_measures, rule_weights, label_checks, node_tests
                   what may be chosen at a box, and how it is weighed
    local_process  the choices at each box, with their probabilities; `remembered` keeps them
    cut_trees      from boxes and cuts to trees, and back
    tree_tests, tree_weights
                   tests on finished trees; the weight of a given tree
    derivations    trees as derivations by the local process: what plain samplers share
    chart          exact sums: `exact` without the core, the engine `chart`
    enumeration    a list of every derivation: the engine `enumerate`
    mh             Metropolis-Hastings over proof trees and over edits, scans of ladders
    smc            the particle filter
    modal          the growth of modal trees
    search         the best-first search
    tables         masses, uses, best proofs and draws over the tables of a query
    rjhmc          the log density of soft trees
    prolog         the engine `prolog`: plain chains over what SWI-Prolog proposes
"""

from typing import TYPE_CHECKING

from slp.late import late_names

if TYPE_CHECKING:
    from slp.reference.boxes import Geometry

__all__ = ["Geometry"]

# The options of all engines are read without it.
__getattr__, __dir__ = late_names(__name__, {"slp.reference.boxes": "Geometry"})
