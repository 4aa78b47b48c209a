// A block's rows by the ranks of their inner values, and what outer splits do to them.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "exact/interval_blocks/side_ranks.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"

namespace slp::exact {

// The rows of one block by inner ranks, and what its outer splits do to them. All of it is scratch
// that the next block overwrites.
class BlockRanks {
public:
    BlockRanks(const Problem& problem, const Geometry& geometry, std::uint32_t inner)
        : problem_(problem),
          geometry_(geometry),
          inner_(problem.table.features[inner]),
          most_(std::min<std::size_t>(static_cast<std::size_t>(inner_.n_codes),
                                      problem.table.n_rows)),
          rank_of_code_(static_cast<std::size_t>(inner_.n_codes)),
          least_code_(most_),
          largest_code_(most_),
          next_a_(most_),
          next_b_(most_),
          levels_(most_),
          sizes(most_),
          left(most_),
          keys(most_),
          code_of_rank(most_),
          start(most_),
          first_member(most_),
          source(most_),
          left_ranks(most_),
          right_ranks(most_) {}

    // A side: number 2 * split or, right, one more. A row of its triangle.
    struct Source {
        std::uint32_t side, row;
    };

    std::size_t most() const { return most_; }
    // The feature of the last `order_by`.
    const Feature& feature() const { return *feature_; }
    std::uint32_t feature_number() const {
        return static_cast<std::uint32_t>(feature_ - problem_.table.features.data());
    }

    void set_rows(const Box& box) {
        rows = box.rows;
        k = 0;
        std::uint32_t low = inner_.codes[rows.front()], high = low;
        for (const std::uint32_t row : rows) {
            rank_of_code_[inner_.codes[row]] = 1;
            low = std::min(low, inner_.codes[row]);
            high = std::max(high, inner_.codes[row]);
        }
        for (std::uint32_t code = low; code <= high; ++code) {
            if (rank_of_code_[code] != 0) {
                code_of_rank[k] = code;
                rank_of_code_[code] = static_cast<std::uint32_t>(k++);
            }
        }
        rank_of_row.resize(rows.size());
        std::fill_n(sizes.begin(), k, Sizes{0});
        std::fill_n(keys.begin(), k, Key{});
        for (std::size_t r = 0; r < rows.size(); ++r) {
            const std::uint32_t rank = rank_of_code_[inner_.codes[rows[r]]];
            rank_of_row[r] = rank;
            sizes[rank] += geometry_.sizes_of(rows[r]);
            keys[rank] = keys[rank] + geometry_.key_of(rows[r]);
        }
        for (const std::uint32_t row : rows) {
            rank_of_code_[inner_.codes[row]] = 0;
        }
        std::iota(first_member.begin(), first_member.begin() + static_cast<std::ptrdiff_t>(k), 0U);
    }

    // Rows with their codes of a feature, codes ascending; of a `single` one also where they are
    // met first.
    void order_by(std::uint32_t feature) {
        feature_ = &problem_.table.features[feature];
        const auto n_codes = static_cast<std::size_t>(feature_->n_codes);
        order_.resize(rows.size());
        if (n_codes <= 2 * rows.size()) {  // counting is faster than sorting
            place_.assign(n_codes + 1, 0U);
            for (const std::uint32_t row : rows) {
                ++place_[feature_->codes[row] + 1];
            }
            std::partial_sum(place_.begin(), place_.end(), place_.begin());
            for (std::size_t r = 0; r < rows.size(); ++r) {
                const std::uint64_t code = feature_->codes[rows[r]];
                order_[place_[code]++] = code << 32 | r;
            }
        } else {
            for (std::size_t r = 0; r < rows.size(); ++r) {
                order_[r] = std::uint64_t{feature_->codes[rows[r]]} << 32 | r;
            }
            std::sort(order_.begin(), order_.end());
        }
        next_row_ = 0;
        std::fill_n(left.begin(), k, Sizes{0});
        if (feature_->single()) {
            levels_.find(k, order_, rank_of_row);
        }
    }

