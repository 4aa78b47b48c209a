// Pairs of keys that were met before, in any order. Two splits part the rows of a box alike where
// the keys of their sides are the same pair: tables of two-valued columns often have a column and
// its complement.

#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "budget.hpp"
#include "problem/key.hpp"

namespace slp::search {

class Alike {
public:
    explicit Alike(Budget& budget) : charge_(budget) {}

    // Forgets all pairs, and makes room for n.
    void start(std::size_t n) {
        const std::size_t size = std::bit_ceil(2 * n + 2);
        if (slots_.size() < size) {
            charge_.raise_to(size * sizeof(AlikeSlot));
            slots_ = {};  // its memory goes before the larger one is taken
            slots_.resize(size);
            round_ = 0;
        }
        if (++round_ == 0) {
            std::ranges::fill(slots_, AlikeSlot{});
            round_ = 1;
        }
    }

    // The number that the pair was added with first; it is added with `number` if it is new.
    // pair_of(i) gives the pair that was added with number i, either key first.
    template <typename PairOf>
    std::uint32_t first(const PairOf& pair_of, std::uint32_t number) {
        const auto [a, b] = in_order(pair_of(number));
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t at = (a.a ^ b.b) & mask;; at = (at + 1) & mask) {
            AlikeSlot& slot = slots_[at];
            if (slot.round != round_) {
                slot = {round_, number};
                return number;
            }
            const auto [c, d] = in_order(pair_of(slot.number));
            if (a == c && b == d) {
                return slot.number;
            }
        }
    }

private:
    struct AlikeSlot {
        std::uint32_t round = 0, number = 0;
    };

    static std::pair<Key, Key> in_order(std::pair<Key, Key> pair) {
        return pair.second < pair.first ? std::pair(pair.second, pair.first) : pair;
    }

    Charge charge_;
    std::vector<AlikeSlot> slots_;
    std::uint32_t round_ = 0;
};

}  // namespace slp::search
