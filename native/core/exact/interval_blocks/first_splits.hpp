// The weights of splits in a block's members, for each measure class. Under the measure `partition`
// one split has weight 1 among those that a state takes over and that part the rows of a member
// alike: the first in canonical order. The others have weight 0.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "budget.hpp"
#include "exact/interval_blocks/member_splits.hpp"
#include "exact/interval_blocks/products.hpp"
#include "exact/interval_blocks/ranks.hpp"
#include "exact/interval_blocks/setting.hpp"
#include "exact/interval_blocks/state_vectors.hpp"
#include "problem/geometry.hpp"

namespace slp::exact {

// All of it is scratch that the next block overwrites.
class FirstSplits {
    // One bit for each measure class.
    using ClassSet = std::uint32_t;

public:
    static constexpr std::size_t kMostClasses = 32;

    FirstSplits(const IntervalSetting& setting, std::size_t most, Budget& budget)
        : s_(setting),
          charge_(budget),
          split_(setting, most),
          n_measure_classes_(setting.partitions() ? setting.grammar.n_measure_classes : 0),
          weights_(n_measure_classes_ * most) {
        for (std::uint32_t c = 0; c < setting.grammar.n_classes(); ++c) {
            ClassSet classes = 0;
            for (std::size_t q = 0; q < n_measure_classes_; ++q) {
                classes |= ClassSet{setting.grammar.takes_over(q, c)} << q;
            }
            taken_.push_back(classes);
        }
    }

    // splits: those of a block on outer features.
    void find(BlockRanks& ranks, std::span<const BoxSplit> splits) {
        if (!s_.partitions()) {
            return;
        }
        k_ = ranks.k;
        n_splits_ = splits.size();
        const std::size_t n_firsts = at(n_splits_ + k_, 0, 0);
        charge_.raise_to(n_firsts * sizeof(ClassSet) + n_splits_ * k_ * sizeof(Key) +
                         seen_.size() * sizeof(Sides));
        firsts_.assign(n_firsts, 0);
        find_outer(ranks, splits);
        const auto before = static_cast<std::size_t>(
            std::ranges::lower_bound(splits, s_.inner, {}, &BoxSplit::feature) - splits.begin());
        for (std::size_t i = 0; i < k_; ++i) {
            ++row_;
            n_seen_ = 0;
            keep_first_outer(ranks, i, 0, before);
            keep_first_inner(ranks, i);
            keep_first_outer(ranks, i, before, n_splits_);
        }
    }

    // The weights of the current split in the members (i, j), by j, from `from` on. `number` is the
    // number of the split among the outer ones of the block.
    SplitWeights weights(MemberSplits& split, std::size_t number, std::size_t i, std::size_t from) {
        if (!s_.partitions()) {
            return {split.weights(i, from)};
        }
        return write(from, k_, [&](std::size_t j) { return firsts_[at(number, i, j)]; });
    }
    // The weights of the inner splits m of member (i, j), by m. Only under `partition`.
    SplitWeights inner_weights(std::size_t i, std::size_t j) {
        return write(i, j, [&](std::size_t m) { return firsts_[at(n_splits_ + m, i, j)]; });
    }

private:
    // A member of a row of members and one way to part its rows, with the measure classes that take
    // a split over which does it.
    struct Sides {
        Key key;
        std::uint64_t row = 0;
        ClassSet classes = 0;
    };

    std::size_t at(std::size_t split, std::size_t i, std::size_t j) const {
        return split * (k_ * (k_ + 1) / 2) + triangle_cell(k_, i, j);
    }

    template <typename FirstsAt>
    SplitWeights write(std::size_t from, std::size_t end, FirstsAt firsts_at) {
        for (std::size_t x = from; x < end; ++x) {
            const ClassSet firsts = firsts_at(x);
            for (std::size_t q = 0; q < n_measure_classes_; ++q) {
                weights_[q * k_ + x] = static_cast<double>((firsts >> q) & 1);
            }
        }
        return {weights_.data(), k_};
    }

