// The splits of boxes of tables whose features have two codes each, and sums over their left sides.
//
// Four rows of a box are taken at a time: the sums of their 16 subsets are listed, and each feature
// adds that of the rows that go left. So a feature takes one addition for four rows, where the
// splitter takes one for each row. What it finds is the same.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "arena.hpp"
#include "budget.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"
#include "search/leaf_bound.hpp"

namespace slp::search {

class BinarySplits {
public:
    // Rows that are taken at a time.
    static constexpr std::size_t kRows = 4;

    BinarySplits(const Problem& problem, const Geometry& geometry, const LeafBound& leaf,
                 Budget& budget);

    // Whether the table is such a table, and its bytes (n * d) are a small part of the budget.
    bool ready() const { return !left_.empty(); }
    // The splits of a box, as the splitter lists them; sums: over the left side of each, one below
    // the other. Both in memory of the arena.
    std::span<BoxSplit> splits(const Box& box, Arena& arena, double*& sums);

private:
    // The sums over a set of rows.
    struct RowSetSum {
        Key key;
        Sizes sizes = 0;
    };

    void list_subsets(std::span<const std::uint32_t> rows);
    void find_subset_of_each_feature(std::span<const std::uint32_t> rows);
    template <std::size_t width>
    void add_sums();

    const Problem& problem_;
    const Geometry& geometry_;
    const LeafBound& leaf_;
    std::size_t d_, width_;
    Charge charge_;
    // n * d, row by row, 1 where the row goes left; a row of zeros follows.
    std::vector<std::uint8_t> left_;
    // For four rows: the sums over each subset, by the bits of its rows; and for each feature the
    // subset that goes left.
    std::array<RowSetSum, 1 << kRows> subsets_;
    std::vector<double> subset_sums_;
    std::vector<std::uint8_t> subset_of_;
    // Over the rows of the box that go left, by feature.
    std::vector<RowSetSum> lefts_;
    std::vector<double> left_sums_;
};

}  // namespace slp::search
