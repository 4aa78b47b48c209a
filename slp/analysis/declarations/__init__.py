"""Stage 2, directives to declarations: second pass, once the parameters have their values.

`typed` (all directives that set one thing), `features` (kind, cuts, unit, range), `boxes`,
`groups` (of features), `hierarchies` (of levels), `constraints`.
"""
