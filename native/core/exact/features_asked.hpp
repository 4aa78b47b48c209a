// Which features a row's path splits on, and how often: sums over trees by one descent.
//
// The path of a row never splits on feature f with the probability of the leaves that it reaches
// where f's splits are taken out of its way. So each row has a query for each feature, which ends at
// the splits on it, and one that ends at none. The queries of a row move as one group until a split
// ends one of them: the groups at an item are sets of features that paths to it have split on.
//
// Instead of rows, a query may follow both sides of every split: then the leaves of the tree are
// counted by their rows, which gives the mean over the rows of the table.

#pragma once

#include <cstddef>
#include <vector>

#include "exact/engine.hpp"
#include "exact/new_rows.hpp"

namespace slp::exact {

// m rows, d features.
struct FeaturesAsked {
    std::vector<double> asked;   // m * d: the probability that the path splits on the feature
    std::vector<double> splits;  // m * d: the expected number of these splits
};

// pass: totals, after a run, which kept items. Every number is right within 1e-11 and rounding.
Status features_asked(const Engine& engine, const Pass& pass, const NewRows& rows,
                      std::size_t memory, const Poll& poll, FeaturesAsked& out);

// The mean over the rows of the table, by their weights: m is 1.
Status features_asked_of_table(const Engine& engine, const Pass& pass, std::size_t memory,
                               const Poll& poll, FeaturesAsked& out);

// Approximate seconds of one core for rows, or (0) for those of the table, from counts.
double seconds_of_features(const Engine& engine, const Pass& pass, std::size_t n_rows);

}  // namespace slp::exact
