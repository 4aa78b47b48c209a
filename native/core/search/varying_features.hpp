// How many features vary on a part of a box, at least: those that vary on some rows of it. For
// boxes where each feature has one split at most.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "problem/geometry.hpp"
#include "problem/problem.hpp"
#include "search/count_of_both.hpp"
#include "search/row_bits.hpp"

namespace slp::search {

class VaryingFeatures {
public:
    VaryingFeatures(const Problem& problem, const RowBits& bits) : problem_(problem), bits_(bits) {}

    // For a box, whose splits and rows must stay where they are.
    void prepare(const Box& box, std::span<const BoxSplit> splits);
    // The rows of the same box, where they are now.
    void move_to(const Box& box) { box_.rows = box.rows; }
    // Chooses rows of one side of a split to look at. False if some feature has several splits.
    bool find_witnesses(std::size_t split, bool left);
    // At least how many features vary on each part of that side: right and left of split j.
    std::array<std::uint32_t, 2> varying(std::size_t j);

private:
    void find_signatures();
    // The bit of a split in the rows' bits.
    std::size_t bit_of(std::size_t j) const {
        return bits_.words() > 0 ? splits_[j].feature : j;
    }

    const Problem& problem_;
    const RowBits& bits_;
    CountOfBoth count_of_both_ = counter_of_both();
    Box box_;
    std::span<const BoxSplit> splits_;
    // For each row of the box a bit for each split, set if the row goes left; not where RowBits has
    // them, by feature. Found when they are asked for.
    bool known_ = false;
    std::size_t words_ = 0;
    std::vector<std::uint64_t> signatures_;
    std::vector<const std::uint64_t*> witnesses_;
    // For both parts: bits that are set in some row, and bits that are not.
    std::vector<std::uint64_t> ones_and_zeros_;
};

}  // namespace slp::search
