// The sum over all trees of at most one split on each side of a split, from the cuts of both sides
// (search/side_cuts.hpp): one look at the sorted rows serves all of them.

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "problem/problem.hpp"
#include "search/limited_states.hpp"
#include "search/side_cuts.hpp"
#include "search/sorted_box.hpp"

namespace slp::exact {

// What is known of the trees of one side.
struct SideSum {
    // Logs of the weight of all trees together and of the best one; the number of trees.
    double log_total, log_best, count;
    // Whether the side can be split; the probability that its tree is a leaf, that it is none, and
    // by feature that it splits on it.
    bool can_split;
    double stop, go_on;
    std::span<const double> split;
};

class SideSums {
public:
    SideSums(const Problem& problem, search::LimitedStates& states, bool likelihood);

    void find(const search::SortedBox& box, std::span<const std::uint8_t> right) {
        cuts_.find(box, right);
    }
    // Of the present split, in a state of one level at most. Valid until it is asked of that side
    // again.
    SideSum sum(bool right, std::int32_t state);
    const search::CutList& cuts(bool right) const { return cuts_.side(right); }

private:
    void add_up(const search::CutList& cuts, std::span<double> sums);

    search::LimitedStates& states_;
    search::SideCuts cuts_;
    search::CutShares shares_;
    std::vector<double> n_valid_;
    std::array<std::vector<double>, 2> split_;
    // Of the valid cuts: the largest log likelihood, by feature too.
    std::vector<double> most_;
};

}  // namespace slp::exact
