"""Terms of logic programs: data, structural comparison, substitution. This room has no
resolution."""

from slp.terms.term import (
    NIL,
    Atom,
    Number,
    Struct,
    Term,
    Text,
    Var,
    arguments,
    conjuncts,
    functor,
    list_items,
    list_term,
    same_number,
    substitute,
    subterms,
    variables,
    with_args,
)

__all__ = [
    "NIL",
    "Atom",
    "Number",
    "Struct",
    "Term",
    "Text",
    "Var",
    "arguments",
    "conjuncts",
    "functor",
    "list_items",
    "list_term",
    "same_number",
    "substitute",
    "subterms",
    "variables",
    "with_args",
]
