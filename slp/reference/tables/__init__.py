"""Sums, expected uses, best proofs and draws over the tables of a query: the plain specification.

`equations` (the parts of a hypergraph that need each other), `bounds` (the masses, with certified
bounds), `components` (equations that need each other), `uses` (expected uses of clauses), `best`
(the best proofs), `draws` (independent proofs). docs/design/tabling.md has the mathematics.
"""
