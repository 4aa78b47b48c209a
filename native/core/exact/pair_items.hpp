// The items that pairs of rows reach (row_pairs.hpp), and the sides that the rows take.

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <vector>

#include "budget.hpp"
#include "pool.hpp"
#include "problem/key.hpp"

namespace slp::exact {

// What is wanted of an item: the pairs that reach it together, and the rows 1 and 0 that reach it
// alone, by pair.
struct Wanted {
    std::uint64_t pairs = 0, ones = 0, zeros = 0;

    bool any() const { return (pairs | ones | zeros) != 0; }
    std::size_t count() const {
        return static_cast<std::size_t>(std::popcount(pairs) + std::popcount(ones) +
                                        std::popcount(zeros));
    }
    friend Wanted operator|(const Wanted& x, const Wanted& y) {
        return {x.pairs | y.pairs, x.ones | y.ones, x.zeros | y.zeros};
    }
};

inline constexpr std::uint32_t kNoLeaf = UINT32_MAX;

// Behind it in memory: the item's distinct rows.
struct PairItem {
    Key key;
    double mass = 0.0;  // at least the probability that a pair, or a row of it, reaches the item
    Wanted wanted;
    // Of each that is wanted, pairs first, then ones and zeros: `depth` means, and as many means of
    // squares.
    double* values = nullptr;
    std::int32_t product = 0;
    std::uint32_t leaf = kNoLeaf;

    std::uint32_t* rows() { return reinterpret_cast<std::uint32_t*>(this + 1); }

    static std::size_t rank(std::uint64_t bits, std::size_t pair) {
        return static_cast<std::size_t>(std::popcount(bits & ((std::uint64_t{1} << pair) - 1)));
    }
    double* of_pair(std::size_t pair, std::size_t depth) const {
        return values + 2 * depth * rank(wanted.pairs, pair);
    }
    double* of_row(bool is_one, std::size_t pair, std::size_t depth) const {
        const auto pairs = static_cast<std::size_t>(std::popcount(wanted.pairs)),
                   ones = static_cast<std::size_t>(std::popcount(wanted.ones));
        return values + 2 * depth *
                            (is_one ? pairs + rank(wanted.ones, pair)
                                    : pairs + ones + rank(wanted.zeros, pair));
    }
};

// The items of boxes of one number of distinct rows, in the order in which they were found.
class PairLevel {
public:
    PairLevel(std::size_t n_rows, Budget& budget)
        : n_rows_(n_rows), pool_(budget), of_slots_(budget), slots_(16, nullptr) {}

    std::size_t n_rows() const { return n_rows_; }
    const std::vector<PairItem*>& items() const { return items_; }
    PairItem* find(Key key) const { return slots_[slot_of(key)]; }
    // A new one; its rows are still to be written.
    PairItem& add(Key key, std::int32_t product) {
        if (2 * (items_.size() + 1) > slots_.size()) {
            grow();
        }
        const std::size_t bytes = sizeof(PairItem) + n_rows_ * sizeof(std::uint32_t);
        PairItem* const item = new (pool_.allocate((bytes + 7) / 8)) PairItem;
        item->key = key;
        item->product = product;
        items_.push_back(item);
        slots_[slot_of(key)] = item;
        return *item;
    }

private:
    std::size_t slot_of(Key key) const {
        std::size_t i = key.a & (slots_.size() - 1);
        while (slots_[i] != nullptr && !(slots_[i]->key == key)) {
            i = (i + 1) & (slots_.size() - 1);
        }
        return i;
    }
    void grow() {
        of_slots_.add(2 * slots_.size() * sizeof(PairItem*));  // of `slots_` and `items_`
        slots_.assign(2 * slots_.size(), nullptr);
        for (PairItem* const item : items_) {
            slots_[slot_of(item->key)] = item;
        }
    }

    std::size_t n_rows_;
    Pool pool_;
    Charge of_slots_;
    std::vector<PairItem*> items_;
    std::vector<PairItem*> slots_;  // a power of two
};

// The sides that the rows of a batch take at a split: those with a part on the left, and on the
// right, and, of those with a part on each, the share on the left.
struct SidesOfRows {
    std::uint64_t left = 0, right = 0;
    std::span<const double> shares;  // by pair; only where some row has both

    std::uint64_t both() const { return left & right; }
    double share(std::size_t pair, bool on_left) const {
        const std::uint64_t bit = std::uint64_t{1} << pair;
        if ((both() & bit) != 0) {
            return on_left ? shares[pair] : 1.0 - shares[pair];
        }
        return ((on_left ? left : right) & bit) != 0 ? 1.0 : 0.0;
    }
};
struct PairSides {
    SidesOfRows one, zero;
};

template <typename Use>
void for_each_bit(std::uint64_t bits, Use use) {
    for (; bits != 0; bits &= bits - 1) {
        use(static_cast<std::size_t>(std::countr_zero(bits)));
    }
}

}  // namespace slp::exact
