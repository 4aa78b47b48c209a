// The probability of each split of a block's members under the split measure.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exact/depth_grammar.hpp"
#include "exact/interval_blocks/ranks.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"
#include "problem/split_measures.hpp"

namespace slp::exact {

// The splits of each member of one block: their number, and the sum of the masses of the features
// that they are on. Scratch that the next block overwrites.
class MemberSplits {
public:
    MemberSplits(const Problem& problem, const DepthGrammar& by_depth)
        : measure_(by_depth.measure, problem.grammar.feature_weights) {}

    static constexpr std::size_t kBytes = sizeof(std::uint32_t) + sizeof(double);  // of a member

    void reserve(std::size_t most_members) {
        number_.resize(most_members);
        masses_.resize(most_members);
    }
    void clear(std::size_t n_members) {
        std::fill_n(number_.begin(), n_members, 0U);
        std::fill_n(masses_.begin(), n_members, 0.0);
    }

    // Adds n splits on a feature, which are all that the member has on it. Their probability each,
    // but for what all splits of the member have in common.
    double add(std::size_t member, std::uint32_t feature, std::uint32_t n) {
        number_[member] += n;
        masses_[member] += measure_.mass(feature, n);
        return measure_.share(feature, n, 1.0);
    }

    std::uint32_t number(std::size_t member) const { return number_[member]; }
    // What all splits of the member have in common; 0 if it has none.
    double common(std::size_t member) const {
        return number_[member] > 0 ? 1.0 / measure_.total(masses_[member]) : 0.0;
    }

private:
    SplitMeasure measure_;
    std::vector<std::uint32_t> number_;
    std::vector<double> masses_;
};

// The probabilities of all splits of one block's members, counted in advance. A member (i, j) of
// k ranks is number i * k + j. Scratch that the next block overwrites.
class SplitProbabilities {
public:
    SplitProbabilities(const Problem& problem, const DepthGrammar& by_depth, std::uint32_t inner,
                       std::size_t most)
        : problem_(problem),
          inner_(inner),
          splits_(problem, by_depth),
          is_plain_(
              by_depth.measure == Measure::each &&
              std::all_of(by_depth.nodes.begin(), by_depth.nodes.end(),
                          [](const DepthGrammar::Node& x) { return x.leaf == x.leaf_alone; })),
          n_of_feature_(most * most) {
        splits_.reserve(most * most);
    }

    std::size_t bytes() const {
        return n_of_feature_.size() * (sizeof(std::uint32_t) + MemberSplits::kBytes) +
               probability_.capacity() * sizeof(double);
    }

    // If every split has weight 1, and a leaf the same weight in every member, nothing is counted.
    // splits: those of the block on outer features.
    void count(BlockRanks& ranks, std::span<const BoxSplit> splits) {
        n_members_ = ranks.k * ranks.k;
        if (is_plain_) {
            probability_.assign(n_members_, 1.0);
            return;
        }
        splits_.clear(n_members_);
        probability_.clear();
        for_each_feature(splits, [&](std::span<const BoxSplit> of_feature, std::uint32_t) {
            count_outer(ranks, of_feature);
            add_feature(ranks.k, of_feature.front().feature);
        });
        count_inner(ranks);
        add_feature(ranks.k, inner_);
    }

    // By member, of each split on an outer feature, without the factor common to all splits.
    // number: the feature's, among those that the block has splits on.
    const double* of_outer(std::size_t number) const {
        return probability_.data() + (is_plain_ ? 0 : number * n_members_);
    }
    // Of each split of a member on the inner feature.
    double of_inner(std::size_t member) const {
        return probability_[probability_.size() - n_members_ + member];
    }
    double common(std::size_t member) const {
        return is_plain_ ? 1.0 : splits_.common(member);
    }
    // The weight of a leaf, times its likelihood.
    double of_leaf(const DepthGrammar::Node& node, std::size_t member) const {
        const bool alone = !is_plain_ && splits_.number(member) == 0;
        return alone ? node.leaf_alone : node.leaf;
    }

private:
    // Counts a feature's splits in each member; those of a row are where they begin, then running.
    void count_outer(BlockRanks& ranks, std::span<const BoxSplit> splits) {
        const std::size_t k = ranks.k;
        const Feature& feature = problem_.table.features[splits.front().feature];
        ranks.order_by(feature);
        std::fill_n(n_of_feature_.begin(), k * k, 0U);
        for (const BoxSplit& split : splits) {
            ranks.find_start(feature, split);
            for (std::size_t i = 0; i < k; ++i) {
                const std::size_t from = std::max<std::size_t>(ranks.start[i], i);
                n_of_feature_[i * k + std::min(from, k - 1)] += from < k ? 1 : 0;
            }
        }
        for (std::size_t i = 0; i < k; ++i) {
            for (std::size_t j = i + 1; j < k; ++j) {
                n_of_feature_[i * k + j] += n_of_feature_[i * k + j - 1];
            }
        }
    }

    void count_inner(const BlockRanks& ranks) {
        const std::size_t k = ranks.k;
        for (std::size_t i = 0; i < k; ++i) {
            for (std::size_t j = i; j < k; ++j) {
                const auto [from, end] = ranks.inner_splits(i, j);
                n_of_feature_[i * k + j] = static_cast<std::uint32_t>(end - std::min(from, end));
            }
        }
    }

    void add_feature(std::size_t k, std::uint32_t feature) {
        const std::size_t first = probability_.size();
        probability_.resize(first + k * k);
        for (std::size_t i = 0; i < k; ++i) {
            for (std::size_t at = i * k + i; at < (i + 1) * k; ++at) {
                if (const std::uint32_t n = n_of_feature_[at]; n > 0) {
                    probability_[first + at] = splits_.add(at, feature, n);
                }
            }
        }
    }

    const Problem& problem_;
    std::uint32_t inner_;
    MemberSplits splits_;
    bool is_plain_;
    // Of the block at hand: by member; split probabilities of outer features in order, the inner
    // one's last.
    std::size_t n_members_ = 0;
    std::vector<std::uint32_t> n_of_feature_;
    std::vector<double> probability_;
};

}  // namespace slp::exact
