// What a row's response is worth, given the responses of the others.
//
// Let q be the likelihood of row i in a leaf, given the leaf's other rows: that of the leaf over
// that of the leaf without the row. As P(T | y) = P(T | y without y_i) q / p(y_i | the others),
//
//     1 / p(y_i | the others) = sum over leaves that hold the row of P(leaf | y) / q.
//
// One descent of the tree gives P(leaf | y) of all leaves (interval_blocks/descent.hpp where the
// totals kept blocks, else descent.hpp). No leaf of a
// probability that a double can hold is cut: it counts by 1 / q, which is large where the row is an
// outlier.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exact/engine.hpp"

namespace slp::exact {

// m rows of the data. Those of one kind have the same statistics.
struct HeldRows {
    std::span<const std::uint32_t> row;   // m: the distinct row that stands for it, ascending
    std::span<const std::uint32_t> kind;  // m
    std::span<const double> statistics;   // kinds * k
};

// pass: totals, after a run. out: for each row -log p(y_i | the others).
Status leave_one_out(const Engine& engine, const Pass& pass, const HeldRows& rows,
                     std::size_t memory, const Poll& poll, std::vector<double>& out);

}  // namespace slp::exact
