// Planes of the splits of a box: a bit for each row, set where it goes left. Statistics of the rows
// on the left of two splits are counted by words of bits (as in MurTree, Demirović et al. 2022).
//
// For classes.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problem/geometry.hpp"
#include "problem/problem.hpp"
#include "search/count_of_both.hpp"
#include "search/leaf_bound.hpp"
#include "search/row_bits.hpp"

namespace slp::search {

class SplitPlanes {
public:
    SplitPlanes(const Problem& problem, const LeafBound& leaf, const RowBits& bits);

    // Whether the leaves count rows of classes.
    bool known() const { return !class_.empty(); }
    // Gives the rows of a box their bits; the words of a plane.
    std::size_t lay_out(const Box& box);
    // Makes the planes of the same box's splits.
    void fill(const Box& box, std::span<const BoxSplit> splits);
    // Sums (width() numbers) and distinct rows on the left of both.
    std::uint32_t both(std::size_t i, std::size_t j, double* out) const;

private:
    void find_plane_rows(const Box& box);
    void add_planes_of_bits(std::span<const BoxSplit> splits);
    void add_plane(const BoxSplit& split, std::uint64_t* out) const;

    const Problem& problem_;
    const LeafBound& leaf_;
    const RowBits& bits_;
    CountOfBoth count_of_both_;
    std::size_t k_, width_;
    bool repeats_ = false;
    // Distinct rows of mixed classes; rows of the data for each class.
    std::vector<std::uint8_t> mixed_;
    std::vector<std::uint32_t> class_;
    // Words of a plane: rows of pure groups, class after class, each as often as it occurs; then
    // one bit for each distinct row of a pure group, if some are repeated; then the mixed ones.
    std::size_t words_ = 0, distinct_at_ = 0, mixed_at_ = 0;
    std::vector<std::size_t> class_at_;
    std::vector<std::uint32_t> mixed_rows_;
    std::vector<std::uint64_t> planes_;
    std::vector<std::uint32_t> plane_rows_;
};

}  // namespace slp::search
