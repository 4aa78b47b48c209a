"""Stage 2, directives to declarations: second pass, once the parameters have their values.

`typed` (all directives that set one thing), `features` (kind, cuts, unit, range), `boxes`,
`definitions` (formulas), `groups` (of features), `hierarchies` (of levels), `constraints`,
`box_leaves` (what is said of the leaves of boxes).
"""
