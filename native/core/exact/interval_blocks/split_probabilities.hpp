// The probability of each split of a block's members under the split measure.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "exact/block_grammar.hpp"
#include "exact/interval_blocks/first_splits.hpp"
#include "exact/interval_blocks/member_splits.hpp"
#include "exact/interval_blocks/ranks.hpp"
#include "exact/interval_blocks/setting.hpp"
#include "exact/interval_blocks/state_vectors.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"
#include "problem/split_measures.hpp"

namespace slp::exact {

// What the splits of each member weigh, feature by feature. A member (i, j) of k ranks is number i
// * k + j. Probabilities differ between measure classes q (block_grammar.hpp). Scratch that the
// next block overwrites.
class MemberProbabilities {
public:
    MemberProbabilities(const IntervalSetting& setting, std::size_t most)
        : grammar_(setting.grammar),
          measure_(setting.problem.grammar, setting.grammar.measure),
          weighs_(weighs_splits(setting.grammar.measure)),
          partitions_(setting.partitions()),
          count_(most * most),
          n_splits_(most * most),
          masses_(most * most * setting.grammar.n_measure_classes),
          factor_(setting.grammar.n_measure_classes, 1.0) {
        for (std::uint32_t f = 0; f < setting.problem.table.features.size(); ++f) {
            weight_.resize(std::max(weight_.size(), n_weights_of(f) * most * most));
        }
        alike_ = measure_.counts_splits() && weight_.empty() && grammar_.takes_all();
    }

    std::size_t bytes() const {
        return (count_.size() + n_splits_.size()) * sizeof(std::int32_t) +
               (masses_.size() + weight_.size()) * sizeof(double);
    }

    // Whether the splits on all outer features may be counted as those on one feature. Then the
    // factor of all splits is 1.
    bool features_are_alike() const { return alike_; }

    // --- of a block ---

    void clear(std::size_t k) {
        k_ = k;
        std::fill_n(n_splits_.begin(), k * k, 0);
        std::fill_n(masses_.begin(), grammar_.n_measure_classes * k * k, 0.0);
    }

    // --- of a feature ---

    void begin(std::uint32_t feature) {
        feature_ = feature;
        first_ = grammar_.first_class[feature];
        n_classes_ = grammar_.n_classes_of(feature);
        std::fill_n(count_.begin(), k_ * k_, 0);
        n_weights_ = n_weights_of(feature);
        std::fill_n(weight_.begin(), n_weights_ * k_ * k_, 0.0);
    }

    // The members (i, j) from j = `from` on have the current split. weights: by j.
    void count(std::size_t i, std::size_t from, const MemberSplits& split, SplitWeights weights) {
        ++count_[i * k_ + from];
        if (partitions_) {
            for (std::size_t q = 0; q < n_weights_; ++q) {
                for (std::size_t j = from; j < k_; ++j) {
                    weight_[(q * k_ + i) * k_ + j] += weights.data[q * weights.apart + j];
                }
            }
            return;
        }
        if (n_weights_ == 0) {
            return;
        }
        split.for_each(i, from, [&](std::uint32_t c, std::size_t begin, std::size_t end) {
            double* const row = weight_.data() + ((c - first_) * k_ + i) * k_;
            if (weighs_) {
                for (std::size_t j = begin; j < end; ++j) {
                    row[j] += weights.data[j];
                }
            } else {
                row[begin] += 1.0;
                if (end < k_) {
                    row[end] -= 1.0;
                }
            }
        });
    }

    // What was counted where splits begin becomes what each member has.
    void end() {
        add_along(count_.data());
        for (std::size_t c = 0; c < n_weights_ && !weighs_ && !partitions_; ++c) {
            add_along(weight_.data() + c * k_ * k_);
        }
    }

    // Splits of one class of one member, in place of `count`, from `begin` to end - 1.
    void count_member(std::size_t member, std::uint32_t of_class, std::size_t begin,
                      std::size_t end, SplitWeights weights) {
        const auto sum = [&](std::size_t q) {
            const double* const of_q = weights.data + q * weights.apart;
            return std::accumulate(of_q + begin, of_q + end, 0.0);
        };
        count_[member] += static_cast<std::int32_t>(end - begin);
        for (std::size_t q = 0; partitions_ && q < n_weights_; ++q) {
            weight_[q * k_ * k_ + member] += sum(q);
        }
        if (!partitions_ && n_weights_ > 0) {
            weight_[(of_class - first_) * k_ * k_ + member] +=
                weighs_ ? sum(0) : static_cast<double>(end - begin);
        }
    }

