// The parts of boxes' values for features of two values.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "exact/binary_blocks/table.hpp"
#include "exact/block_search.hpp"
#include "exact/block_grammar.hpp"
#include "exact/interval_blocks/products.hpp"
#include "exact/leaf_values.hpp"
#include "problem/problem.hpp"

namespace slp::exact {

// The data of values on binary features.
template <typename Word>
struct BinaryModel {
    const Problem& problem;
    const BinaryTable<Word>& table;
    const BlockGrammar& grammar;
    BinarySplitProbabilities probabilities;
    LeafValues leaf;
    // The least rows of the data in a box; at most those of the root.
    std::uint32_t least;
    // The bit that no tree splits on, or none; its splits keep their shares.
    Word excluded = 0;

    std::size_t n_depths() const { return grammar.nodes.size(); }

    // What the excluded split of a box weighs that these bits part.
    double excluded_weight(Word varying) const {
        return (varying & excluded) == 0
                   ? 0.0
                   : probabilities.weight[lowest_bit(excluded)];
    }

    // At how many depths, from the first on, a box that so many features part can occur: each split
    // on the way to it was on another feature.
    std::size_t n_depths_of(Word varying) const {
        const auto free = count_bits(varying);
        return std::min(n_depths(), table.features.size() - free + 1);
    }
};

// Value of a box at one depth. sum: over its splits, weight times values, probabilities left out;
// weights: of its splits.
template <Sum kSum, typename Word>
double value_at(const BinaryModel<Word>& model, std::size_t depth, double leaf, double sum,
                double weights) {
    const BlockGrammar::Node& node = model.grammar.nodes[depth];
    if (!(weights > 0.0)) {
        return node.leaf_alone * leaf;
    }
    double value = node.leaf * leaf;
    if (node.split > 0.0) {
        add_term<kSum>(node.split * model.probabilities.common(weights) * sum, value);
    }
    return value;
}

// Adds the values of a split at the first n depths: those of its sides at the next depth.
template <Sum kSum, bool kVector, typename Word>
void add_split(const BinaryModel<Word>& model, double weight, const double* left, const double* right,
               std::size_t n, double* sum) {
    if constexpr (kVector) {
        const std::size_t last = model.n_depths() - 1;
        for (std::size_t t = 0; t < std::min(n, last); ++t) {
            add_term<kSum>(weight * left[t + 1] * right[t + 1], sum[t]);
        }
        if (n > last && model.grammar.endless) {
            add_term<kSum>(weight * left[last] * right[last], sum[last]);
        }
    } else {
        add_term<kSum>(weight * *left * *right, *sum);
    }
}

}  // namespace slp::exact
