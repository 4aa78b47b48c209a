"""Tree rules: which apply at a state, with what labels, and what a guard behind a split allows.

`rules` (prepared for use), `instances` (at a state), `states` (of a program, each computed once),
`row_goals` (guards and labels that use the rows of the box), `cells` (guards behind a split).
"""
