// The families on both sides of one family's outer splits: their values, and what waits there.

#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exact/family_triangle.hpp"
#include "exact/family_waiting.hpp"
#include "exact/geometry.hpp"
#include "exact/memo.hpp"

namespace slp::exact {

// A side is number 2 * split or, right, one more.
template <bool kVector>
class FamilySides {
public:
    using Triangle = FamilyTriangle<FamilyCell<kVector>>;
    using Waiting = WaitingFamily<kVector>;

    // found: where the families' triangles are, by key.
    FamilySides(const Geometry& geometry, const Memo& found, WaitingFamilies<kVector>& waiting)
        : geometry_(geometry), found_(found), waiting_(waiting) {}

    const Triangle* triangle_of(Key key) const {
        return std::bit_cast<const Triangle*>(*found_.find(key));
    }

    // Each step asks for what the next one needs, which lies anywhere in memory.
    void find(const Box& box, std::span<const BoxSplit> splits) {
        box_ = box;
        splits_ = splits;
        values_.resize(2 * splits.size());
        for (const BoxSplit& split : splits) {
            found_.prefetch(split.left);
            found_.prefetch(box.key - split.left);
        }
        for (std::size_t e = 0; e < splits.size(); ++e) {
            values_[2 * e] = triangle_of(splits[e].left);
            values_[2 * e + 1] = triangle_of(box.key - splits[e].left);
            __builtin_prefetch(values_[2 * e]);
            __builtin_prefetch(values_[2 * e + 1]);
        }
        for (const Triangle* const values : values_) {
            waiting_.prefetch(*values);
        }
        families_.clear();
        for (const Triangle* const values : values_) {
            families_.push_back(waiting_.find(*values));
            __builtin_prefetch(families_.back());
        }
    }

    const Triangle& values(std::size_t side) const { return *values_[side]; }

    Waiting& family(std::uint32_t side) {
        Waiting*& family = families_[side];
        if (family == nullptr) {
            const Triangle* const values = values_[side];
            family = waiting_.find(*values);
            if (family == nullptr) {  // not a side of another split either
                const BoxSplit& split = splits_[side / 2];
                const bool left = side % 2 == 0;
                family = &waiting_.make(values, split.side(box_, left));
                geometry_.side(box_, split, left, waiting_.rows_of(*family));
            }
        }
        return *family;
    }

    // What a split to come needs of lane 0, as far as it is there: read and written row after row.
    void prefetch(std::size_t split) const {
        constexpr std::size_t kLine = 64, kLines = 8;
        for (std::size_t at = 2 * split; at < std::min(2 * split + 2, values_.size()); ++at) {
            const double* const numbers =
                families_[at] == nullptr ? nullptr : families_[at]->lanes()[0];
            const std::size_t bytes = values_[at]->n_cells() * sizeof(double);
            for (std::size_t from = 0; from < std::min(bytes, kLines * kLine); from += kLine) {
                __builtin_prefetch(reinterpret_cast<const char*>(values_[at]->row(0)) + from);
                if (numbers != nullptr) {
                    __builtin_prefetch(reinterpret_cast<const char*>(numbers) + from);
                }
            }
        }
    }

private:
    const Geometry& geometry_;
    const Memo& found_;
    WaitingFamilies<kVector>& waiting_;
    // Of the family at hand.
    Box box_;
    std::span<const BoxSplit> splits_;
    std::vector<const Triangle*> values_;
    std::vector<Waiting*> families_;  // null for those that no lane has come to
};

}  // namespace slp::exact
