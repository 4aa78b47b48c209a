// What one split of a block is in each of its members: its split class and its weight.
//
// The threshold of a split at a code lies between this code and the next one that occurs in the
// member. Among members (i, j) of one rank i the next code falls as j grows, and with it the
// threshold. So split classes follow each other along a row.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exact/block_grammar.hpp"
#include "exact/interval_blocks/ranks.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"

namespace slp::exact {

// The split classes of the current split: that of the last `find_start` (ranks.hpp).
class SplitClasses {
public:
    SplitClasses(const Geometry& geometry, const BlockGrammar& grammar, std::size_t most)
        : geometry_(geometry), grammar_(grammar), most_(most) {}

    void find(const Feature& feature, const BoxSplit& split, BlockRanks& ranks) {
        k_ = ranks.k;
        classes_.assign(1, class_of(split.cell));
        if (feature.kind == FeatureKind::levels ||
            grammar_.n_classes_of(split.feature) == 1) {
            return;
        }
        const std::uint32_t largest = ranks.largest();
        std::uint32_t high = split.high;
        for (;;) {
            high = last_with_cell(feature, split.low, high, largest);
            if (high == largest) {
                return;
            }
            const std::uint32_t next = class_of(geometry_.cell(feature, split.low, high + 1));
            if (next != classes_.back()) {
                const std::size_t n = classes_.size();
                if (begin_.size() < n) {
                    begin_.emplace_back(most_);
                }
                ranks.find_right(high, begin_[n - 1]);
                classes_.push_back(next);
            }
            ++high;
        }
    }

    // Whether all members have the same; then it is this one.
    bool is_one() const { return classes_.size() == 1; }
    std::uint32_t one() const { return classes_.front(); }

    // Calls use(class, begin, end) for the ranks j of row i from `from` on, in any order.
    template <typename Use>
    void for_each(std::size_t i, std::size_t from, Use use) const {
        std::size_t end = k_;
        for (std::size_t n = 0; n < classes_.size() && from < end; ++n) {
            const std::size_t begin =
                n + 1 < classes_.size() ? std::clamp<std::size_t>(begin_[n][i], from, end) : from;
            if (begin < end) {
                use(classes_[n], begin, end);
            }
            end = begin;
        }
    }

    std::uint32_t class_of(std::int32_t cell) const {
        return grammar_.class_of_cell[static_cast<std::size_t>(cell)];
    }

private:
    // The largest next code, from `high` on, that leaves the threshold in its cell.
    std::uint32_t last_with_cell(const Feature& feature, std::uint32_t low, std::uint32_t high,
                                 std::uint32_t largest) const {
        const std::int32_t cell = geometry_.cell(feature, low, high);
        while (high < largest) {
            const std::uint32_t middle = high + (largest - high + 1) / 2;
            if (geometry_.cell(feature, low, middle) == cell) {
                high = middle;
            } else {
                largest = middle - 1;
            }
        }
        return high;
    }

    const Geometry& geometry_;
    const BlockGrammar& grammar_;
    std::size_t most_, k_ = 0;
    // From the lowest threshold to the highest; in row i the n-th class begins at begin_[n][i].
    std::vector<std::uint32_t> classes_;
    std::vector<std::vector<std::uint32_t>> begin_;
};

// Weight of a cut under `gap` or `range`, relative to the range of its feature.
inline double relative_weight(const Problem& problem, const Geometry& geometry, Measure measure,
                              std::uint32_t feature, std::uint32_t low, std::uint32_t high) {
    if (measure == Measure::range) {
        return geometry.length(feature, low, high);
    }
    const auto last = static_cast<std::uint32_t>(problem.table.features[feature].n_codes - 1);
    return geometry.gap(feature, low, high) / geometry.gap(feature, 0, last);
}

// These weights of the current split.
class SplitWeights {
public:
    SplitWeights(const Problem& problem, const Geometry& geometry, Measure measure,
                 std::size_t most)
        : problem_(problem), geometry_(geometry), measure_(measure), above_(most), row_(most) {}

    void find(const BoxSplit& split, const BlockRanks& ranks) {
        split_ = split;
        levels_ = problem_.table.features[split.feature].kind == FeatureKind::levels;
        if (!levels_) {
            ranks.find_codes_above(above_);
        }
    }

    // By j, of members (i, j) from `from` to k - 1.
    const double* row(std::size_t i, std::size_t from, std::size_t k) {
        if (levels_) {
            std::fill(row_.begin(), row_.end(), 1.0);
            return row_.data();
        }
        std::uint32_t high = UINT32_MAX, last = UINT32_MAX;
        double weight = 0.0;
        for (std::size_t j = i; j < k; ++j) {
            high = std::min(high, above_[j]);
            if (j >= from) {
                weight = high == last ? weight : of(split_.feature, split_.low, high);
                last = high;
                row_[j] = weight;
            }
        }
        return row_.data();
    }

    double of(std::uint32_t feature, std::uint32_t low, std::uint32_t high) const {
        return relative_weight(problem_, geometry_, measure_, feature, low, high);
    }

private:
    const Problem& problem_;
    const Geometry& geometry_;
    Measure measure_;
    BoxSplit split_{};
    bool levels_ = false;
    std::vector<std::uint32_t> above_;
    std::vector<double> row_;
};

}  // namespace slp::exact
