// Tables in which no feature has more than two values. A row is then a word of bits.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "exact/block_grammar.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"
#include "problem/split_measures.hpp"

namespace slp::exact {

inline constexpr std::size_t kMostBits = 64;

// Boxes of at most so many distinct rows are small (binary_blocks/small_boxes.hpp).
inline constexpr std::size_t kFewRows = 6;

struct BinaryTable {
    struct Row {
        Key key;
        Sizes sizes;
        // One for each feature that tells rows apart: whether the row has the larger code.
        std::uint64_t bits;
    };
    std::vector<Row> rows;
    // Number of the feature of each bit; ascending.
    std::vector<std::uint32_t> features;

    // Of a feature; none if it does not tell rows apart.
    std::uint64_t bit_of(std::int32_t feature) const {
        for (std::size_t b = 0; b < features.size(); ++b) {
            if (static_cast<std::int32_t>(features[b]) == feature) {
                return std::uint64_t{1} << b;
            }
        }
        return 0;
    }

    // Bits that part these rows.
    std::uint64_t varying(std::span<const std::uint32_t> of) const {
        std::uint64_t any = 0, every = ~std::uint64_t{0};
        for (const std::uint32_t row : of) {
            any |= rows[row].bits;
            every &= rows[row].bits;
        }
        return any & ~every;
    }
};

// The rows as words of bits, or nothing if some feature has more than two values, or more than 64
// have two.
std::optional<BinaryTable> binary_table(const Problem& problem, const Geometry& geometry);

// The probabilities of the splits of a box under the measure. A feature of two values has one
// split in a box at most.
struct BinarySplitProbabilities {
    BinarySplitProbabilities(const BinaryTable& table, const Grammar& grammar, Measure measure);

    // The common factor of all splits of a box, given the sum of their weights.
    double common(double sum) const { return 1.0 / measure.total(sum, 0.0); }

    SplitMeasure measure;
    // Of each bit: mass of its feature, and share of its split but for what all have in common.
    std::vector<double> weight;
};

}  // namespace slp::exact
