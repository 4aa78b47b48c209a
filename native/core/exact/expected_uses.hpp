// Expectations over trees: expected uses of states, rules and features. It takes one descent with a
// query that follows both sides of every split: by interval blocks (interval_blocks/descent.hpp)
// where the totals kept them, else item by item (descent.hpp).
//
// With w(r) the weight of a rule, as written in the program,
//   d log Q(root) / d log w(r) = uses(r)                where weights are taken as they are
//                              = uses(r) - weights(r)   where applicable rules are normalised.
//
// Blocks know states that boxes are in, the rules of states that they call included. Among the
// leaves of such a state each leaf rule has its share of their weights, which is the same in all
// boxes that can be split, and in all others. Among its splits each rule has its own terms.

#pragma once

#include <cstddef>
#include <vector>

#include "exact/engine.hpp"

namespace slp::exact {

// S states; R rules, those of the first state first.
struct Uses {
    std::vector<double> visits;  // S: expected number of items in each state
    std::vector<double> uses;    // R: of times that a rule is taken
    // R: of its weight over the sum of the applicable ones, where it is; 0 where weights are taken
    // as they are.
    std::vector<double> weights;
    std::vector<double> splits;  // R * d: of its splits on each feature
};

// pass: totals, after a run. Every number is right within 1e-11 and rounding.
Status expected_uses(const Engine& engine, const Pass& pass, std::size_t memory, const Poll& poll,
                     Uses& out);

}  // namespace slp::exact
