"""Stage 5, consistency of the whole program: `contradictions` (of constraints), `preferences` (what
they do not go with), `measures` (of splits), `columns` (no two roles), `shared_columns` (features
made of one column), `unused` (declarations), `unknown` (priors of parameters),
`weights_prior` (that of feature weights), `sums` (of trees),
`misplaced` (what may mean something else).
"""
