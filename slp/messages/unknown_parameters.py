"""E146, E307, E308: parameters whose values are not known."""

from __future__ import annotations

from collections.abc import Iterable

from slp.errors import Diagnostic
from slp.messages.entry import AS_REMEDY, Entry
from slp.messages.names import joined

E146 = Entry(
    "E146: the prior of a parameter does not go with something",
    cause="`:- param(alpha, beta(2, 1)).` says that the value of a parameter is not known. It may "
    "then stand in labels of tree rules alone, and these must be labels whatever value its prior "
    "allows. One or two parameters may have a prior.",
    remedy="Give the parameter a value, `:- param(alpha, 0.95).`, or use it in labels of tree "
    "rules alone.",
    example=":- use(growtree).\n:- param(alpha, gamma(2, 4)).",
)
NO_PRIOR = E146.says(
    "the numbers of the prior of `{name}` must lie between {least} and {most}",
    "write `beta(a, b)`, on the numbers between 0 and 1, or `gamma(shape, rate)`, on those above 0",
)
COMPUTED_OF_UNKNOWN = E146.says(
    "`{name}` is computed of `{of}`, whose value is not known",
    "write what `{name}` stands for into the labels, or give `{of}` a value",
)
TOO_MANY_UNKNOWN = E146.says(
    "{count} parameters have a prior in place of a value, and two are the most", AS_REMEDY
)
UNKNOWN_OUTSIDE_LABELS = E146.says(
    "`{name}` has a prior, so it may stand in labels of tree rules alone, and stands here too",
    AS_REMEDY,
)
UNKNOWN_OF = E146.says("`{name}` has a prior, which {what} does not take", "give `{name}` a value")
NO_LABEL_AT = E146.says(
    "the prior {prior} of `{name}` allows {values}, where labels are none: {message}",
    "take a prior on values that the labels allow, such as `beta(2, 1)` for a probability, or "
    "write labels that take every value, such as `1 - exp(-alpha)`",
)

E307 = Entry(
    "E307: chains cannot move a parameter under this prior",
    cause="Chains compare the prior probability of a tree at two values of a parameter. For that "
    "the weights of all trees must sum to 1 at every value. Under `:- weights.`, measures that do "
    "not sum to 1, constraints that let derivations fail, and constraints on the finished tree, "
    "they sum to another number at each value, which chains do not know.",
    remedy="Take the engine `exact` (`--engine exact`), which computes these sums, or give the "
    "parameter a value (`--param NAME=VALUE`).",
    example="slp-sample prior.slp data.csv --engine mh   (`prior.slp` has `:- param(alpha, "
    "beta(2, 1)).\n:- constraint(max_leaves(3)).`)",
)
NOT_NORMALISED = E307.says(
    "chains cannot move {names}, as the weights of trees do not sum to 1 at every value: {why}",
    AS_REMEDY,
)

E308 = Entry(
    "E308: parameters without a value are not taken",
    cause="The program has a prior in place of the value of a parameter. The engines `exact`, "
    "`chart`, `enumerate` and `mh` average over its values; other engines, and questions that are "
    "about one value, do not.",
    remedy="Take the engine `exact` or `mh`, or give the parameter a value (`--param NAME=VALUE`, "
    "in Python `with_parameters`).",
    example="slp-sample prior.slp data.csv --engine smc   (`prior.slp` has `:- param(alpha, "
    "beta(2, 1)).`)",
)
_NOT_TAKEN = E308.says("{names} {have} a prior, and {what} takes values alone", AS_REMEDY)
MANY_NEAR_BEST = E308.says(
    "more than {most:,} trees are as near to the best one, and where a parameter has a prior they "
    "are counted one by one",
    "take a `factor` nearer to 1, or give the parameter a value (`--param NAME=VALUE`)",
)


def unknown_not_taken(names: Iterable[str], what: str) -> Diagnostic:
    """E308: what does not take these parameters, which have a prior."""
    quoted = [f"`{name}`" for name in names]
    return _NOT_TAKEN(names=joined(quoted), have="has" if len(quoted) == 1 else "have", what=what)
