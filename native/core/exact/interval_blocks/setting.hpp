// Settings shared by all parts of one search by interval blocks.

#pragma once

#include <cstdint>

#include "exact/block_grammar.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"
#include "problem/split_measures.hpp"

namespace slp::exact {

struct IntervalSetting {
    const Problem& problem;
    const Geometry& geometry;
    BlockGrammar grammar;
    std::uint32_t inner;
    // Whether the leaves' marginal likelihoods are in the weights.
    bool likelihood;
    // Log of the factor of a value for each row of the data.
    double log_scale;
    Box root;
    // A feature that no tree splits on, though its splits keep their probabilities; -1: none.
    std::int32_t excluded = -1;

    // Whether the splits on a feature may differ in weight.
    bool weighs() const { return weighs_splits(grammar.measure); }
    bool is_excluded(std::uint32_t feature) const {
        return static_cast<std::int32_t>(feature) == excluded;
    }
};

}  // namespace slp::exact
