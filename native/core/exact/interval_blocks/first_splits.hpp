// Under the measure `partition`: which splits of a block's members count. Of those that part the rows
// of a member alike it is the first in canonical order.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exact/interval_blocks/ranks.hpp"
#include "exact/interval_blocks/setting.hpp"
#include "problem/geometry.hpp"

namespace slp::exact {

// All of it is scratch that the next block overwrites.
class FirstSplits {
public:
    explicit FirstSplits(const IntervalSetting& setting) : s_(setting) {}

    // splits: those of a block on outer features.
    void find(BlockRanks& ranks, std::span<const BoxSplit> splits) {
        if (!s_.partitions()) {
            return;
        }
        k_ = ranks.k;
        n_splits_ = splits.size();
        find_sides(ranks, splits);
        is_first_.assign((n_splits_ + k_) * k_ * k_, false);
        const auto before = static_cast<std::size_t>(
            std::ranges::lower_bound(splits, s_.inner, {}, &BoxSplit::feature) - splits.begin());
        for (std::size_t i = 0; i < k_; ++i) {
            ++row_;
            n_seen_ = 0;
            add_outer(ranks, i, 0, before);
            add_inner(ranks, i);
            add_outer(ranks, i, before, n_splits_);
        }
    }

    // Weights of outer split `number` in the members (i, j): to out[j], from `from` on.
    void write_outer(std::size_t number, std::size_t i, std::size_t from, double* out) const {
        for (std::size_t j = from; j < k_; ++j) {
            out[j] = is_first_[at(number, i, j)] ? 1.0 : 0.0;
        }
    }
    // Weights of the inner splits m of member (i, j): to out[m].
    void write_inner(std::size_t i, std::size_t j, double* out) const {
        for (std::size_t m = i; m < j; ++m) {
            out[m] = is_first_[at(n_splits_ + m, i, j)] ? 1.0 : 0.0;
        }
    }

private:
    struct Side {
        Key key;
        std::uint32_t j = 0;
        std::uint64_t row = 0;
    };

    std::size_t at(std::size_t split, std::size_t i, std::size_t j) const {
        return (split * k_ + i) * k_ + j;
    }

    // Keys of all rows by rank, and of those that each split sends to the left.
    void find_sides(BlockRanks& ranks, std::span<const BoxSplit> splits) {
        keys_.assign(k_, Key{});
        left_.assign(n_splits_ * k_, Key{});
        start_.clear();
        for (std::size_t r = 0; r < ranks.rows.size(); ++r) {
            Key& key = keys_[ranks.rank_of_row[r]];
            key = key + s_.geometry.key_of(ranks.rows[r]);
        }
        for_each_feature(splits, [&](std::span<const BoxSplit> own, std::uint32_t first) {
            ranks.order_by(own.front().feature);
            const bool levels = ranks.feature().kind == FeatureKind::levels;
            for (std::uint32_t e = 0; e < own.size(); ++e) {
                ranks.find_start(own[e]);
                start_.insert(start_.end(), ranks.start.begin(),
                              ranks.start.begin() + static_cast<std::ptrdiff_t>(k_));
                for (std::size_t r = 0; r < ranks.rows.size(); ++r) {
                    const std::uint32_t code = ranks.feature().codes[ranks.rows[r]];
                    if (levels ? code == own[e].low : code <= own[e].low) {
                        Key& key = left_[(first + e) * k_ + ranks.rank_of_row[r]];
                        key = key + s_.geometry.key_of(ranks.rows[r]);
                    }
                }
            }
        });
    }

    void add_outer(const BlockRanks& ranks, std::size_t i, std::size_t first, std::size_t end) {
        for (std::size_t e = first; e < end; ++e) {
            const std::size_t from = std::max(start_[e * k_ + i], ranks.first_member[i]);
            Key left, whole;
            for (std::size_t j = i; j < k_; ++j) {
                left = left + left_[e * k_ + j];
                whole = whole + keys_[j];
                is_first_[at(e, i, j)] = j >= from && is_new(j, left, whole - left);
            }
        }
    }

    void add_inner(const BlockRanks& ranks, std::size_t i) {
        Key whole;
        for (std::size_t j = i; j < k_; ++j) {
            whole = whole + keys_[j];
            const auto [from, end] = ranks.inner_splits(i, j);
            Key left;
            for (std::size_t m = i; m < end && j >= ranks.first_member[i]; ++m) {
                left = left + keys_[m];
                is_first_[at(n_splits_ + m, i, j)] = m >= from && is_new(j, left, whole - left);
            }
        }
    }

    // Whether no split of the row's member j has had these sides.
    bool is_new(std::size_t j, Key left, Key right) {
        if (2 * (n_seen_ + 1) > seen_.size()) {
            grow();
        }
        const Key key = left < right ? left : right;
        Side& slot = slot_of(key, static_cast<std::uint32_t>(j));
        if (slot.row == row_) {
            return false;
        }
        slot = {key, static_cast<std::uint32_t>(j), row_};
        ++n_seen_;
        return true;
    }

    Side& slot_of(Key key, std::uint32_t j) {
        for (std::size_t at = key.a + j * 0x9e3779b97f4a7c15U;; ++at) {
            Side& slot = seen_[at & (seen_.size() - 1)];
            if (slot.row != row_ || (slot.j == j && slot.key == key)) {
                return slot;
            }
        }
    }

    void grow() {
        std::vector<Side> old(std::max<std::size_t>(1024, 2 * seen_.size()));
        old.swap(seen_);
        for (const Side& side : old) {
            if (side.row == row_) {
                slot_of(side.key, side.j) = side;
            }
        }
    }

    const IntervalSetting& s_;
    std::size_t k_ = 0, n_splits_ = 0;
    // By rank; by outer split and rank.
    std::vector<Key> keys_, left_;
    std::vector<std::uint32_t> start_;
    // By split, outer ones first, and member.
    std::vector<bool> is_first_;
    // A hash table of the sides that the members of one row of members have had. Slots of other rows
    // are free.
    std::vector<Side> seen_;
    std::uint64_t row_ = 0;
    std::size_t n_seen_ = 0;
};

}  // namespace slp::exact
