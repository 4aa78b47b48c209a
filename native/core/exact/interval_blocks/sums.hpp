// The values of one block's members, from those of the blocks that its outer splits lead to.
//
// The value of a member is the weight of its leaf, plus the weighted sum over its splits of the
// products of the values of both sides. Sums over outer splits are taken feature by feature and
// split by split, along rows of the triangles of the two sides. Splits on the inner feature come
// last, from short members to long ones, because their sides are members of the same block.
// Everything here is scratch memory of one thread, except triangles and vectors, which stay.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "budget.hpp"
#include "exact/block_search.hpp"
#include "exact/depth_grammar.hpp"
#include "exact/interval_blocks/products.hpp"
#include "exact/interval_blocks/ranks.hpp"
#include "exact/interval_blocks/setting.hpp"
#include "exact/interval_blocks/split_probabilities.hpp"
#include "exact/interval_blocks/triangle.hpp"
#include "exact/leaf_values.hpp"
#include "exact/numbers.hpp"
#include "pool.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"

namespace slp::exact {

template <Sum kSum, bool kVector>
class IntervalSums {
public:
    using Cell = MemberValue<kVector>;
    using Triangle = TriangleOf<Cell>;

    // scratch: the budget of its own memory.
    IntervalSums(const IntervalSetting& setting, Pool& triangles, Pool& vectors, Charge& scratch)
        : s_(setting),
          by_depth_(setting.by_depth),
          leaf_model_(setting.problem.leaf),
          products_(products<kSum>()),
          ranks_(setting.problem, setting.geometry, setting.inner),
          member_splits_(setting.problem, setting.by_depth),
          triangles_(triangles),
          vectors_(vectors),
          n_depths_(setting.by_depth.nodes.size()),
          n_statistics_(setting.problem.leaf.n_statistics()),
          min_leaf_(static_cast<std::uint64_t>(setting.problem.grammar.min_leaf)) {
        const std::size_t most = ranks_.most(), members = most * most;
        scratch.add(members * ((2 * length() + 1) * sizeof(double) + sizeof(std::uint32_t) +
                               MemberSplits::kBytes));
        statistics_.resize(most * n_statistics_);
        leaf_.resize(n_statistics_);
        keys_.resize(most + 1);
        sums_.resize(members * length());
        of_feature_.resize(members * length());
        inner_sum_.resize(length());
        member_splits_.reserve(members);
        n_of_feature_.resize(members);
        columns_.resize(members);
    }

    // Evaluates a block. splits: those of its box on outer features. sides: left and right of each.
    // keep: called with the key, value and sizes of every member that is worked out here.
    template <typename Keep>
    Triangle* work_out(const Box& box, std::span<const BoxSplit> splits,
                       const Triangle* const* sides, Keep keep) {
        splits_ = splits;
        sides_ = sides;
        n_items_ = n_edges_ = 0;
        vector_words_ = 0;
        ranks_.set_rows(box);
        auto* const own =
            reinterpret_cast<Triangle*>(triangles_.allocate(Triangle::words(ranks_.k)));
        own->k = static_cast<std::uint32_t>(ranks_.k);
        sum_outer();
        sum_by_rank();
        fill(*own, box.key == s_.root.key, keep);
        return own;
    }

    // Frees the block that was evaluated last, and its vectors unless they are kept.
    void take_back(bool vectors) {
        triangles_.take_back(Triangle::words(ranks_.k));
        if (vectors) {
            vectors_.take_back(vector_words_);
        }
    }

    // Of the block that was worked out last: members, and their splits with one more for the leaf.
    std::uint64_t n_items() const { return n_items_; }
    std::uint64_t n_edges() const { return n_edges_; }
    // Whether every value so far lies well inside the range of doubles.
    bool in_range() const { return in_range_; }

private:
    // --- outer splits ---

    void sum_outer() {
        const std::size_t k = ranks_.k;
        member_splits_.clear(k * k);
        std::fill_n(sums_.begin(), k * k * length(), 0.0);
        for_each_feature(splits_, [&](std::span<const BoxSplit> splits, std::uint32_t first) {
            if (!s_.is_excluded(splits.front().feature)) {
                ranks_.find_sources(feature_of(splits), splits, first);
            }
        });
        for_each_feature(splits_, [&](std::span<const BoxSplit> splits, std::uint32_t first) {
            const Feature& feature = feature_of(splits);
            ranks_.order_by(feature);
            std::fill_n(n_of_feature_.begin(), k * k, 0U);
            std::fill_n(of_feature_.begin(), k * k * length(), 0.0);
            const bool excluded = s_.is_excluded(splits.front().feature);
            for (std::uint32_t e = 0; e < splits.size(); ++e) {
                prefetch(first + e + 3);
                ranks_.find_start(feature, splits[e]);
                count_split();
                if (!excluded) {
                    add_split(*sides_[2 * (first + e)], *sides_[2 * (first + e) + 1]);
                }
            }
            fold_feature(splits.front().feature);
        });
    }