    // Keys by rank of the rows that each outer split sends to the left. Notes the measure classes
    // that take the split over in the members that have it.
    void find_outer(BlockRanks& ranks, std::span<const BoxSplit> splits) {
        left_.assign(n_splits_ * k_, Key{});
        for_each_feature(splits, [&](std::span<const BoxSplit> own, std::uint32_t first) {
            ranks.order_by(own.front().feature);
            for (std::uint32_t e = 0; e < own.size(); ++e) {
                split_.find(own[e], ranks);
                for (std::size_t i = 0; i < k_; ++i) {
                    split_.for_each(i, std::max(ranks.start[i], ranks.first_member[i]),
                                    [&](std::uint32_t c, std::size_t begin, std::size_t end) {
                                        std::fill_n(firsts_.begin() + at(first + e, i, begin),
                                                    end - begin, taken_[c]);
                                    });
                }
                const RowTest test = ranks.feature().test(own[e].cut);
                for (std::size_t r = 0; r < ranks.rows.size(); ++r) {
                    if (test.plain_goes_left(ranks.rows[r])) {
                        Key& key = left_[(first + e) * k_ + ranks.rank_of_row[r]];
                        key = key + s_.geometry.key_of(ranks.rows[r]);
                    }
                }
            }
        });
    }

    void keep_first_outer(const BlockRanks& ranks, std::size_t i, std::size_t first,
                          std::size_t end) {
        for (std::size_t e = first; e < end; ++e) {
            Key left, whole;
            for (std::size_t j = i; j < k_; ++j) {
                left = left + left_[e * k_ + j];
                whole = whole + ranks.keys[j];
                keep_first(firsts_[at(e, i, j)], j, left, whole - left);
            }
        }
    }

    void keep_first_inner(const BlockRanks& ranks, std::size_t i) {
        const Feature& inner = s_.problem.table.features[s_.inner];
        Key whole;
        for (std::size_t j = i; j < k_; ++j) {
            whole = whole + ranks.keys[j];
            if (j < ranks.first_member[i]) {
                continue;  // another block evaluates it
            }
            const auto [from, end] = ranks.inner_splits(i, j);
            Key left;
            for (std::size_t m = i; m < end; ++m) {
                left = left + ranks.keys[m];
                if (m >= from) {
                    const auto cell = static_cast<std::size_t>(inner.cell(
                        Cut::between(ranks.code_of_rank[m], ranks.code_of_rank[m + 1])));
                    ClassSet& classes = firsts_[at(n_splits_ + m, i, j)];
                    classes = taken_[s_.grammar.class_of_cell[cell]];
                    keep_first(classes, j, left, whole - left);
                }
            }
        }
    }

    // Leaves of the measure classes that take a split of member j over those that have had no split
    // with these sides.
    void keep_first(ClassSet& classes, std::size_t j, Key left, Key right) {
        if (classes == 0) {
            return;
        }
        if (2 * (n_seen_ + 1) > seen_.size()) {
            grow();
        }
        Key key = left < right ? left : right;
        key.a += j * 0x9e3779b97f4a7c15U;
        Sides& slot = slot_of(key);
        if (slot.row != row_) {
            slot = {key, row_, 0};
            ++n_seen_;
        }
        const ClassSet had = slot.classes;
        slot.classes |= classes;
        classes &= ~had;
    }

    Sides& slot_of(Key key) {
        for (std::size_t at = key.a;; ++at) {
            Sides& slot = seen_[at & (seen_.size() - 1)];
            if (slot.row != row_ || slot.key == key) {
                return slot;
            }
        }
    }

    void grow() {
        std::vector<Sides> old(std::max<std::size_t>(1024, 2 * seen_.size()));
        old.swap(seen_);
        for (const Sides& sides : old) {
            if (sides.row == row_) {
                slot_of(sides.key) = sides;
            }
        }
    }

    const IntervalSetting& s_;
    Charge charge_;
    MemberSplits split_;
    std::size_t n_measure_classes_, k_ = 0, n_splits_ = 0;
    std::vector<ClassSet> taken_;    // by split class
    std::vector<double> weights_;  // by measure class and rank
    std::vector<Key> left_;        // by outer split and rank
    // By split, outer ones first, and member: the measure classes in which it has weight 1.
    std::vector<ClassSet> firsts_;
    // A hash table of how the splits of one row of members part their rows. Slots of other rows are
    // free.
    std::vector<Sides> seen_;
    std::uint64_t row_ = 0;
    std::size_t n_seen_ = 0;
};

}  // namespace slp::exact
