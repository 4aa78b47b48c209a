"""Everything that uses SWI-Prolog. It is optional, and imported through `slp.late` only.

`prolog` (queries under SWI-Prolog, through janus), `runs` (proofs one at a time), `predicates`
(constraints that Prolog decides), `flat_terms` (terms as data for janus), `trees` (trees on a
table).
"""
