// The leaf boxes in which new rows end, with their probabilities and predictions.
//
// Rows are followed in batches. The items (or the blocks, where passes go by interval blocks) that
// any row of a batch reaches are opened once for the whole batch; the batches are distributed over
// threads. The result of a row does not depend on the number of threads. Item by item, the rows of
// a batch that have taken the same sides so far are followed together, as one group (descent.hpp).
//
// By blocks, many rows that go with a row of the table need one descent together. Let c be the
// nearest code below or at the row's value in each feature: the threshold between c - 1 and c is at
// most the value, that between c and c + 1 above it. If a row of the table has all these codes, the
// two rows are on the same side of every split of every box that holds the table's row, because
// thresholds grow with both codes beside them. So the new row ends in the leaves of the tree that
// hold the table's row. Other rows take a side of their own where they lie between two values. Rows
// that miss a value go item by item, through the items that the pass has kept besides its blocks.
//
// Error: each row loses less than 1e-11 of its probability on the way, and the rest is divided by
// its sum. By blocks the cut has this bound (interval_blocks/descent.hpp); item by item what was
// lost is looked at, and a batch that lost more is followed again with a lower cut.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "exact/engine.hpp"

namespace slp::exact {

// m rows of d numbers, one after the other: the value of a numeric feature, the code of a level
// (-1: a level that the table lacks), NaN where a value is missing.
//
// A split may not say where a row goes that misses the value, or whose level is on neither of its
// sides. Feature::untold says what becomes of such a row.
struct NewRows {
    std::span<const double> values;
    std::size_t m;
};

// Limits for all rows together.
struct Means {
    std::size_t memory;  // bytes
    std::size_t n_threads;
};

// pass: totals, after a run; it keeps items if a row misses a value. For each row the average over
// all trees of its leaf's prediction (LeafModel::predict): out is m * n_predicted().
Status predict_rows(const Engine& engine, const Pass& pass, const NewRows& rows, Means means,
                    const Poll& poll, std::vector<double>& out);

// The leaves that a row may end in; those with equal statistics are one entry. J entries.
struct LeafMass {
    std::vector<double> probability;  // length J
    std::vector<double> statistics;   // J * k
};

// The same for the leaves themselves: out has one entry for each row.
Status leaves_reached(const Engine& engine, const Pass& pass, const NewRows& rows,
                      Means means, const Poll& poll, std::vector<LeafMass>& out);

// Approximate seconds of one core for either, from counts: the same on every machine. Measurements
// are in docs/design/exact-passes.md.
double seconds_of_new_rows(const Engine& engine, const Pass& pass, const NewRows& rows);

// The part of it that goes item by item, for so many rows in batches.
double seconds_by_items(const Engine& engine, const Pass& pass, std::size_t n_rows,
                        std::size_t batch);

}  // namespace slp::exact
