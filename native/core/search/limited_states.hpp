// States from which every tree has few levels of splits, under rules that the rows of a box change
// in one way alone: by whether the box can split.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "problem/problem.hpp"
#include "problem/split_measures.hpp"

namespace slp::search {

struct LimitedState {
    // Levels of splits below it, at most.
    int levels;
    // Log weights, normalised: of the best leaf rule in a box that can split and in one that
    // cannot, and of the split rule. -inf where there is none.
    double stop, stop_alone, split;
    // The same of all leaf rules together, and the number of those that have a weight.
    double leaves, leaves_alone;
    int n_leaves;
    // At least the log weight of any derivation, in any box.
    double most;
    // The split rule, and the states that it leads to; none at the last level.
    const Rule* rule;
    std::int32_t left, right;

    double log_stop(bool can_split) const { return can_split ? stop : stop_alone; }
    double log_leaves(bool can_split) const { return can_split ? leaves : leaves_alone; }
};

class LimitedStates {
public:
    // Levels that are followed.
    static constexpr int kMostLevels = 4;

    explicit LimitedStates(const Problem& problem);

    // Levels below a state: -1 if these are more than kMostLevels, or its rules are others than
    // leaf rules and one split rule that leads to the same two states from every cut, whose split
    // probabilities follow from the number of splits of each feature.
    int levels(std::int32_t state);
    // Of a state with known levels.
    const LimitedState& of(std::int32_t state);

private:
    bool splits(const Rule& rule) const;
    // Null if there is none.
    const Rule* split_rule(const Rules& rules) const;
    bool regular(const Rules& rules) const;
    int find_levels(std::int32_t state, int most) const;
    LimitedState made(std::int32_t state);

    const Problem& problem_;
    bool takes_table_;
    std::vector<std::optional<int>> levels_;
    std::vector<std::optional<LimitedState>> facts_;
};

}  // namespace slp::search
