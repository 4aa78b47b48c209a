// Settings shared by all parts of one search by interval blocks.

#pragma once

#include <cstdint>

#include "exact/block_grammar.hpp"
#include "exact/block_search.hpp"
#include "exact/leaf_values.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"
#include "problem/split_measures.hpp"

namespace slp::exact {

struct IntervalSetting {
    const Problem& problem;
    const Geometry& geometry;
    BlockGrammar grammar;
    std::uint32_t inner;
    BlockTask task;

    // Whether the splits on a feature may differ in weight.
    bool weighs() const { return weighs_splits(grammar.measure); }
    // Whether a split has weight 0 where another one, before it, parts the rows alike.
    bool partitions() const { return grammar.measure == Measure::partition; }
    bool is_excluded(std::uint32_t feature) const {
        return static_cast<std::int32_t>(feature) == task.excluded;
    }
    double leaf(const std::vector<double>& statistics, Sizes sizes) const {
        return leaf_value(problem.leaf, task.likelihood, task.log_scale, statistics.data(),
                          data_rows(sizes));
    }
};

}  // namespace slp::exact
