"""E1xx, W1xx: groups of features."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry
from slp.messages.names import NOT_A_NAME, VARIABLE_FOR_NAME

E170 = Entry(
    "E170: a fact of a group is malformed",
    cause="A fact `of_group(...)` takes a feature and a group, and has no label and no body.",
    remedy="Write it as `of_group(ldl, lipids).` is written, one for each feature.",
    example=":- use(growtree).\nof_group([ldl, hdl], lipids).",
)
GROUP_IS_NO_FACT = E170.says("a group is said by facts with a feature and a group", AS_REMEDY)
VARIABLE_IN_GROUP = E170.says(*VARIABLE_FOR_NAME)
NO_NAME_IN_GROUP = E170.says(*NOT_A_NAME)

E171 = Entry(
    "E171: the name of a group means something else, or a feature is in two groups",
    cause="A feature is in one group at most, and no group has the name of a column or a feature.",
    remedy="Leave one of the facts out, or give the group a name that no column has.",
    example=":- use(growtree).\nof_group(ldl, lipids).\nof_group(ldl, blood).",
)
GROUPED_TWICE = E171.says("`{feature}` is in the group `{group}` already", AS_REMEDY)
GROUP_AS_FEATURE = E171.says(
    "`{name}` is a group, and a feature of a group too", "groups hold features, not other groups"
)
GROUP_AS_COLUMN = E171.says(
    "`{name}` is a group, and a column of the table too", "give the group a name of its own"
)
GROUP_AS_DEFINED = E171.says(
    "`{name}` is a group, and a defined feature too", "give the group a name of its own"
)

E172 = Entry(
    "E172: groups of features do not go with what the program declares",
    cause="Features are in groups, and the measure of a split draws no feature, or a group has a "
    "weight or is split on.",
    remedy="Use `feature_then_cut`, `gap`, `per_feature` or `range`, or leave the groups out.",
    example="of_group(ldl, lipids).\n:- start(t).\n1/2 :: t --> split(_, _, all), t, t.\n1/2 :: t "
    "--> leaf.",
)
GROUPS_WITHOUT_MEANING = E172.says(
    "groups of features have no meaning under the measure `{measure}`", AS_REMEDY
)
GROUPS_OF_EDITS = E172.says(
    "groups of features have no meaning under the measure `all`",
    "use `feature_then_cut` or `gap`, which draw the feature first",
)
GROUP_FOR_FEATURE = E172.says(
    "`{name}` is a group of features, and {what} takes one feature",
    "name the feature: {features}",
)

W116 = Entry(
    "W116: the weight of a feature has no effect",
    cause="Features are in groups, and a feature that is alone in its group has a weight. Groups "
    "are drawn uniformly, and weights tell the features of a group apart.",
    remedy="Leave the weight out, or put the feature in a group with others.",
    example=":- use(growtree).\nof_group(ldl, lipids).\nof_group(hdl, lipids).\n"
    ":- feature_weight(age, 3).",
)
WEIGHT_ALONE = W116.says(
    "the weight of `{feature}` has no effect, as it is alone in its group", AS_REMEDY
)
