"""E5xx: members stacked by prediction."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry
from slp.messages.inference import E501, E540
from slp.messages.results import W510, W541, W543, W544

MEMBERS_OUT_OF_TIME = W541.says(
    "the time of {time} is over: {kept} of {wanted} draws of members are there",
    "give more by --time (`time` in Python), or leave it out",
)
MEMBERS_INTERRUPTED = W510.says(
    "interrupted: {kept} of {wanted} draws of members are there and kept", "run it again"
)
MEMBERS_TOO_EARLY = W543.says(
    "half of the time was over in warm-up, which ended early for some members: weights and "
    "predictions depend on the clock",
    "give more by --time (`time` in Python), or leave it out",
)
#: In place of remedies of chains by options that members do not take.
REMEDIES_OF_MEMBERS = {
    E501.code: "give it more by --memory (`memory` in Python), or run fewer `members` or threads",
    E540.code: "give more time, or run fewer `members`, or with --effort quick (in Python: "
    "effort='quick')",
    W544.code: "give it more by --memory (`memory` in Python), or ask for fewer `draws`",
}

E559 = Entry(
    "E559: an average of members stacked by prediction is not a posterior",
    cause="A question about trees (draws, the best tree, probabilities, the use of features, goals "
    "about trees) was asked of a run of the engine `stacked`. Its members are weighted so that "
    "they predict well together. That is no distribution over trees that follows from program and "
    "table.",
    remedy="Ask it for predictions, or take the engine mh (smc, modal) for trees.",
    example="slp map growtree data.csv --engine stacked",
)
NOT_A_POSTERIOR = E559.says(
    "{what}: an average of members stacked by prediction is not a posterior, and does not tell it",
    AS_REMEDY,
)

E568 = Entry(
    "E568: the engine stacked does not take it",
    cause="`stacked` sets rows aside to weight its members by, so it needs enough of them, and a "
    "response to predict. Its members are chains over hard trees.",
    remedy="Take the engine auto.",
    example="slp-sample growtree data.csv --engine stacked   (of 30 rows)",
)
TOO_FEW_TO_STACK = E568.says(
    "the table has {rows} rows, and an eighth of them is too little to weight members by: it takes "
    "{least} rows",
    "take the engine auto, which needs no rows set aside",
)
TOO_FEW_TOLD = E568.says(
    "members have a density for {told} of the {aside} rows that were set aside, as the others have "
    "values that some splits do not know: to weight members it takes {least}",
    "write `new(average)` for the features with such levels",
)
NO_STACKED_PRIOR = E568.says("a prior predicts nothing that weights could go by", AS_REMEDY)
STACKED_OF_EDITS = E568.says(
    "the program edits a given tree, and what is asked of edits is asked of a posterior",
    "take the engine mh",
)
