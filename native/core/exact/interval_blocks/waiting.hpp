// The blocks that a descent (interval_blocks/descent.hpp) has reached and not yet left, by their
// number of rows; and those on both sides of one block's outer splits. A split leads to blocks of
// fewer rows, so a block has received all its derivatives when it is opened.

#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "budget.hpp"
#include "exact/block_search.hpp"
#include "exact/interval_blocks/state_vectors.hpp"
#include "exact/memo.hpp"
#include "problem/geometry.hpp"

namespace slp::exact {

// Behind it in memory: for each query where its derivatives by the members are, or null while the
// query has not come; then the rows.
template <bool kVector>
struct WaitingBlock {
    const TriangleOf<MemberValue<kVector>>* values;
    Box box;
    std::size_t bytes;

    double** queries() { return reinterpret_cast<double**>(this + 1); }
};

template <bool kVector>
class WaitingBlocks {
public:
    using Waiting = WaitingBlock<kVector>;
    using Triangle = TriangleOf<MemberValue<kVector>>;

    // n_blocks: how many there may be. length: numbers of a member. Throws OutOfBudget.
    WaitingBlocks(std::size_t n_blocks, std::size_t n_rows, std::size_t n_queries,
                  std::size_t length, Budget& budget)
        : n_queries_(n_queries), length_(length), levels_(n_rows + 1), charge_(budget) {
        charge_.add(n_blocks * sizeof(Waiting*));
        by_number_.resize(n_blocks);
    }

    ~WaitingBlocks() {
        for (Waiting* const block : by_number_) {
            if (block != nullptr) {
                give_up(*block);
            }
        }
    }
    WaitingBlocks(const WaitingBlocks&) = delete;
    WaitingBlocks& operator=(const WaitingBlocks&) = delete;

    // No block has as many rows.
    std::size_t end_of_sizes() const { return levels_.size(); }

    // Those of a size, in an order that does not depend on how they were found. The caller frees
    // them.
    std::vector<Waiting*> leave(std::size_t size) {
        std::vector<Waiting*> level = std::exchange(levels_[size], {});
        std::sort(level.begin(), level.end(),
                  [](const Waiting* x, const Waiting* y) { return x->box.key < y->box.key; });
        return level;
    }

    // Null if no query has arrived.
    Waiting* find(const Triangle& values) const { return by_number_[values.number]; }
    void prefetch(const Triangle& values) const {
        __builtin_prefetch(&by_number_[values.number]);
    }

    // Its rows are still to be written.
    Waiting& make(const Triangle* values, Box box) {
        const std::size_t n = distinct_rows(box.sizes);
        const std::size_t bytes =
            sizeof(Waiting) + n_queries_ * sizeof(double*) + n * sizeof(std::uint32_t);
        charge_.add(bytes);
        levels_[n].push_back(nullptr);
        auto* const block = new (::operator new(bytes)) Waiting{values, box, bytes};
        std::fill_n(block->queries(), n_queries_, nullptr);
        block->box.rows = {rows_of(*block), n};
        by_number_[values->number] = block;
        levels_[n].back() = block;
        return *block;
    }

    std::uint32_t* rows_of(Waiting& block) const {
        return reinterpret_cast<std::uint32_t*>(block.queries() + n_queries_);
    }

    Derivatives<kVector> derivatives(Waiting& block, std::size_t query) const {
        return {block.queries()[query], block.values->k, length_};
    }

    // Zeros if the query has not arrived yet.
    Derivatives<kVector> make_derivatives(Waiting& block, std::size_t query) {
        double*& own = block.queries()[query];
        if (own == nullptr) {
            const std::size_t n = block.values->n_cells() * length_;
            charge_.add(n * sizeof(double));
            block.bytes += n * sizeof(double);
            own = new double[n]();
        }
        return derivatives(block, query);
    }

    void give_up(Waiting& block) {
        charge_.give_back(block.bytes);
        for (std::size_t query = 0; query < n_queries_; ++query) {
            delete[] block.queries()[query];
        }
        by_number_[block.values->number] = nullptr;
        ::operator delete(&block);
    }

private:
    std::size_t n_queries_, length_;
    std::vector<Waiting*> by_number_;
    std::vector<std::vector<Waiting*>> levels_;
    Charge charge_;
};

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
            block = waiting_.find(*values_[side]);
        }
        if (block == nullptr) {  // not a side of another split either
            const BoxSplit& split = splits_[side / 2];
            const bool left = side % 2 == 0;
            block = &waiting_.make(values_[side], split.side(box_, left));
            geometry_.side(box_, split, left, waiting_.rows_of(*block));
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
    // For the current block.
    Box box_;
    std::span<const BoxSplit> splits_;
    std::vector<const Triangle*> values_;
    std::vector<Waiting*> blocks_;  // null for those that no query has reached
};

}  // namespace slp::exact
