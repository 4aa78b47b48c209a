// Where new rows end: in which leaf boxes with which probability, and what is predicted there.
//
// Rows are followed in blocks, the items (or, where passes go by family, the families) that any row
// of a block reaches being opened once for all of them; blocks are dealt out to threads. What a row
// gets depends neither on the other rows nor on the number of threads.
//
// Error: each row loses less than 1e-11 of its probability on the way (descent.hpp,
// family_descent.hpp), and the rest is divided by its sum.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "exact/engine.hpp"
#include "exact/families.hpp"

namespace slp::exact {

// m rows of d numbers, one after the other: the value of a numeric feature, the code of a level (-1:
// a level that the table lacks).
struct NewRows {
    std::span<const double> values;
    std::size_t m;
};

// What all rows together may use.
struct Means {
    // Bytes; of families it is their own budget that holds.
    std::size_t memory;
    std::size_t n_threads;
};

// What rows are followed by: a pass over totals, after a run, or families, after one too.
struct Totals {
    const Pass* pass = nullptr;
    FamilySearch* families = nullptr;
};

// For each row the average over all trees of what its leaf predicts
// (LeafModel::predict): out is m * n_predicted().
Status predict_rows(const Engine& engine, const Totals& totals, const NewRows& rows,
                    Means means, const Poll& poll, std::vector<double>& out);

// The leaves that a row may end in; those with equal statistics are one entry. J entries.
struct LeafMass {
    std::vector<double> probability;  // length J
    std::vector<double> statistics;   // J * k
};

// The same for the leaves themselves: out has one entry for each row.
Status leaves_reached(const Engine& engine, const Totals& totals, const NewRows& rows,
                      Means means, const Poll& poll, std::vector<LeafMass>& out);

}  // namespace slp::exact