    // Members that are not evaluated here: those that lie completely on one side of one of these
    // splits, which are those on outer features. excluded: a feature whose splits are left out.
    // Comes before `order_by`, as it overwrites `left`.
    void find_sources(std::span<const BoxSplit> splits, std::int32_t excluded = -1) {
        for (std::uint32_t e = 0; e < splits.size(); ++e) {
            const std::uint32_t f = splits[e].feature, low = splits[e].cut.last_left();
            if (static_cast<std::int32_t>(f) == excluded) {
                continue;
            }
            // The first threshold has the largest right side, the last one the largest left side.
            const Feature& feature = problem_.table.features[f];
            const bool single = feature.single();
            const bool first = e == 0 || splits[e - 1].feature != f;
            const bool last = e + 1 == splits.size() || splits[e + 1].feature != f;
            const auto note = [&](auto on_left, auto on_right) {
                if (single || first) {
                    note_source(2 * e + 1, on_left, on_right);
                }
                if (single || last) {
                    note_source(2 * e, on_right, on_left);
                }
            };
            if (!single) {  // one look at the rows is enough for all thresholds
                if (first) {
                    find_code_ranges(feature);
                }
                note([&](std::size_t i) { return least_code_[i] <= low; },
                     [&](std::size_t i) { return largest_code_[i] > low; });
            } else {
                count_left(splits[e]);
                note([&](std::size_t i) { return left[i] != 0; },
                     [&](std::size_t i) { return left[i] != sizes[i]; });
            }
        }
    }

    // Makes `start`: member (i, j) has this split as one of its own from j = start[i] on. The
    // splits of a feature come in order, after `order_by`.
    void find_start(const BoxSplit& split) {
        const bool single = feature_->single();
        if (single) {
            count_left(split);
            find_next(k, next_a_, [&](std::size_t i) { return left[i] != 0; });
        } else {
            const std::uint32_t low = split.cut.last_left();
            std::size_t from = next_row_;
            for (; next_row_ < order_.size() && order_[next_row_] >> 32 <= low;
                 ++next_row_) {
                const auto r = static_cast<std::uint32_t>(order_[next_row_]);
                left[rank_of_row[r]] += geometry_.sizes_of(rows[r]);
                from = order_[next_row_] >> 32 < low ? next_row_ + 1 : from;
            }
            // Two thresholds with nothing between them are one split, the lower.
            std::fill_n(next_a_.begin(), k, 0U);
            for (std::size_t at = from; at < next_row_; ++at) {
                next_a_[rank_of_row[static_cast<std::uint32_t>(order_[at])]] = 1;
            }
            find_next(k, next_a_, [&](std::size_t i) { return next_a_[i] != 0; });
        }
        find_next(k, next_b_, [&](std::size_t i) { return left[i] != sizes[i]; });
        for (std::size_t i = 0; i < k; ++i) {
            start[i] = std::max(next_a_[i], next_b_[i]);
        }
        if (single) {
            levels_.skip_second_of_pairs(k, split.cut.code(), start);
        }
        const auto least = static_cast<std::uint64_t>(problem_.grammar.min_leaf);
        if (least > 1) {
            keep_least(least);
        }
        left_ranks.find(k, [&](std::size_t i) { return left[i] != 0; });
        right_ranks.find(k, [&](std::size_t i) { return left[i] != sizes[i]; });
    }

    // After `find_start` of a level: see LevelRanks.
    LevelRanks::Pair pair(std::size_t i, std::uint32_t level) const {
        return levels_.pair(k, i, level);
    }

    // After `find_start` of a threshold: for every rank the first from there on with a code above
    // the split's, up to `high`.
    void find_right(std::uint32_t high, std::vector<std::uint32_t>& out) {
        std::fill_n(out.begin(), k, 0U);
        for (std::size_t at = next_row_; at < order_.size() && order_[at] >> 32 <= high; ++at) {
            out[rank_of_row[static_cast<std::uint32_t>(order_[at])]] = 1;
        }
        find_next(k, out, [&](std::size_t i) { return out[i] != 0; });
    }

    // After `find_start` of a threshold: of every rank the least code above the split's; UINT32_MAX
    // where there is none.
    void find_codes_above(std::vector<std::uint32_t>& out) const {
        std::fill_n(out.begin(), k, UINT32_MAX);
        for (std::size_t at = next_row_; at < order_.size(); ++at) {
            std::uint32_t& code = out[rank_of_row[static_cast<std::uint32_t>(order_[at])]];
            code = std::min(code, static_cast<std::uint32_t>(order_[at] >> 32));
        }
    }
    // The largest code of the feature in the block.
    std::uint32_t largest() const { return static_cast<std::uint32_t>(order_.back() >> 32); }

