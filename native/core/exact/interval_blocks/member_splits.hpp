// What one split of a block is in each of its members: its split class and its weight.
//
// The threshold of a split at a code lies between this code and the next one that occurs in the
// member. Among members (i, j) of one rank i the next code falls as j grows, and with it the
// threshold. So split classes follow each other along a row.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <vector>

#include "exact/block_grammar.hpp"
#include "exact/interval_blocks/ranks.hpp"
#include "exact/interval_blocks/setting.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"

namespace slp::exact {

// Weight of a cut under `gap` or `range`, relative to the range of its feature.
inline double relative_weight(const Geometry& geometry, Measure measure, std::uint32_t feature,
                              Cut cut) {
    if (measure == Measure::range) {
        return geometry.length(feature, cut);
    }
    return geometry.gap(feature, cut) / geometry.span(feature);
}

// The current split of a block: that of the last `find`.
class MemberSplits {
public:
    MemberSplits(const IntervalSetting& setting, std::size_t most)
        : s_(setting), most_(most), above_(most), weights_(most) {}

    // Splits of a feature come in order, after BlockRanks::order_by; finds `start` of the ranks
    // too.
    void find(const BoxSplit& split, BlockRanks& ranks) {
        ranks.find_start(split);
        k_ = ranks.k;
        single_ = ranks.feature().single();
        find_classes(split, ranks);
        if (s_.weighs()) {
            split_ = split;
            if (!single_) {
                ranks.find_codes_above(above_);
            }
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

    // By j, the weights in members (i, j) from `from` to k - 1; null where all are 1.
    const double* weights(std::size_t i, std::size_t from) {
        if (!s_.weighs()) {
            return nullptr;
        }
        if (single_) {
            std::fill(weights_.begin(), weights_.end(), 1.0);
            return weights_.data();
        }
        std::uint32_t high = UINT32_MAX, last = UINT32_MAX;
        double weight = 0.0;
        for (std::size_t j = i; j < k_; ++j) {
            high = std::min(high, above_[j]);
            if (j >= from) {
                if (high != last) {
                    weight = relative_weight(s_.geometry, s_.grammar.measure, split_.feature,
                                             Cut::between(split_.cut.last_left(), high));
                }
                last = high;
                weights_[j] = weight;
            }
        }
        return weights_.data();
    }

private:
    std::uint32_t class_of(std::int32_t cell) const {
        return s_.grammar.class_of_cell[static_cast<std::size_t>(cell)];
    }

    void find_classes(const BoxSplit& split, BlockRanks& ranks) {
        classes_.assign(1, class_of(split.cell));
        if (single_ || s_.grammar.n_classes_of(split.feature) == 1) {
            return;
        }
        const Feature& feature = ranks.feature();
        const std::uint32_t largest = ranks.largest(), low = split.cut.last_left();
        std::uint32_t high = split.cut.first_right();
        for (;;) {
            high = last_with_cell(feature, low, high, largest);
            if (high == largest) {
                return;
            }
            const std::uint32_t next = class_of(feature.cell(Cut::between(low, high + 1)));
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

    // The largest next code, from `high` on, that leaves the threshold in its cell.
    static std::uint32_t last_with_cell(const Feature& feature, std::uint32_t low,
                                        std::uint32_t high, std::uint32_t largest) {
        const std::int32_t cell = feature.cell(Cut::between(low, high));
        const auto next = std::views::iota(high + 1, largest + 1);
        const auto end = std::ranges::partition_point(next, [&](std::uint32_t code) {
            return feature.cell(Cut::between(low, code)) == cell;
        });
        return high + static_cast<std::uint32_t>(end - next.begin());
    }

    const IntervalSetting& s_;
    std::size_t most_, k_ = 0;
    bool single_ = false;
    BoxSplit split_{};  // where splits weigh
    // From the lowest threshold to the highest; in row i the n-th class begins at begin_[n][i].
    std::vector<std::uint32_t> classes_;
    std::vector<std::vector<std::uint32_t>> begin_;
    std::vector<std::uint32_t> above_;
    std::vector<double> weights_;
};

}  // namespace slp::exact
