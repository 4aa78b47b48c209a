// The blocks that a descent (interval_blocks/descent.hpp) has reached and not yet left, by their
// number of rows. A split leads to blocks of fewer rows, so a block has received all its
// derivatives when it is opened.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "budget.hpp"
#include "exact/interval_blocks/state_vectors.hpp"
#include "exact/interval_blocks/triangle.hpp"
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

}  // namespace slp::exact
