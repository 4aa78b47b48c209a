"""Stage 4, derivations: what a program without faults reaches from its start.

`states` (the ground nonterminals reached), `labels` and `row_labels` (whether labels are
probabilities and sum to 1), `groups` (clauses whose labels sum to 1 given some arguments),
`existence` (whether every rule can apply and some tree exists), `endless` (recursion that does not
end), `enclosed` (choices inside conditions), `productive` (symbols with a finite derivation).
"""
