// The cuts of one box, computed only for the features that are needed.
//
// A proposal needs the features that can cut a box, and the cuts of the chosen feature. That takes
// a few rows of each feature and all rows of one, not all rows of all features.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problem/problem.hpp"

namespace slp::mcmc {

using Rows = std::span<const std::uint32_t>;

// The codes that are neighbours in the box; of a test on a level both are its code.
struct Cut {
    std::uint32_t low, high;
};

class CutFinder {
public:
    explicit CutFinder(const Problem& problem);

    // Go to a box: distinct rows, ascending. They must stay where they are until the next call.
    void enter(Rows rows);

    // Whether the box has a structurally valid split on a feature.
    bool can_split(std::size_t f);
    // The structurally valid splits on a feature, in canonical order.
    std::span<const Cut> cuts(std::size_t f);

private:
    enum class Known : std::uint8_t { nothing, no, yes };
    struct Found {
        std::size_t begin = 0, end = 0;
        bool listed = false;
        Known varies = Known::nothing;
    };

    bool varies(const Feature& feature) const;
    void list(const Feature& feature);
    void find_codes(const Feature& feature);
    void count_rows(const Feature& feature);

    const Problem& problem_;
    std::uint64_t min_leaf_;
    Rows rows_;
    std::vector<Found> found_;
    std::vector<Cut> cuts_;
    // Scratch: bits of the codes that occur, the codes, and rows of the data by code.
    std::vector<std::uint64_t> occupied_;
    std::vector<std::uint32_t> codes_;
    std::vector<std::uint64_t> n_rows_;
};

}  // namespace slp::mcmc
