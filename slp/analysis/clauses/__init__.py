"""Stage 3, clauses: what each defines, and whether its names have meanings.

`predicates` (sorts clauses by what they define), `bodies` (of tree rules), `scope` (variables),
`references` (nonterminals, predicates and names in arithmetic).
"""
