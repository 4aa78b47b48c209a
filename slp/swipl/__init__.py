"""Everything that touches SWI-Prolog: optional, and imported by name where it is asked for.

`prolog` (queries under SWI-Prolog, through janus), `runs` (proofs one at a time), `predicates`
(constraints that Prolog decides), `flat_terms` (how terms cross), `trees` (trees on a table).
"""
