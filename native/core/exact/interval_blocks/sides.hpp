// The blocks on both sides of one block's outer splits: their values, and their waiting
// derivatives.

#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exact/interval_blocks/triangle.hpp"
#include "exact/interval_blocks/waiting.hpp"
#include "exact/memo.hpp"
#include "problem/geometry.hpp"

namespace slp::exact {

// A side is number 2 * split or, right, one more.
template <bool kVector>
class BlockSides {
public:
    using Triangle = TriangleOf<MemberValue<kVector>>;
    using Waiting = WaitingBlock<kVector>;

    // found: where the blocks' triangles are, by key.
    BlockSides(const Geometry& geometry, const Memo& found, WaitingBlocks<kVector>& waiting)
        : geometry_(geometry), found_(found), waiting_(waiting) {}

    const Triangle* triangle_of(Key key) const {
        return std::bit_cast<const Triangle*>(*found_.find(key));
    }

    // Each step prefetches the memory of the next one.
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
        blocks_.clear();
        for (const Triangle* const values : values_) {
            blocks_.push_back(waiting_.find(*values));
            __builtin_prefetch(blocks_.back());
        }
    }

    const Triangle& values(std::size_t side) const { return *values_[side]; }

    Waiting& block(std::uint32_t side) {
        Waiting*& block = blocks_[side];
        if (block == nullptr) {
            const Triangle* const values = values_[side];
            block = waiting_.find(*values);
            if (block == nullptr) {  // not a side of another split either
                const BoxSplit& split = splits_[side / 2];
                const bool left = side % 2 == 0;
                block = &waiting_.make(values, split.side(box_, left));
                geometry_.side(box_, split, left, waiting_.rows_of(*block));
            }
        }
        return *block;
    }

    // Prefetches the data of query 0 for a later split, as far as it exists; it is read and written
    // row after row.
    void prefetch(std::size_t split) const {
        for (std::size_t at = 2 * split; at < std::min(2 * split + 2, values_.size()); ++at) {
            const std::size_t bytes = values_[at]->n_cells() * sizeof(double);
            prefetch_lines(values_[at]->row(0), bytes);
            if (blocks_[at] != nullptr) {
                prefetch_lines(blocks_[at]->queries()[0], bytes);
            }
        }
    }

private:
    const Geometry& geometry_;
    const Memo& found_;
    WaitingBlocks<kVector>& waiting_;
    // Of the current block.
    Box box_;
    std::span<const BoxSplit> splits_;
    std::vector<const Triangle*> values_;
    std::vector<Waiting*> blocks_;  // null for those that no query has reached
};

}  // namespace slp::exact
