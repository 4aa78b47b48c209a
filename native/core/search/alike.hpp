// Pairs of keys that were met before, in any order. Two splits part the rows of a box alike where
// the keys of their sides are the same pair: tables of two-valued columns often have a column and
// its complement.

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "problem/key.hpp"

namespace slp::search {

class Alike {
public:
    // Forgets all pairs, and makes room for n.
    void start(std::size_t n) {
        ++round_;
        const std::size_t size = std::bit_ceil(2 * n + 2);
        if (slots_.size() < size) {
            slots_.assign(size, AlikeSlot{});
        }
    }

    // The number that the pair was added with first; it is added with `number` if it is new.
    std::uint32_t first(Key a, Key b, std::uint32_t number) {
        if (b < a) {
            std::swap(a, b);
        }
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t at = (a.a ^ b.b) & mask;; at = (at + 1) & mask) {
            AlikeSlot& slot = slots_[at];
            if (slot.round != round_) {
                slot = {a, b, round_, number};
                return number;
            }
            if (slot.a == a && slot.b == b) {
                return slot.number;
            }
        }
    }

private:
    struct AlikeSlot {
        Key a, b;
        std::uint64_t round = 0;
        std::uint32_t number = 0;
    };

    std::vector<AlikeSlot> slots_;
    std::uint64_t round_ = 0;
};

}  // namespace slp::search
