"""Everything that uses SWI-Prolog. It is optional, and imported through `slp.late` only.

`bridge` (janus), `prolog` (queries under SWI-Prolog), `stopping` (time and Ctrl-C), `runs` (proofs
one at a time), `predicates` (constraints that Prolog decides), `flat_terms` (terms as data for
janus), `trees` (trees on a table).
"""
