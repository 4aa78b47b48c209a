// The leaf boxes in which new rows end, with their probabilities and predictions.
//
// Rows are followed in batches. The items (or the blocks, where passes go by interval blocks) that
// any row of a batch reaches are opened once for the whole batch; the batches are distributed over
// threads. The result of a row depends neither on the other rows nor on the number of threads.
//
// Error: each row loses less than 1e-11 of its probability on the way (descent.hpp,
// interval_blocks/descent.hpp), and the rest is divided by its sum.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "exact/engine.hpp"
#include "exact/interval_blocks/search.hpp"

namespace slp::exact {

// m rows of d numbers, one after the other: the value of a numeric feature, the code of a level
// (-1: a level that the table lacks).
struct NewRows {
    std::span<const double> values;
    std::size_t m;
};

// Limits for all rows together.
struct Means {
    // Bytes; blocks use their own budget.
    std::size_t memory;
    std::size_t n_threads;
};

// The source for following rows: a pass over totals, or blocks; each after its run.
struct Totals {
    const Pass* pass = nullptr;
    IntervalBlockSearch* blocks = nullptr;
};

// For each row the average over all trees of its leaf's prediction (LeafModel::predict): out is m *
// n_predicted().
Status predict_rows(const Engine& engine, const Totals& totals, const NewRows& rows, Means means,
                    const Poll& poll, std::vector<double>& out);

// The leaves that a row may end in; those with equal statistics are one entry. J entries.
struct LeafMass {
    std::vector<double> probability;  // length J
    std::vector<double> statistics;   // J * k
};

// The same for the leaves themselves: out has one entry for each row.
Status leaves_reached(const Engine& engine, const Totals& totals, const NewRows& rows,
                      Means means, const Poll& poll, std::vector<LeafMass>& out);

}  // namespace slp::exact
