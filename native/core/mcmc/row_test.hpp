// The test of a split on a row, and partition of rows by it.

#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "problem/problem.hpp"

namespace slp::mcmc {

// A test on rows: codes that are at least `least` and less than width + 1 above it go left.
struct RowTest {
    const std::uint32_t* code;
    std::uint32_t least, width;

    bool goes_left(std::uint32_t row) const { return code[row] - least <= width; }
};

// The test of a split on the rows of its box. `low` is the lower of the two codes that are
// neighbours there, or the code of the level.
inline RowTest test_in_box(const Feature& feature, std::uint32_t low) {
    const std::uint32_t least = feature.kind == FeatureKind::levels ? low : 0;
    return {feature.codes.data(), least, low - least};
}

// Moves the rows that go left to the front, and keeps the order on both sides. Returns how many go
// left. `scratch` has room for the rows that go right.
inline std::uint32_t part_rows(std::span<std::uint32_t> rows, RowTest test,
                               std::uint32_t* scratch) {
    std::uint32_t left = 0, right = 0;
    for (const std::uint32_t row : rows) {
        const bool goes_left = test.goes_left(row);
        rows[left] = row;
        scratch[right] = row;
        left += goes_left;
        right += !goes_left;
    }
    std::copy_n(scratch, right, rows.begin() + left);
    return left;
}

}  // namespace slp::mcmc
