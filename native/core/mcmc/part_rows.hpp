// Partition of rows by the test of a split.

#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "problem/columns/row_test.hpp"

namespace slp::mcmc {

// Moves the rows that go left to the front, and keeps the order on both sides. Returns how many go
// left. `scratch` has room for the rows that go right.
inline std::uint32_t part_rows(std::span<std::uint32_t> rows, RowTest test,
                               std::uint32_t* scratch) {
    std::uint32_t left = 0, right = 0;
    const auto part = [&](auto goes_left) {
        for (const std::uint32_t row : rows) {
            const bool is_left = goes_left(row);
            rows[left] = row;
            scratch[right] = row;
            left += is_left;
            right += !is_left;
        }
    };
    test.for_rows(part);
    std::copy_n(scratch, right, rows.begin() + left);
    return left;
}

}  // namespace slp::mcmc
