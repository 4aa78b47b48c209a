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
#include "exact/block_grammar.hpp"
#include "exact/block_search.hpp"
#include "exact/interval_blocks/member_splits.hpp"
#include "exact/interval_blocks/products.hpp"
#include "exact/interval_blocks/ranks.hpp"
#include "exact/interval_blocks/setting.hpp"
#include "exact/interval_blocks/split_probabilities.hpp"
#include "exact/interval_blocks/state_vectors.hpp"
#include "exact/numbers.hpp"
#include "pool.hpp"
#include "problem/geometry.hpp"

namespace slp::exact {

template <Sum kSum, bool kVector>
class IntervalSums {
public:
    using Cell = MemberValue<kVector>;
    using Triangle = TriangleOf<Cell>;

    IntervalSums(const IntervalSetting& setting, Pool& triangles, Pool& vectors, Budget& budget)
        : s_(setting),
          grammar_(setting.grammar),
          products_(products<kSum>()),
          ranks_(setting.problem, setting.geometry, setting.inner),
          of_members_(setting, ranks_.most()),
          firsts_(setting, ranks_.most(), budget),
          split_(setting, ranks_.most()),
          inner_splits_(setting, ranks_.most(), firsts_),
          triangles_(triangles),
          vectors_(vectors),
          alike_(of_members_.features_are_alike()),
          any_value_(kSum == Sum::count || setting.task.excluded >= 0),
          leaf_(setting.problem.leaf.n_statistics()) {
        const std::size_t most = ranks_.most(), members = most * most;
        const std::size_t of_feature = alike_ ? 0 : members * length();
        keys_.resize(most + 1);
        sums_.resize(members * length());
        of_feature_.resize(of_feature);
        inner_sum_.resize(length());
        columns_.resize(members);
    }

    // Approximate bytes of the scratch memory.
    std::size_t bytes() const {
        return (sums_.size() + of_feature_.size() + columns_.size()) * sizeof(double) +
               of_members_.bytes();
    }

    // Evaluates a block. splits: those of its box on outer features. sides: left and right of each.
    // keep: called with the key and value of every member that is worked out here.
    template <typename Keep>
    Triangle* work_out(const Box& box, std::span<const BoxSplit> splits,
                       const Triangle* const* sides, Keep keep) {
        splits_ = splits;
        sides_ = sides;
        counts.n_items = counts.n_edges = 0;
        vector_words_ = 0;
        is_root_ = box.key == s_.task.root.key;
        ranks_.set_rows(box);
        auto* const own =
            reinterpret_cast<Triangle*>(triangles_.allocate(Triangle::words(ranks_.k)));
        own->k = static_cast<std::uint32_t>(ranks_.k);
        sum_outer();
        sum_by_rank();
        fill(*own, keep);
        return own;
    }

    // Frees the block that was evaluated last, and its vectors unless they are kept.
    void take_back(bool vectors) {
        triangles_.take_back(Triangle::words(ranks_.k));
        if (vectors) {
            vectors_.take_back(vector_words_);
        }
    }

    BlockCounts counts;  // of the members that were worked out in the last block

private:
    // --- outer splits ---

    void sum_outer() {
        const std::size_t k = ranks_.k;
        of_members_.clear(k);
        ranks_.find_sources(splits_, s_.task.excluded);
        firsts_.find(ranks_, splits_);
        clear(sums_);
        for_each_feature(splits_, [&](std::span<const BoxSplit> splits, std::uint32_t first) {
            const std::uint32_t feature = splits.front().feature;
            ranks_.order_by(feature);
            if (first == 0 || !alike_) {
                of_members_.begin(feature);
            }
            if (!alike_) {
                clear(of_feature_);
            }
            const bool excluded = s_.is_excluded(feature);
            const bool weighs = s_.weighs() || s_.partitions();
            for (std::uint32_t e = 0; e < splits.size(); ++e) {
                prefetch(first + e + 3);
                split_.find(splits[e], ranks_);
                if constexpr (!kVector) {
                    if (split_.is_one() && !weighs) {
                        add_plain_split(first + e, excluded);
                        continue;
                    }
                }
                for (std::size_t i = 0; i < k; ++i) {
                    const std::size_t from = std::max(ranks_.start[i], ranks_.first_member[i]);
                    if (from < k) {
                        const SplitWeights weights =
                            weighs ? firsts_.weights(split_, first + e, i, from) : SplitWeights{};
                        of_members_.count(i, from, split_, weights);
                        if (!excluded) {
                            add_split(first + e, i, from, weights);
                        }
                    }
                }
            }
            if (first + splits.size() == splits_.size() || !alike_) {
                of_members_.end();
                fold_feature();
            }
        });
    }

