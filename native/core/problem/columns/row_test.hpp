// Which side of a cut a distinct row takes: the one definition of it.

#pragma once

#include <cstdint>

#include "problem/columns/level_orders.hpp"

namespace slp {

// The codes that go left: those that are at least `least` and less than width + 1 above it.
struct RowTest {
    // By distinct row.
    const std::uint32_t* code;
    std::uint32_t least, width;
    // Any set of codes, as binary digits, replaces `least` and `width`; 0 for none, and not 0 where
    // there is an order.
    std::uint32_t set = 0;
    // The code of missing values, and whether they go left.
    std::uint32_t missing = UINT32_MAX;
    bool missing_left = false;
    // Where places in it are compared, not codes.
    const LevelOrder* order = nullptr;

    // Whether `least` and `width` say all.
    bool plain() const { return set == 0 && missing == UINT32_MAX; }
    bool plain_goes_left(std::uint32_t row) const { return code[row] - least <= width; }
    bool code_goes_left(std::uint32_t own) const {
        if (set != 0) {
            return order == nullptr ? (set >> own & 1) != 0 : order->place(own) - least <= width;
        }
        return own == missing ? missing_left : own - least <= width;
    }
    bool goes_left(std::uint32_t row) const { return code_goes_left(code[row]); }

    // Calls use(goes_left), with the quickest function of a row that says it: for loops over rows.
    template <typename Use>
    void for_rows(Use use) const {
        if (plain()) {
            use([this](std::uint32_t row) { return plain_goes_left(row); });
        } else {
            use([this](std::uint32_t row) { return goes_left(row); });
        }
    }
};

}  // namespace slp