    const Feature& feature_of(std::span<const BoxSplit> splits) const {
        return s_.problem.table.features[splits.front().feature];
    }

    // Prefetches the triangles of a later split, which are read row after row.
    void prefetch(std::size_t split) const {
        constexpr std::size_t kLine = 64, kLines = 8;
        for (std::size_t side = 2 * split; side < 2 * std::min(split + 1, splits_.size());
             ++side) {
            const auto* const begin = reinterpret_cast<const char*>(sides_[side]);
            for (std::size_t line = 0; begin != nullptr && line < kLines; ++line) {
                __builtin_prefetch(begin + line * kLine);
            }
        }
    }

    void count_split() {
        const std::size_t k = ranks_.k;
        for (std::size_t i = 0; i < k; ++i) {
            const std::size_t from = std::max(ranks_.start[i], ranks_.first_member[i]);
            n_of_feature_[i * k + std::min(from, k - 1)] += from < k ? 1 : 0;
        }
    }

    void add_split(const Triangle& left, const Triangle& right) {
        const std::size_t k = ranks_.k;
        const std::uint32_t* const last_l = ranks_.left_ranks.last.data();
        const std::uint32_t* const last_r = ranks_.right_ranks.last.data();
        for (std::size_t i = 0; i < k; ++i) {
            const std::size_t from = std::max(ranks_.start[i], ranks_.first_member[i]);
            if (from >= k) {
                continue;
            }
            const Cell* const row_l = left.row(ranks_.left_ranks.below[i]);
            const Cell* const row_r = right.row(ranks_.right_ranks.below[i]);
            double* const out = of_feature_.data() + (i * k + from) * length();
            if constexpr (kVector) {
                products_.add_rows({row_l, last_l}, {row_r, last_r}, from, k, n_summed(),
                                   length(), out);
            } else {
                for (std::size_t j = from; j < k; ++j) {
                    add_term<kSum>(row_l[last_l[j]] * row_r[last_r[j]], out[j - from]);
                }
            }
        }
    }

    // Values of a split: at each depth those of the two sides at the next depth. Where a depth
    // grammar is endless a vector has its last value twice.
    std::size_t n_summed() const { return n_depths_ - (by_depth_.endless ? 0 : 1); }

    // --- the measure ---

    // Adds a feature's sums to those of all features. Turns the positions where splits begin into
    // running numbers of splits.
    void fold_feature(std::uint32_t feature) {
        const std::size_t k = ranks_.k;
        for (std::size_t i = 0; i < k; ++i) {
            std::uint32_t n = 0;
            for (std::size_t j = ranks_.first_member[i]; j < k; ++j) {
                const std::size_t at = i * k + j;
                n += n_of_feature_[at];
                if (n > 0) {
                    fold(feature, n, of_feature_.data() + at * length(), at);
                }
            }
        }
    }

    void fold(std::uint32_t feature, std::uint32_t n, const double* __restrict sum,
              std::size_t member) {
        const double factor = member_splits_.add(member, feature, n);
        double* const __restrict to = sums_.data() + member * length();
        for (std::size_t t = 0; t < length(); ++t) {
            add_term<kSum>(factor * sum[t], to[t]);
        }
    }

    // --- members ---

    void sum_by_rank() {
        std::fill_n(statistics_.begin(), ranks_.k * n_statistics_, 0.0);
        std::fill_n(keys_.begin(), ranks_.k + 1, Key{});
        for (std::size_t r = 0; r < ranks_.rows.size(); ++r) {
            const std::size_t rank = ranks_.rank_of_row[r];
            leaf_model_.add(ranks_.rows[r], statistics_.data() + rank * n_statistics_);
            keys_[rank + 1] = keys_[rank + 1] + s_.geometry.key_of(ranks_.rows[r]);
        }
        for (std::size_t i = 0; i < ranks_.k; ++i) {
            keys_[i + 1] = keys_[i + 1] + keys_[i];
        }
    }

    // Goes through the members from short to long, splits them on the inner feature too, and writes
    // their values.
    template <typename Keep>
    void fill(Triangle& own, bool is_root, Keep keep) {
        const std::size_t k = ranks_.k;
        allocate_vectors();
        for (std::size_t i = k; i-- > 0;) {
            Cell* const row = own.row(i);
            copy_from_source(i, row);
            Sizes sizes = 0;
            std::fill(leaf_.begin(), leaf_.end(), 0.0);
            for (std::size_t j = i; j < k; ++j) {
                sizes += ranks_.sizes[j];
                for (std::size_t c = 0; c < n_statistics_; ++c) {
                    leaf_[c] += statistics_[j * n_statistics_ + c];
                }
                // No split has a side with fewer rows than a leaf must have.
                if (j < ranks_.first_member[i] || (data_rows(sizes) < min_leaf_ && !is_root)) {
                    continue;
                }
                split_inside(own, i, j);
                row[j] = value_of(i * k + j, sizes);
                columns_[j * k + i] = row[j];
                n_items_ += 1;
                n_edges_ += member_splits_.number(i * k + j) + 1;
                keep(keys_[j + 1] - keys_[i], row[j], sizes);
            }
        }
    }