    // Whether a member has splits on the feature. If so their probabilities are found, for a weight
    // of 1 and but for what all splits of the member have in common.
    bool add(std::size_t member) {
        const std::int32_t n = count_[member];
        if (n == 0) {
            return false;
        }
        if (alike_) {
            add_splits(member, n);
            return true;
        }
        n_splits_[member] += n;
        for (std::size_t q = 0; q < grammar_.n_measure_classes; ++q) {
            const double weight = weight_of(q, member);
            factor_[q] = 0.0;
            if (weight > 0.0) {
                masses_[q * k_ * k_ + member] += measure_.mass(feature_, weight);
                factor_[q] = measure_.probability(feature_, weight, 1.0);
            }
        }
        return true;
    }
    // The same for members from `begin` to end - 1 where features are alike.
    void add_alike(std::size_t begin, std::size_t end) {
        for (std::size_t member = begin; member < end; ++member) {
            add_splits(member, count_[member]);
        }
    }
    // Adds n splits to a member, where features are alike: each has mass 1.
    void add_splits(std::size_t member, std::int32_t n) {
        n_splits_[member] += n;
        masses_[member] += n;
    }
    // The factor of the last member added.
    double factor(std::size_t q) const { return factor_[q]; }

    // --- of all features ---

    std::size_t n_splits(std::size_t member) const {
        return static_cast<std::size_t>(n_splits_[member]);
    }
    bool splits(std::size_t q, std::size_t member) const {
        return masses_[q * k_ * k_ + member] > 0.0;
    }
    // What all splits of a member have in common; 0 if it has none.
    double common(std::size_t q, std::size_t member) const {
        const double masses = masses_[q * k_ * k_ + member];
        return masses > 0.0 ? 1.0 / measure_.total(masses, grammar_.range_totals[q]) : 0.0;
    }

private:
    // How many tables of weights a feature needs; none where its number of splits is enough.
    std::size_t n_weights_of(std::uint32_t feature) const {
        const std::size_t n = grammar_.n_classes_of(feature);
        return partitions_ ? grammar_.n_measure_classes : n > 1 || weighs_ ? n : 0;
    }

    template <typename Number>
    void add_along(Number* numbers) const {
        for (std::size_t i = 0; i < k_; ++i) {
            for (std::size_t at = i * k_ + i + 1; at < (i + 1) * k_; ++at) {
                numbers[at] += numbers[at - 1];
            }
        }
    }

    // The weight of the splits that a measure class takes over.
    double weight_of(std::size_t q, std::size_t member) const {
        if (partitions_) {
            return weight_[q * k_ * k_ + member];
        }
        if (n_classes_ == 1 && !weighs_) {
            return grammar_.takes_over(q, first_) ? count_[member] : 0.0;
        }
        double out = 0.0;
        for (std::size_t c = 0; c < n_classes_; ++c) {
            if (grammar_.takes_over(q, first_ + static_cast<std::uint32_t>(c))) {
                out += weight_[c * k_ * k_ + member];
            }
        }
        return out;
    }

    const BlockGrammar& grammar_;
    SplitMeasure measure_;
    bool weighs_, partitions_, alike_ = false;
    std::size_t k_ = 0;
    std::uint32_t feature_ = 0, first_ = 0;
    // For the feature: split classes; tables of weights, by split class or measure class.
    std::size_t n_classes_ = 1, n_weights_ = 0;
    // By member; of each measure class or split class one after the other.
    std::vector<std::int32_t> count_, n_splits_;
    std::vector<double> weight_, masses_, factor_;
};

// The splits of a block on its inner feature: one between ranks m and m + 1, whatever the member.
class InnerSplits {
public:
    InnerSplits(const IntervalSetting& setting, std::size_t most, FirstSplits& firsts)
        : s_(setting), firsts_(firsts), classes_(most), weights_(most) {}

    void find(const BlockRanks& ranks) {
        const Feature& inner = s_.problem.table.features[s_.inner];
        for (std::size_t m = 0; m + 1 < ranks.k; ++m) {
            const Cut cut = Cut::between(ranks.code_of_rank[m], ranks.code_of_rank[m + 1]);
            classes_[m] = s_.grammar.class_of_cell[static_cast<std::size_t>(inner.cell(cut))];
            if (s_.weighs()) {
                weights_[m] = relative_weight(s_.geometry, s_.grammar.measure, s_.inner, cut);
            }
        }
    }

    // The splits of member (i, j) of k ranks from `from` to end - 1.
    void count(MemberProbabilities& members, std::size_t i, std::size_t j, std::size_t k,
               std::size_t from,
               std::size_t end) const {
        const SplitWeights weights = weights_of(i, j);
        for_each(from, end, [&](std::uint32_t c, std::size_t begin, std::size_t to) {
            members.count_member(i * k + j, c, begin, to, weights);
        });
    }

    // In member (i, j), by m.
    SplitWeights weights_of(std::size_t i, std::size_t j) const {
        return s_.partitions() ? firsts_.inner_weights(i, j)
                               : SplitWeights{s_.weighs() ? weights_.data() : nullptr};
    }

