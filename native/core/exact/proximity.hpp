// The probability that two rows end in one leaf, for all pairs of some rows: one descent.
//
// In a tree, two rows of one leaf have taken the same path. The rows that have taken the same path
// move as one group (descent.hpp), so both are in the group that ends there: the groups are over the
// boxes that hold both.

#pragma once

#include <cstddef>
#include <vector>

#include "exact/engine.hpp"
#include "exact/new_rows.hpp"

namespace slp::exact {

struct Proximity {
    std::vector<double> shared;  // m * m: the probability that they end in one leaf
    // Whether a row goes to both sides of some split. It then moves alone, and what it shares with
    // others is not counted.
    bool parted = false;
};

// pass: totals, after a run, which kept items. Every number is right within 1e-11 and rounding.
Status proximity(const Engine& engine, const Pass& pass, const NewRows& rows, std::size_t memory,
                 const Poll& poll, Proximity& out);

}  // namespace slp::exact
