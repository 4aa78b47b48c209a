// What a row's response is worth, given the responses of the others.
//
// Let q be the likelihood of row i in a leaf, given the leaf's other rows: that of the leaf over
// that of the leaf without the row. As P(T | y) = P(T | y without y_i) q / p(y_i | the others),
//
//     1 / p(y_i | the others) = sum over leaves that hold the row of P(leaf | y) / q.
//
// One descent of the tree gives P(leaf | y) of all leaves (interval_blocks/descent.hpp where the
// totals kept blocks, else descent.hpp). A leaf counts by 1 / q, which is large where the row is an
// outlier, so no leaf is cut whose probability is a normal number. From the totals of the prior it
// also finds the least q of all leaves, which tells what the others may add.

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

// For each row.
struct LeftOutRows {
    std::vector<double> log_sum;  // of probability / q over the leaves
    std::vector<double> least;    // the least log q of them
};

// pass: totals, after a run; of the posterior log_sum is -log p(y_i | the others).
Status leave_one_out(const Engine& engine, const Pass& pass, const HeldRows& rows,
                     std::size_t memory, const Poll& poll, LeftOutRows& out);

}  // namespace slp::exact
