"""Bayesian backfitting of sums of trees, plainly: the specification of `native/core/additive`, and
what runs where there is no compiled core.

    residuals  the local process whose leaves look at what the other trees leave
    sums       the sampler
"""
