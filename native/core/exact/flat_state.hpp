// The states of a grammar with the rules of the states that they call. Calls keep the box, so the
// rules of a state that is called count as rules of its caller (block_grammar.hpp).

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "exact/block_grammar.hpp"
#include "problem/problem.hpp"

namespace slp::exact {

// A state with the rules of the states that it calls.
struct Flat {
    struct Split {
        double weight;  // if the box can be split
        const Rule* rule;
    };
    double leaf_alone = 0.0, leaf = 0.0, split_only = 0.0;
    bool may_stop = false, calls = false;
    const Rule* majority = nullptr;
    std::vector<Split> splits;
};

// The flat form of a state. Nothing where its rules need more than one pair of weights, or differ
// in measure; then `obstacle` says why. Of counts all weights are 1.
std::optional<Flat> flat_state(const Grammar& grammar, Sum sum, std::int32_t state,
                               Obstacle& obstacle);

}  // namespace slp::exact
