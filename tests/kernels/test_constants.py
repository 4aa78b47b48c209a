"""The constants that Python repeats are those of the core."""

from types import ModuleType

from slp.engines.exact import size
from slp.engines.mcmc.edits import start
from slp.engines.modal import plan
from slp.ir import row_function, tree_grammar
from slp.problem import boxes, row_labels, tree_tests


def test_constants_are_those_of_the_core(compiled_kernels: ModuleType) -> None:
    assert compiled_kernels.CONSTANTS == {
        "forbidden": tree_grammar.FORBIDDEN,
        "outside": tree_grammar.OUTSIDE,
        "largest_gap": boxes._LARGEST_GAP,
        "label_rounding": row_function.ROUNDING,
        "label_tolerance": row_labels._TOLERANCE,
        "most_inner_codes": size._MOST_INNER,
        "same_prediction": tree_tests._SAME,
        "edit_tries": start._TRIES,
        "modal_tie": plan.TIE,
        "modal_most_undone": plan.MOST_UNDONE,
    }
