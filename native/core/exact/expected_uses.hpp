// Expectations over trees: expected uses of states, rules and features, and the probable boxes. It
// takes one descent (descent.hpp) with a query that follows both sides of every split.
//
// With w(r) the weight of a rule, as written in the program,
//   d log Q(root) / d log w(r) = uses(r)                where weights are taken as they are
//                              = uses(r) - weights(r)   where applicable rules are normalised.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exact/engine.hpp"

namespace slp::exact {

// S states; R rules, those of the first state first.
struct Uses {
    std::vector<double> visits;  // S: expected number of items in each state
    std::vector<double> uses;    // R: of times that a rule is taken
    std::vector<double>
        weights;  // R: of its weight over the sum of the applicable ones, where it is
    std::vector<double> splits;  // R * d: of its splits on each feature
    // The items whose probability of being in the tree is above `least`, the largest boxes first.
    std::vector<std::int32_t> products;  // product states
    std::vector<std::uint32_t> sizes;    // distinct rows of each
    std::vector<std::uint32_t> rows;     // those rows, box after box
    std::vector<double> probability;
};

// pass: totals, after a run. Every number of `visits`, `uses`, `weights`, `splits` is right within
// 1e-11 and rounding.
Status expected_uses(const Engine& engine, const Pass& pass, double least, std::size_t memory,
                     const Poll& poll, Uses& out);

}  // namespace slp::exact
