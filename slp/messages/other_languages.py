"""What other logic languages write, and what is written here."""

from __future__ import annotations

#: Operators of other languages, and what is written here.
FOREIGN_OPERATORS = {
    "<=": "=<",
    "!=": "\\= between terms, =\\= between numbers",
    "<>": "\\= between terms, =\\= between numbers",
    "=/=": "=\\=",
    "<-": ":-",
    "&": "a comma",
    "&&": "a comma",
    "||": ";",
    "not": "\\+ for a negation",
}

#: Functions that are written otherwise here.
OTHER_FUNCTIONS = {
    ("log2", 1): "`log(X) / log(2)`",
    ("log", 2): "`log(X) / log(B)`",
    ("ln", 1): "`log(X)`, which is natural",
    ("pow", 2): "`X ** Y`",
    ("erfc", 1): "`1 - erf(X)`",
    ("random", 1): "clauses with labels for what is random",
    ("random_float", 0): "clauses with labels for what is random",
    ("exp2", 1): "`2 ** X`",
    ("mod", 1): "`X mod Y`",
    ("cot", 1): "`1 / tan(X)`",
}

#: Distributions of numbers by the names that other languages give them.
DENSITIES = frozenset(
    "normal gaussian uniform beta gamma exponential poisson lognormal dirichlet student_t".split()
)
INSTEAD_OF_DENSITIES = (
    "labels are probabilities of clauses, and there are no densities: write a clause for each value"
)
