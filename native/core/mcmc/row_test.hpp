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
    // For a test by subsets, the codes that go left, as binary digits: they replace `least` and
    // `width`. 0 for other tests.
    std::uint32_t group = 0;
    // The code of missing values, and whether they go left.
    std::uint32_t missing = UINT32_MAX;
    bool missing_left = false;

    // Whether `least` and `width` say all.
    bool plain() const { return group == 0 && missing == UINT32_MAX; }
    bool plain_goes_left(std::uint32_t row) const { return code[row] - least <= width; }
    bool goes_left(std::uint32_t row) const {
        return group != 0             ? (group >> code[row] & 1) != 0
               : code[row] == missing ? missing_left
                                      : plain_goes_left(row);
    }
};

// A test that all codes up to `last` pass, with the side of missing values that the cut says.
inline RowTest test_up_to(const Feature& feature, std::uint32_t last, std::uint32_t low) {
    const bool left = feature.side_of_missing(low) == Missing::left;
    return {feature.codes.data(), 0, last, 0, feature.missing(), left};
}

// The test of a split on the rows of its box. `low`: see `Cut`.
inline RowTest test_in_box(const Feature& feature, std::uint32_t low) {
    if (feature.kind == FeatureKind::subsets) {
        return {feature.codes.data(), 0, 0, low};
    }
    const std::uint32_t own = feature.without_side(low);
    if (own == feature.missing()) {  // no value passes
        return {feature.codes.data(), UINT32_MAX, 0, 0, own, true};
    }
    RowTest out = test_up_to(feature, own, low);
    if (feature.kind == FeatureKind::levels) {
        out.least = own;
        out.width = 0;
    }
    return out;
}

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
    if (test.plain()) {
        part([&](std::uint32_t row) { return test.plain_goes_left(row); });
    } else {
        part([&](std::uint32_t row) { return test.goes_left(row); });
    }
    std::copy_n(scratch, right, rows.begin() + left);
    return left;
}

}  // namespace slp::mcmc
