// How the splits of a family's members share the weights of their rules.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exact/chain.hpp"
#include "exact/family_ranks.hpp"
#include "exact/geometry.hpp"
#include "exact/problem.hpp"

namespace slp::exact {

// How the splits of a member share its rule's weight.
class MemberShares {
public:
    MemberShares(const Problem& problem, const Chain& chain)
        : measure_(chain.measure),
          weights_(problem.grammar.feature_weights),
          d_(static_cast<double>(weights_.size())) {}

    // What a feature that has splits adds to what is available.
    double available(std::uint32_t feature) const {
        return measure_ == Measure::feature_then_cut ? weights_[feature] : 0.0;
    }
    // Of each of a feature's n splits, but for what all splits have in common.
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

// The shares of all splits of one family's members, counted before anybody goes through them. A
// member (i, j) of k ranks is number i * k + j. Scratch that the next family overwrites.
class FamilyShares {
public:
    FamilyShares(const Problem& problem, const Chain& chain, std::uint32_t inner, std::size_t most)
        : problem_(problem),
          inner_(inner),
          shares_(problem, chain),
          is_plain_(chain.measure == Measure::each &&
                    std::all_of(chain.links.begin(), chain.links.end(),
                                [](const Chain::Link& x) { return x.leaf == x.leaf_alone; })),
          n_splits_(most * most),
          n_of_feature_(most * most),
          available_(most * most) {}

    std::size_t bytes() const {
        return n_splits_.size() * (2 * sizeof(std::uint32_t) + sizeof(double)) +
               share_.capacity() * sizeof(double);
    }

    // Where every split weighs 1 and a leaf the same in every member, nothing is counted. splits:
    // those of the family on outer features.
    void count(FamilyRanks& ranks, std::span<const BoxSplit> splits) {
        n_members_ = ranks.k * ranks.k;
        if (is_plain_) {
            share_.assign(n_members_, 1.0);
            return;
        }
        std::fill_n(n_splits_.begin(), n_members_, 0U);
        std::fill_n(available_.begin(), n_members_, 0.0);
        share_.clear();
        for_each_feature(splits, [&](std::span<const BoxSplit> of_feature, std::uint32_t) {
            count_outer(ranks, of_feature);
            add_feature(ranks.k, of_feature.front().feature);
        });
        count_inner(ranks);
        add_feature(ranks.k, inner_);
    }

    // By member, of each split on an outer feature, but for what all splits have in common. number:
    // the feature's, among those that the family has splits on.
    const double* of_outer(std::size_t number) const {
        return share_.data() + (is_plain_ ? 0 : number * n_members_);
    }
    // Of each split of a member on the inner feature.
    double of_inner(std::size_t member) const {
        return share_[share_.size() - n_members_ + member];
    }
    double common(std::size_t member) const {
        if (is_plain_) {
            return 1.0;
        }
        const std::uint32_t n = n_splits_[member];
        return n > 0 ? shares_.common(n, available_[member]) : 0.0;
    }
    // What a leaf weighs, times its likelihood.
    double of_leaf(const Chain::Link& link, std::size_t member) const {
        const bool alone = !is_plain_ && n_splits_[member] == 0;
        return alone ? link.leaf_alone : link.leaf;
    }

private:
    // Counts a feature's splits in each member; those of a row are where they begin, then running.
    void count_outer(FamilyRanks& ranks, std::span<const BoxSplit> splits) {
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

    void count_inner(const FamilyRanks& ranks) {
        const std::size_t k = ranks.k;
        for (std::size_t i = 0; i < k; ++i) {
            for (std::size_t j = i; j < k; ++j) {
                const auto [from, end] = ranks.inner_splits(i, j);
                n_of_feature_[i * k + j] = static_cast<std::uint32_t>(end - std::min(from, end));
            }
        }
    }

    void add_feature(std::size_t k, std::uint32_t feature) {
        const std::size_t first = share_.size();
        share_.resize(first + k * k);
        for (std::size_t i = 0; i < k; ++i) {
            for (std::size_t at = i * k + i; at < (i + 1) * k; ++at) {
                if (const std::uint32_t n = n_of_feature_[at]; n > 0) {
                    n_splits_[at] += n;
                    available_[at] += shares_.available(feature);
                    share_[first + at] = shares_.of_feature(feature, n);
                }
            }
        }
    }

    const Problem& problem_;
    std::uint32_t inner_;
    MemberShares shares_;
    bool is_plain_;
    // Of the family at hand: by member; shares of outer features in order, the inner one's last.
    std::size_t n_members_ = 0;
    std::vector<std::uint32_t> n_splits_, n_of_feature_;
    std::vector<double> available_, share_;
};

}  // namespace slp::exact