    // At once, so that they can be taken back at once.
    void allocate_vectors() {
        if constexpr (kVector) {
            std::size_t members = 0;
            for (std::size_t i = 0; i < ranks_.k; ++i) {
                members += ranks_.k - ranks_.first_member[i];
            }
            vector_words_ = members * (n_summed() + 2);
            next_vector_ = reinterpret_cast<double*>(vectors_.allocate(vector_words_));
        }
    }

    // The members of a row that another block evaluates.
    void copy_from_source(std::size_t i, Cell* row) {
        const std::size_t end = std::min<std::size_t>(ranks_.first_member[i], ranks_.k);
        if (end <= i) {
            return;
        }
        const auto& source = ranks_.source[i];
        const Cell* const from =
            sides_[2 * source.split + (source.is_left ? 0 : 1)]->row(source.row) + source.row;
        std::copy_n(from, end - i, row + i);
        for (std::size_t j = i; j < end; ++j) {
            columns_[j * ranks_.k + i] = row[j];
        }
    }

    // Adds the splits on the inner feature to a member's sum.
    void split_inside(const Triangle& own, std::size_t i, std::size_t j) {
        const auto [from, end] = ranks_.inner_splits(i, j);
        if (from >= end) {
            return;
        }
        std::fill(inner_sum_.begin(), inner_sum_.end(), 0.0);
        const Cell* const row = own.row(i);
        const Cell* const column = columns_.data() + j * ranks_.k + 1;
        if (!s_.is_excluded(s_.inner)) {
            if constexpr (kVector) {
                products_.add_pairs(row, column, from, end, n_summed(), inner_sum_.data());
            } else {
                for (std::size_t m = from; m < end; ++m) {
                    add_term<kSum>(row[m] * column[m], inner_sum_[0]);
                }
            }
        }
        fold(s_.inner, static_cast<std::uint32_t>(end - from), inner_sum_.data(),
             i * ranks_.k + j);
    }

    Cell value_of(std::size_t member, Sizes sizes) {
        const bool splits = member_splits_.number(member) > 0;
        const double factor = member_splits_.common(member);
        const double* const sum = sums_.data() + member * length();
        const double leaf = leaf_value(leaf_model_, s_.likelihood, s_.log_scale, leaf_.data(),
                                       data_rows(sizes));
        if constexpr (kVector) {
            double* const out = next_vector_;
            next_vector_ += n_summed() + 2;
            for (std::size_t t = 0; t < n_depths_; ++t) {
                out[t] = combine(by_depth_.nodes[t], leaf, splits, factor * sum[t]);
            }
            out[n_summed()] = out[n_depths_ - 1];
            out[n_summed() + 1] = s_.log_scale * static_cast<double>(data_rows(sizes));
            return out;
        } else {
            return combine(by_depth_.nodes[0], leaf, splits, factor * *sum);
        }
    }

    double combine(const DepthGrammar::Node& node, double leaf, bool splits, double sum) {
        double value = splits ? node.leaf * leaf : node.leaf_alone * leaf;
        if (splits && node.split > 0.0) {
            add_term<kSum>(node.split * sum, value);
        }
        // Without a feature, values may be arbitrarily small: the loss is less than 2^-170 of a
        // value that was well inside the range with the feature.
        const bool any = kSum == Sum::count || s_.excluded >= 0;
        in_range_ = in_range_ && (any || (value >= kTiny && value <= kHuge));
        return value;
    }

    std::size_t length() const {
        if constexpr (kVector) {
            return n_depths_;
        } else {
            return 1;
        }
    }

    const IntervalSetting& s_;
    const DepthGrammar& by_depth_;
    const LeafModel& leaf_model_;
    Products products_;
    BlockRanks ranks_;
    MemberSplits member_splits_;
    Pool& triangles_;
    Pool& vectors_;
    std::size_t n_depths_, n_statistics_;
    std::uint64_t min_leaf_;
    // Of the block at hand.
    std::span<const BoxSplit> splits_;
    const Triangle* const* sides_ = nullptr;
    // By rank; by member (i * k + j), times the depths for sums.
    std::vector<double> statistics_, leaf_, sums_, of_feature_, inner_sum_;
    std::vector<std::uint32_t> n_of_feature_;
    std::vector<Cell> columns_;  // (i, j) at j * k + i
    std::vector<Key> keys_;
    std::uint64_t n_items_ = 0, n_edges_ = 0;
    std::size_t vector_words_ = 0;
    double* next_vector_ = nullptr;
    bool in_range_ = true;
};

}  // namespace slp::exact