    // Calls use(class, begin, end) for splits of one class that follow each other.
    template <typename Use>
    void for_each(std::size_t from, std::size_t end, Use use) const {
        const bool one = s_.grammar.n_classes_of(s_.inner) == 1;
        for (std::size_t m = from; m < end;) {
            std::size_t next = one ? end : m + 1;
            while (next < end && classes_[next] == classes_[m]) {
                ++next;
            }
            use(classes_[m], m, next);
            m = next;
        }
    }

private:
    const IntervalSetting& s_;
    FirstSplits& firsts_;
    std::vector<std::uint32_t> classes_;
    std::vector<double> weights_;
};

// The probabilities of all splits of one block's members, counted in advance. Scratch that the next
// block overwrites.
class SplitProbabilities {
public:
    SplitProbabilities(const IntervalSetting& setting, std::size_t most, FirstSplits& firsts)
        : s_(setting),
          firsts_(firsts),
          of_members_(setting, most),
          split_(setting, most),
          is_plain_(setting.grammar.measure == Measure::each &&
                    setting.grammar.n_measure_classes == 1 &&
                    setting.grammar.takes_all() &&
                    std::ranges::all_of(setting.grammar.nodes,
                                        [](const BlockGrammar::StateWeights& x) {
                        return x.leaf == x.leaf_alone && x.majority < 0;
                    })) {}

    std::size_t bytes() const {
        return of_members_.bytes() + probability_.capacity() * sizeof(double);
    }

    // If every split has weight 1, and a leaf the same weight in every member, nothing is counted.
    // splits: those of the block on outer features.
    void count(BlockRanks& ranks, const InnerSplits& inner, std::span<const BoxSplit> splits) {
        if (is_plain_) {
            return;
        }
        n_members_ = ranks.k * ranks.k;
        of_members_.clear(ranks.k);
        probability_.clear();
        for_each_feature(splits, [&](std::span<const BoxSplit> of_feature, std::uint32_t first) {
            count_outer(ranks, of_feature, first);
            add_feature(ranks);
        });
        of_members_.begin(s_.inner);
        for (std::size_t i = 0; i < ranks.k; ++i) {
            for (std::size_t j = i; j < ranks.k; ++j) {
                const auto [from, end] = ranks.inner_splits(i, j);
                inner.count(of_members_, i, j, ranks.k, from, end);
            }
        }
        add_feature(ranks);
    }

    // By member, of each split of weight 1 on an outer feature, without the factor common to all
    // splits. number: the feature's, among those that the block has splits on.
    SplitWeights of_outer(std::size_t number) const {
        return is_plain_ ? SplitWeights{}
                         : of_feature(number * s_.grammar.n_measure_classes * n_members_);
    }
    // The same on the inner feature.
    SplitWeights of_inner() const {
        return is_plain_ ? SplitWeights{}
                         : of_feature(probability_.size() -
                                      s_.grammar.n_measure_classes * n_members_);
    }
    double common(std::size_t q, std::size_t member) const {
        return is_plain_ ? 1.0 : of_members_.common(q, member);
    }
    bool splits(std::size_t q, std::size_t member) const {
        return is_plain_ || of_members_.splits(q, member);
    }

private:
    SplitWeights of_feature(std::size_t first) const {
        return {probability_.data() + first, n_members_};
    }

    void count_outer(BlockRanks& ranks, std::span<const BoxSplit> splits, std::size_t first) {
        ranks.order_by(splits.front().feature);
        of_members_.begin(splits.front().feature);
        for (const BoxSplit& split : splits) {
            split_.find(split, ranks);
            for (std::size_t i = 0; i < ranks.k; ++i) {
                const std::size_t from = std::max(ranks.start[i], ranks.first_member[i]);
                if (from < ranks.k) {
                    of_members_.count(i, from, split_, firsts_.weights(split_, first, i, from));
                }
            }
            ++first;
        }
        of_members_.end();
    }

    void add_feature(const BlockRanks& ranks) {
        const std::size_t first = probability_.size(), n = s_.grammar.n_measure_classes;
        probability_.resize(first + n * n_members_);
        for (std::size_t i = 0; i < ranks.k; ++i) {
            for (std::size_t at = i * ranks.k + i; at < (i + 1) * ranks.k; ++at) {
                if (of_members_.add(at)) {
                    for (std::size_t q = 0; q < n; ++q) {
                        probability_[first + q * n_members_ + at] = of_members_.factor(q);
                    }
                }
            }
        }
    }

    const IntervalSetting& s_;
    FirstSplits& firsts_;
    MemberProbabilities of_members_;
    MemberSplits split_;
    bool is_plain_;
    // Probabilities in the block at hand, by member and measure class: outer features in order,
    // then the inner one.
    std::size_t n_members_ = 0;
    std::vector<double> probability_;
};

}  // namespace slp::exact