    // Clears the sums of all members that are worked out here.
    void clear(std::vector<double>& sums) const {
        const std::size_t k = ranks_.k;
        for (std::size_t i = 0; i < k; ++i) {
            const std::size_t from = std::min<std::size_t>(ranks_.first_member[i], k);
            std::fill_n(sums.begin() + static_cast<std::ptrdiff_t>((i * k + from) * length()),
                        (k - from) * length(), 0.0);
        }
    }

    // Prefetches the triangles of a later split, which are read row after row.
    void prefetch(std::size_t split) const {
        for (std::size_t side = 2 * split; side < 2 * std::min(split + 1, splits_.size());
             ++side) {
            prefetch_lines(sides_[side]);
        }
    }

    // Adds one split of the members (i, j) from j = `from` on.
    void add_split(std::size_t split, std::size_t i, std::size_t from, SplitWeights weights) {
        const std::size_t k = ranks_.k;
        const std::uint32_t* const last_l = ranks_.left_ranks.last.data();
        const std::uint32_t* const last_r = ranks_.right_ranks.last.data();
        const Cell* const row_l = sides_[2 * split]->row(ranks_.left_ranks.below[i]);
        const Cell* const row_r = sides_[2 * split + 1]->row(ranks_.right_ranks.below[i]);
        double* const row = (alike_ ? sums_ : of_feature_).data() + i * k * length();
        const auto of_class = [&](std::uint32_t c, std::size_t begin, std::size_t end) {
            if constexpr (kVector) {
                const auto add = [&](std::span<const BlockGrammar::Run> runs, std::size_t first) {
                    products_.add_rows({row_l, last_l}, {row_r, last_r}, first, end,
                                       {runs, grammar_.weights.data()}, weights, length(),
                                       row + first * length());
                };
                const std::span<const BlockGrammar::Run> own = grammar_.runs_of(c);
                add(own, begin);
                if (is_root_ && i == 0 && end == k) {
                    add(grammar_.runs_of(c, true).subspan(own.size()), k - 1);
                }
            } else if (!grammar_.runs_of(c).empty()) {
                add_products(row_l, last_l, row_r, last_r, weights.data, begin, end, row);
            }
        };
        if (split_.is_one()) {
            of_class(split_.one(), from, k);
        } else {
            split_.for_each(i, from, of_class);
        }
    }

    // Adds one split that has the same class in all members, and weight 1. Most programs have no
    // others, and most rows are short: so what does not depend on the row is looked up before.
    void add_plain_split(std::size_t split, bool excluded) {
        const std::size_t k = ranks_.k;
        const Triangle* const left = sides_[2 * split];  // null where the feature is excluded
        const Triangle* const right = sides_[2 * split + 1];
        const std::uint32_t* const last_l = ranks_.left_ranks.last.data();
        const std::uint32_t* const last_r = ranks_.right_ranks.last.data();
        const std::uint32_t* const below_l = ranks_.left_ranks.below.data();
        const std::uint32_t* const below_r = ranks_.right_ranks.below.data();
        const std::uint32_t* const start = ranks_.start.data();
        const std::uint32_t* const first_member = ranks_.first_member.data();
        double* const sums = (alike_ ? sums_ : of_feature_).data();
        const bool adds = !excluded && !grammar_.runs_of(split_.one()).empty();
        for (std::size_t i = 0; i < k; ++i) {
            const std::size_t from = std::max(start[i], first_member[i]);
            if (from < k) {
                of_members_.count(i, from, split_, {});
                if (adds) {
                    add_products(left->row(below_l[i]), last_l, right->row(below_r[i]), last_r,
                                 nullptr, from, k, sums + i * k);
                }
            }
        }
    }