    // The inner splits of member (i, j): their left sides end with ranks from `first` to `second`
    // - 1.
    std::pair<std::size_t, std::size_t> inner_splits(std::size_t i, std::size_t j) const {
        const auto least = static_cast<std::uint64_t>(problem_.grammar.min_leaf);
        std::size_t from = i, end = j;
        if (least > 1) {
            std::uint64_t in_left = 0, in_right = 0;
            for (; from < j && (in_left += data_rows(sizes[from])) < least; ++from) {
            }
            for (; end > i && (in_right += data_rows(sizes[end])) < least; --end) {
            }
        }
        return {from, end};
    }

private:
    // Of every rank the least and the largest code of a feature.
    void find_code_ranges(const Feature& feature) {
        std::fill_n(least_code_.begin(), k, UINT32_MAX);
        std::fill_n(largest_code_.begin(), k, 0U);
        for (std::size_t r = 0; r < rows.size(); ++r) {
            const std::uint32_t code = feature.codes[rows[r]], rank = rank_of_row[r];
            least_code_[rank] = std::min(least_code_[rank], code);
            largest_code_[rank] = std::max(largest_code_[rank], code);
        }
    }

    void count_left(const BoxSplit& split) {
        const RowTest test = problem_.table.features[split.feature].test(split.cut);
        std::fill_n(left.begin(), k, Sizes{0});
        for (std::size_t r = 0; r < rows.size(); ++r) {
            if (test.plain_goes_left(rows[r])) {
                left[rank_of_row[r]] += geometry_.sizes_of(rows[r]);
            }
        }
    }

    // A member without any rank at which `needed` holds lies in this side, of ranks `on_side`.
    template <typename Needed, typename OnSide>
    void note_source(std::uint32_t side, Needed needed, OnSide on_side) {
        find_next(k, next_a_, needed);
        std::uint32_t below = 0;
        for (std::size_t i = 0; i < k; ++i) {
            if (next_a_[i] > first_member[i]) {
                first_member[i] = next_a_[i];
                source[i] = {side, below};
            }
            below += on_side(i) ? 1 : 0;
        }
    }

    // Both sides keep `least` rows of the data from some j on.
    void keep_least(std::uint64_t least) {
        std::uint64_t in_left = 0, in_right = 0;
        std::size_t end = 0;  // counted are the ranks from i to end - 1
        for (std::size_t i = 0; i < k; ++i) {
            while (end < k && (in_left < least || in_right < least)) {
                in_left += data_rows(left[end]);
                in_right += data_rows(sizes[end]) - data_rows(left[end]);
                ++end;
            }
            const bool enough = in_left >= least && in_right >= least;
            const auto from = static_cast<std::uint32_t>(enough ? end - 1 : k);
            start[i] = std::max(start[i], from);
            in_left -= data_rows(left[i]);
            in_right -= data_rows(sizes[i]) - data_rows(left[i]);
        }
    }

    const Problem& problem_;
    const Geometry& geometry_;
    const Feature& inner_;
    const Feature* feature_ = nullptr;
    std::size_t most_;
    std::vector<std::uint32_t> rank_of_code_, least_code_, largest_code_, next_a_, next_b_, place_;
    std::vector<std::uint64_t> order_;
    std::size_t next_row_ = 0;
    LevelRanks levels_;

public:
    std::size_t k = 0;
    std::span<const std::uint32_t> rows;
    std::vector<std::uint32_t> rank_of_row;
    // By rank: sizes of all rows, and of those on the left of the current split.
    std::vector<Sizes> sizes, left;
    std::vector<Key> keys;  // by rank: of all rows
    std::vector<std::uint32_t> code_of_rank, start;
    // By rank i: members (i, j) are evaluated here from j = first_member[i] on; those before are
    // copied from `source[i]`.
    std::vector<std::uint32_t> first_member;
    std::vector<Source> source;
    SideRanks left_ranks, right_ranks;
};

}  // namespace slp::exact
