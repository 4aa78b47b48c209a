// Where a new row may end: the leaf boxes that it reaches, each with its probability.

#pragma once

#include <cstdint>
#include <vector>

#include "exact/engine.hpp"

namespace slp::exact {

// Leaves with equal statistics are one entry. J entries.
struct LeafMass {
    std::vector<double> probability;  // length J
    std::vector<double> statistics;   // J * k
};

// Follows a row down all items that it may visit, the largest boxes first.
//
// row: length d; the value of a numeric feature, the code of a level (-1: a level that the table
// lacks). pass: totals, after a run. Items that the row reaches with probability below 1e-20 are
// left out; what that loses is far below rounding.
LeafMass leaves_reached(const Engine& engine, const Pass& pass, const std::vector<double>& row);

}  // namespace slp::exact