    // Adds weights * left * right for members j from `begin` to end - 1. It is a function of its
    // own, so that the compiler knows that the sums are apart from what is read.
    static void add_products(const double* __restrict left, const std::uint32_t* __restrict last_l,
                             const double* __restrict right,
                             const std::uint32_t* __restrict last_r,
                             const double* __restrict weights, std::size_t begin, std::size_t end,
                             double* __restrict sums) {
        if (weights == nullptr) {
            for (std::size_t j = begin; j < end; ++j) {
                add_term<kSum>(left[last_l[j]] * right[last_r[j]], sums[j]);
            }
        } else {
            for (std::size_t j = begin; j < end; ++j) {
                add_term<kSum>(weights[j] * (left[last_l[j]] * right[last_r[j]]), sums[j]);
            }
        }
    }

    // --- the measure ---

    // Adds a feature's sums to those of all features. Where features are alike, the sums are there.
    void fold_feature() {
        const std::size_t k = ranks_.k;
        for (std::size_t i = 0; i < k; ++i) {
            const std::size_t begin = i * k + ranks_.first_member[i], end = (i + 1) * k;
            if (alike_) {
                of_members_.add_alike(begin, end);
            } else {
                for (std::size_t at = begin; at < end; ++at) {
                    fold(of_feature_.data() + at * length(), at);
                }
            }
        }
    }

    void fold(const double* __restrict sum, std::size_t member) {
        if (!of_members_.add(member)) {
            return;
        }
        double* const __restrict to = sums_.data() + member * length();
        for (const BlockGrammar::Segment& segment : grammar_.segments) {
            const double factor = of_members_.factor(segment.measure_class);
            for (std::size_t s = segment.begin; s < segment.end; ++s) {
                add_term<kSum>(factor * sum[s], to[s]);
            }
        }
    }

    // --- members ---

    void sum_by_rank() {
        statistics_.assign(ranks_.k * leaf_.size(), 0.0);
        for (std::size_t r = 0; r < ranks_.rows.size(); ++r) {
            s_.problem.leaf.add(ranks_.rows[r],
                                statistics_.data() + ranks_.rank_of_row[r] * leaf_.size());
        }
        for (std::size_t i = 0; i < ranks_.k; ++i) {
            keys_[i + 1] = keys_[i] + ranks_.keys[i];
        }
    }

