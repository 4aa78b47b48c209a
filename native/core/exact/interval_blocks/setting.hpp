// Settings shared by all parts of one search by interval blocks.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "exact/block_grammar.hpp"
#include "exact/block_search.hpp"
#include "exact/leaf_values.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"
#include "problem/split_measures.hpp"

namespace slp::exact {

// The splits on outer features that some state takes over, in the same place. Others change
// nothing.
inline std::span<BoxSplit> outer_splits(std::span<BoxSplit> splits, std::uint32_t inner,
                                        const BlockGrammar& grammar) {
    const auto end = std::remove_if(splits.begin(), splits.end(), [&](const BoxSplit& split) {
        return split.feature == inner || !grammar.is_split[split.feature];
    });
    return splits.first(static_cast<std::size_t>(end - splits.begin()));
}

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
