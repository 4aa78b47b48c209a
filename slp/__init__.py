"""Priors over decision trees as stochastic logic programs, and the posterior they give on a table.

    import slp
    program = slp.load("prior.slp")          # or slp.parse(text); faults raise slp.SlpError
    posterior = program.posterior(frame)     # exact where it can be
    posterior.log_evidence, posterior.map_tree(), posterior.predict_proba(new_rows)

The folders and modules, from the bottom up. Each imports only those above it in this list:

    version, late      the version of slp; imports at first use
    errors, messages   diagnostics, the exceptions that carry them, the catalogue of codes
    folders, source    the files that a program may use; text and places in it
    whole_files        files that are written whole or not at all
    budgets            limits of time and memory
    resources          files that the package contains
    terms              terms of programs
    kernels            the compiled core, or the NumPy reference
    syntax             text to clauses, printer, formatter
    ir                 programs and tree grammars as frozen data
    columns            what the test of a split asks of a column
    leaves             leaf models
    constraints        constraints, one file each
    data               tables: reading, types, cuts, codes
    trees              decision trees, independent of engines
    cluster            tasks on a cluster, through joblib, which is optional
    runner             the loop of chains and islands, checkpoints, randomness
    resolution         SLD resolution, queries on clauses, draws of proofs
    analysis, lower    clauses to a checked program; a program to a tree grammar
    problem            a program and its tree grammar on a table, as every engine gets them
    results            posteriors, averages, draws, diagnostics
    engines            the contract, the registry, and one package for each engine
    learn              labels and parameters from data
    sensitivity        what answers owe to each number of a program
    reference          specifications: what the core computes, plainly in Python
    swipl              everything that uses SWI-Prolog, which is optional
    compile, program   the pipeline; `Program`, the object of users
    estimators         estimators of scikit-learn, which is optional
    plot               pictures of trees and posteriors, by matplotlib, which is optional
    report             a posterior as one HTML page
    highlight          colours of programs, by Pygments, which is optional
    lsp                the language server, by pygls, which is optional
    cli                the commands

One import goes against this order: `errors` imports `source` when it draws an error, because
`source` itself needs errors. Imports for types alone may also go against it. No folder imports
`swipl`, `estimators`, `plot`, `report`, `highlight` or `lsp`: they are imported by name when they
are asked for. In the same way the registry of engines imports `reference`, and nothing else does.
"""

from typing import TYPE_CHECKING

from slp.errors import (
    BudgetError,
    DataError,
    Diagnostic,
    ProgramError,
    SlpError,
    SlpWarning,
    UnsupportedError,
    UsageError,
)
from slp.late import late_names
from slp.version import __version__

if TYPE_CHECKING:
    from slp.estimators import SLPTreeClassifier, SLPTreeRegressor
    from slp.leaves import register_leaf_model
    from slp.program import Program, check, compare, cv, elicit, load, parse, tune
    from slp.program.learning import LearnResult
    from slp.program.saved import load_posterior
    from slp.resolution import Draws, Limits, QueryResult
    from slp.results import (
        AveragedTrees,
        Comparison,
        Contrast,
        CrossValidation,
        Elicited,
        Posterior,
        Price,
        Prices,
        RepresentativeTree,
        RowQuantity,
        SampledProofs,
        Sensitivity,
        TreeAnswers,
        Tuning,
    )
    from slp.trees import CheckResult, Tree, TreeNode

__all__ = [
    "AveragedTrees",
    "BudgetError",
    "CheckResult",
    "Comparison",
    "Contrast",
    "CrossValidation",
    "DataError",
    "Diagnostic",
    "Draws",
    "Elicited",
    "LearnResult",
    "Limits",
    "Posterior",
    "Price",
    "Prices",
    "Program",
    "ProgramError",
    "QueryResult",
    "RepresentativeTree",
    "RowQuantity",
    "SLPTreeClassifier",
    "SLPTreeRegressor",
    "SampledProofs",
    "Sensitivity",
    "SlpError",
    "SlpWarning",
    "Tree",
    "TreeAnswers",
    "TreeNode",
    "Tuning",
    "UnsupportedError",
    "UsageError",
    "__version__",
    "check",
    "compare",
    "cv",
    "elicit",
    "load",
    "load_posterior",
    "parse",
    "register_leaf_model",
    "tune",
]

# These imports are late: the commands' help needs none of them, and few programs need all.
__getattr__, __dir__ = late_names(
    __name__,
    {
        "slp.trees": "CheckResult Tree TreeNode",
        "slp.resolution": "Draws Limits QueryResult",
        "slp.program.learning": "LearnResult",
        "slp.program.saved": "load_posterior",
        "slp.results": (
            "AveragedTrees Comparison Contrast CrossValidation Elicited Posterior Price Prices "
            "RepresentativeTree RowQuantity SampledProofs Sensitivity TreeAnswers Tuning"
        ),
        "slp.estimators": "SLPTreeClassifier SLPTreeRegressor",
        "slp.program": "Program check compare cv elicit load parse tune",
        "slp.report": "load_ipython_extension",
        "slp.leaves": "register_leaf_model",
    },
)
