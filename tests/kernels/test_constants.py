"""The constants that Python repeats are those of the core."""

from types import ModuleType

from slp.columns import subsets
from slp.engines.exact import pairs, passes
from slp.engines.search import compiled
from slp.engines.shared import core_chains, size
from slp.engines.shared.growth import plan
from slp.ir import row_function, schema, tree_grammar
from slp.leaves import NormalLinear, numbers
from slp.reference import label_checks, tree_tests
from slp.reference.mh.edits import start
from slp.reference.smc import resampling


def test_constants_are_those_of_the_core(compiled_kernels: ModuleType) -> None:
    assert compiled_kernels.CONSTANTS == {
        "forbidden": tree_grammar.FORBIDDEN,
        "outside": tree_grammar.OUTSIDE,
        "label_rounding": row_function.ROUNDING,
        "label_tolerance": label_checks._TOLERANCE,
        "most_inner_codes": size._MOST_INNER,
        "same_prediction": tree_tests._SAME,
        "edit_tries": start._TRIES,
        "modal_tie": plan.TIE,
        "modal_most_undone": plan.MOST_UNDONE,
        "modal_many_states": plan.MANY_STATES,
        "least_share": resampling._LEAST_SHARE,
        "most_in_subsets": subsets.MOST_PARTED,
        "most_coefficients": NormalLinear.signature.most_columns + 1,
        "equal_weights": numbers.TIE,
        "most_soft_leaves": schema.MOST_SOFT_LEAVES,
        "most_pairs": pairs._MOST_PAIRS,
        **core_chains._KINDS,
        "q_seq(K)": core_chains._KINDS["q_seq"] + 1,
        "done": passes._DONE,
        "stopped": passes._STOPPED,
        "out_of_budget": passes._OUT_OF_BUDGET,
        "out_of_range": passes._OUT_OF_RANGE,
    }
    assert (compiled._DONE, compiled._OUT_OF_BUDGET) == (passes._DONE, passes._OUT_OF_BUDGET)
