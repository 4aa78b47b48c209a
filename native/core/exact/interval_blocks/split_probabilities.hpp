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

namespace slp::exact {

// The measure where only the numbers of splits matter: the probability of each split of a member.
class CountedMeasure {
public:
    CountedMeasure(const Problem& problem, const DepthGrammar& by_depth)
        : measure_(by_depth.measure),
          weights_(problem.grammar.feature_weights),
          d_(static_cast<double>(weights_.size())) {}

    // What a feature with splits adds to the normaliser.
    double available(std::uint32_t feature) const {
        return measure_ == Measure::feature_then_cut ? weights_[feature] : 0.0;
    }
    // Of each of a feature's n splits, without the factor common to all splits.
    double of_feature(std::uint32_t feature, std::uint32_t n) const {
        switch (measure_) {
            case Measure::feature_then_cut: return weights_[feature] / n;
            case Measure::per_feature: return 1.0 / (n * d_);
            default: return 1.0;
        }
    }
    double common(std::uint32_t n_splits, double available) const {
        switch (measure_) {
            case Measure::feature_then_cut: return 1.0 / available;
            case Measure::all: return 1.0 / n_splits;
            default: return 1.0;
        }
    }

private:
    Measure measure_;
    const std::vector<double>& weights_;
    double d_;
};

// The probabilities of all splits of one block's members, counted in advance. A member (i, j) of
// k ranks is number i * k + j. Scratch that the next block overwrites.
class SplitProbabilities {
public:
    SplitProbabilities(const Problem& problem, const DepthGrammar& by_depth, std::uint32_t inner,
                       std::size_t most)
        : problem_(problem),
          inner_(inner),
          measure_(problem, by_depth),
          is_plain_(
              by_depth.measure == Measure::each &&
              std::all_of(by_depth.nodes.begin(), by_depth.nodes.end(),
                          [](const DepthGrammar::Node& x) { return x.leaf == x.leaf_alone; })),
          n_splits_(most * most),
          n_of_feature_(most * most),
          available_(most * most) {}

    std::size_t bytes() const {
        return n_splits_.size() * (2 * sizeof(std::uint32_t) + sizeof(double)) +
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
        std::fill_n(n_splits_.begin(), n_members_, 0U);
        std::fill_n(available_.begin(), n_members_, 0.0);
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
        if (is_plain_) {
            return 1.0;
        }
        const std::uint32_t n = n_splits_[member];
        return n > 0 ? measure_.common(n, available_[member]) : 0.0;
    }
    // The weight of a leaf, times its likelihood.
    double of_leaf(const DepthGrammar::Node& node, std::size_t member) const {
        const bool alone = !is_plain_ && n_splits_[member] == 0;
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
                    n_splits_[at] += n;
                    available_[at] += measure_.available(feature);
                    probability_[first + at] = measure_.of_feature(feature, n);
                }
            }
        }
    }

    const Problem& problem_;
    std::uint32_t inner_;
    CountedMeasure measure_;
    bool is_plain_;
    // Of the block at hand: by member; split probabilities of outer features in order, the inner
    // one's last.
    std::size_t n_members_ = 0;
    std::vector<std::uint32_t> n_splits_, n_of_feature_;
    std::vector<double> available_, probability_;
};

}  // namespace slp::exact
