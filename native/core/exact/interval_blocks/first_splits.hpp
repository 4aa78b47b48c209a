// The weights of splits in a block's members, for each share class. Under the measure `partition` the
// first in canonical order of the splits that the states take over and that part the rows of a member
// alike has weight 1, the others have 0.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exact/interval_blocks/member_splits.hpp"
#include "exact/interval_blocks/products.hpp"
#include "exact/interval_blocks/ranks.hpp"
#include "exact/interval_blocks/setting.hpp"
#include "problem/geometry.hpp"

namespace slp::exact {

// All of it is scratch that the next block overwrites.
class FirstSplits {
public:
    FirstSplits(const IntervalSetting& setting, std::size_t most)
        : s_(setting),
          grammar_(setting.grammar),
          split_(setting, most),
          n_shares_(setting.partitions() ? setting.grammar.n_shares : 0),
          weights_(n_shares_ * most) {}

    // splits: those of a block on outer features.
    void find(BlockRanks& ranks, std::span<const BoxSplit> splits) {
        if (!s_.partitions()) {
            return;
        }
        k_ = ranks.k;
        n_splits_ = splits.size();
        counts_.assign(n_shares_ * (n_splits_ + k_) * k_ * k_, false);
        find_sides(ranks, splits);
        note_inner(ranks);
        const auto before = static_cast<std::size_t>(
            std::ranges::lower_bound(splits, s_.inner, {}, &BoxSplit::feature) - splits.begin());
        for (std::size_t q = 0; q < n_shares_; ++q) {
            for (std::size_t i = 0; i < k_; ++i) {
                ++row_;
                n_seen_ = 0;
                keep_first_outer(q, i, 0, before);
                keep_first_inner(q, i);
                keep_first_outer(q, i, before, n_splits_);
            }
        }
    }

    // Of the current split, outer one `number` of the block, in the members (i, j): by j, from `from`
    // on.
    SplitWeights weights(MemberSplits& split, std::size_t number, std::size_t i, std::size_t from) {
        if (!s_.partitions()) {
            return {split.weights(i, from)};
        }
        return write(from, k_, [&](std::size_t q, std::size_t j) { return at(q, number, i, j); });
    }
    // Of the inner splits m of member (i, j): by m. Under `partition` alone.
    SplitWeights inner_weights(std::size_t i, std::size_t j) {
        return write(i, j, [&](std::size_t q, std::size_t m) { return at(q, n_splits_ + m, i, j); });
    }

private:
    struct Side {
        Key key;
        std::uint32_t j = 0;
        std::uint64_t row = 0;
    };

    std::size_t at(std::size_t q, std::size_t split, std::size_t i, std::size_t j) const {
        return ((q * (n_splits_ + k_) + split) * k_ + i) * k_ + j;
    }

    template <typename At>
    SplitWeights write(std::size_t from, std::size_t end, At at_of) {
        for (std::size_t q = 0; q < n_shares_; ++q) {
            for (std::size_t x = from; x < end; ++x) {
                weights_[q * k_ + x] = counts_[at_of(q, x)] ? 1.0 : 0.0;
            }
        }
        return {weights_.data(), k_};
    }

    // Keys of all rows by rank, and of those that each outer split sends to the left; notes which
    // members have the split, if their states take it over.
    void find_sides(BlockRanks& ranks, std::span<const BoxSplit> splits) {
        keys_.assign(k_, Key{});
        left_.assign(n_splits_ * k_, Key{});
        for (std::size_t r = 0; r < ranks.rows.size(); ++r) {
            Key& key = keys_[ranks.rank_of_row[r]];
            key = key + s_.geometry.key_of(ranks.rows[r]);
        }
        for_each_feature(splits, [&](std::span<const BoxSplit> own, std::uint32_t first) {
            ranks.order_by(own.front().feature);
            const bool levels = ranks.feature().kind == FeatureKind::levels;
            for (std::uint32_t e = 0; e < own.size(); ++e) {
                split_.find(own[e], ranks);
                for (std::size_t i = 0; i < k_; ++i) {
                    split_.for_each(i, std::max(ranks.start[i], ranks.first_member[i]),
                                    [&](std::uint32_t c, std::size_t begin, std::size_t end) {
                                        for (std::size_t j = begin; j < end; ++j) {
                                            note(first + e, i, j, c);
                                        }
                                    });
                }
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

    void note(std::size_t split, std::size_t i, std::size_t j, std::uint32_t of_class) {
        for (std::size_t q = 0; q < n_shares_; ++q) {
            counts_[at(q, split, i, j)] = grammar_.takes_over(q, of_class);
        }
    }

    void note_inner(const BlockRanks& ranks) {
        const Feature& inner = s_.problem.table.features[s_.inner];
        for (std::size_t m = 0; m + 1 < k_; ++m) {
            const std::uint32_t own = grammar_.class_of_cell[static_cast<std::size_t>(
                s_.geometry.cell(inner, ranks.code_of_rank[m], ranks.code_of_rank[m + 1]))];
            for (std::size_t i = 0; i <= m; ++i) {
                for (std::size_t j = std::max<std::size_t>(m + 1, ranks.first_member[i]); j < k_;
                     ++j) {
                    if (const auto [from, end] = ranks.inner_splits(i, j); from <= m && m < end) {
                        note(n_splits_ + m, i, j, own);
                    }
                }
            }
        }
    }

    void keep_first_outer(std::size_t q, std::size_t i, std::size_t first, std::size_t end) {
        for (std::size_t e = first; e < end; ++e) {
            Key left, whole;
            for (std::size_t j = i; j < k_; ++j) {
                left = left + left_[e * k_ + j];
                whole = whole + keys_[j];
                keep_first(at(q, e, i, j), j, left, whole);
            }
        }
    }

    void keep_first_inner(std::size_t q, std::size_t i) {
        Key whole;
        for (std::size_t j = i; j < k_; ++j) {
            whole = whole + keys_[j];
            Key left;
            for (std::size_t m = i; m < j; ++m) {
                left = left + keys_[m];
                keep_first(at(q, n_splits_ + m, i, j), j, left, whole);
            }
        }
    }

    void keep_first(std::size_t at, std::size_t j, Key left, Key whole) {
        counts_[at] = counts_[at] && is_new(j, left, whole - left);
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
    const BlockGrammar& grammar_;
    MemberSplits split_;
    std::size_t n_shares_, k_ = 0, n_splits_ = 0;
    std::vector<double> weights_;  // by share class and rank
    // By rank; by outer split and rank.
    std::vector<Key> keys_, left_;
    // By share class, split (outer ones first) and member, whether it counts.
    std::vector<bool> counts_;
    // A hash table of the sides that the members of one row of members have had. Slots of other rows
    // are free.
    std::vector<Side> seen_;
    std::uint64_t row_ = 0;
    std::size_t n_seen_ = 0;
};

}  // namespace slp::exact