    // Goes through the members from short to long, splits them on the inner feature too, and writes
    // their values.
    template <typename Keep>
    void fill(Triangle& own, Keep keep) {
        const std::size_t k = ranks_.k;
        const auto least = static_cast<std::uint64_t>(s_.problem.grammar.min_leaf);
        inner_splits_.find(ranks_);
        of_members_.begin(s_.inner);
        allocate_vectors();
        for (std::size_t i = k; i-- > 0;) {
            Cell* const row = own.row(i);
            copy_from_source(i, row);
            Sizes sizes = 0;
            std::fill(leaf_.begin(), leaf_.end(), 0.0);
            for (std::size_t j = i; j < k; ++j) {
                sizes += ranks_.sizes[j];
                for (std::size_t c = 0; c < leaf_.size(); ++c) {
                    leaf_[c] += statistics_[j * leaf_.size() + c];
                }
                // No split has a side with fewer rows than a leaf must have.
                if (j < ranks_.first_member[i] || (data_rows(sizes) < least && !is_root_)) {
                    continue;
                }
                split_inside(own, i, j);
                row[j] = value_of(i * k + j, sizes);
                columns_[j * k + i] = row[j];
                counts.n_items += 1;
                counts.n_edges += of_members_.n_splits(i * k + j) + 1;
                keep(keys_[j + 1] - keys_[i], row[j]);
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
            vector_words_ = members * length();
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
        const Cell* const from = sides_[source.side]->row(source.row) + source.row;
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
        const Cell* const row = own.row(i);
        const Cell* const column = columns_.data() + j * ranks_.k + 1;
        const std::size_t member = i * ranks_.k + j;
        if constexpr (!kVector) {
            if (alike_) {
                of_members_.add_splits(member, static_cast<std::int32_t>(end - from));
                const std::uint32_t c = grammar_.first_class[s_.inner];
                if (!s_.is_excluded(s_.inner) && !grammar_.runs_of(c).empty()) {
                    double sum = 0.0;
                    for (std::size_t m = from; m < end; ++m) {
                        add_term<kSum>(row[m] * column[m], sum);
                    }
                    add_term<kSum>(sum, sums_[member]);
                }
                return;
            }
        }
        std::fill(inner_sum_.begin(), inner_sum_.end(), 0.0);
        inner_splits_.count(of_members_, i, j, ranks_.k, from, end);
        const SplitWeights weights = inner_splits_.weights_of(i, j);
        const bool is_whole = is_root_ && i == 0 && j + 1 == ranks_.k;
        const auto add = [&](std::uint32_t c, std::size_t begin, std::size_t to) {
            if constexpr (kVector) {
                products_.add_pairs(row, column, begin, to,
                                    {grammar_.runs_of(c, is_whole), grammar_.weights.data()},
                                    weights, inner_sum_.data());
            } else if (!grammar_.runs_of(c).empty()) {
                double sum = inner_sum_[0];  // In a register: the loop would store it each time.
                for (std::size_t m = begin; m < to; ++m) {
                    const double x = row[m] * column[m];
                    add_term<kSum>(weights.data == nullptr ? x : weights.data[m] * x, sum);
                }
                inner_sum_[0] = sum;
            }
        };
        if (!s_.is_excluded(s_.inner)) {
            inner_splits_.for_each(from, end, add);
        }
        fold(inner_sum_.data(), member);
    }

    Cell value_of(std::size_t member, Sizes sizes) {
        double one = 0.0, *out = &one;
        if constexpr (kVector) {
            out = next_vector_;
            next_vector_ += length();
        }
        const bool is_whole = is_root_ && member + 1 == ranks_.k;
        const bool inside = write_values<kSum>(
            grammar_, s_.leaf(leaf_, sizes), leaf_, is_whole,
            [&](std::uint32_t q) { return of_members_.common(q, member); },
            sums_.data() + member * length(), length(), out);
        counts.in_range = counts.in_range && (any_value_ || inside);
        if constexpr (kVector) {
            return out;
        } else {
            return one;
        }
    }

    std::size_t length() const { return StateVectors<kVector>(grammar_).length(); }

    const IntervalSetting& s_;
    const BlockGrammar& grammar_;
    Products products_;
    BlockRanks ranks_;
    MemberProbabilities of_members_;
    FirstSplits firsts_;
    MemberSplits split_;
    InnerSplits inner_splits_;
    Pool& triangles_;
    Pool& vectors_;
    bool alike_;
    bool any_value_;
    // For the block at hand.
    std::span<const BoxSplit> splits_;
    const Triangle* const* sides_ = nullptr;
    bool is_root_ = false;
    // By rank; by member (i * k + j), times the states for sums.
    std::vector<double> leaf_, statistics_, sums_, of_feature_, inner_sum_;
    std::vector<Cell> columns_;  // (i, j) at j * k + i
    std::vector<Key> keys_;  // of the rows below each rank
    std::size_t vector_words_ = 0;
    double* next_vector_ = nullptr;
};

}  // namespace slp::exact
