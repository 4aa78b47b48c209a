"""The particle filter in plain Python: the specification of `native/core/smc`.

`particles` makes the steps, `filter` makes islands of them. `proposals` draws the decision at an
open goal, `resampling` draws particles by their weights.
"""
