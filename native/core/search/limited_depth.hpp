// The best tree of a box in a state of limited depth: branch and bound over the cuts of sorted
// columns. The mathematics: docs/search.md.
//
// The last two levels are solved at once for each cut (side_cuts.hpp). Above, cuts of a feature
// between two that were solved are bounded by these: the rows on the left of a later cut, and on
// the right of an earlier one, are more.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "budget.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"
#include "search/limited_states.hpp"
#include "search/side_cuts.hpp"
#include "search/sorted_box.hpp"

namespace slp::search {

class LimitedDepth {
public:
    // A node of a tree in preorder; a leaf has feature -1.
    using Nodes = std::vector<BestCut>;
    struct BestTree {
        double low, high;
        Nodes tree;
    };

    // step: is called before each cut that is looked at; false ends the work.
    LimitedDepth(const Problem& problem, bool likelihood, Budget& budget,
                 std::function<bool()> step);

    int levels(std::int32_t state) { return states_.levels(state); }
    // Whether it solves boxes of so many distinct rows in a state, and has the memory for it. At
    // the start of a derivation trees may have one level more.
    bool takes(std::int32_t state, std::size_t rows, bool at_start);
    // Bounds on the best tree of the box's rows. Of trees at most `known` only the bound is found:
    // then `high` is at most `known`. Else `low` is `high`, unless the work was ended.
    BestTree solve(std::span<const std::uint32_t> rows, std::int32_t state, double known);
    // About the additions that all work took so far.
    double steps() const { return steps_; }

private:
    // The cuts of a feature between two that were looked at, `after` and `before` (from -1 to the
    // number of cuts): none is worth more than `bound`, as the rows on the left of `after` are
    // worth at most `left`, and those on the right of `before` at most `right`.
    struct CutInterval {
        double bound;
        std::uint32_t feature;
        std::int32_t after, before;
        double left, right;
    };
    // A box above the last level.
    struct LevelOfCuts {
        SortedBox sides[2];
        std::vector<std::uint8_t> right;
        // Groups of rows of one code, feature by feature: the number of the feature's first one,
        // where each begins in the feature's order, and whether the cut behind it (of levels: that
        // of its level) leaves as many rows on both sides as a leaf must have.
        std::vector<std::uint32_t> first, begin;
        std::vector<std::uint8_t> valid;
        // By feature: valid cuts, and the log share of one (see `CutShares`).
        std::vector<double> n_valid, log_share;
    };
    // What the search of a box has so far.
    struct BoxSearch {
        const SortedBox& box;
        const LimitedState& state;
        int level;
        Solved found;
        Nodes* tree;
        std::vector<CutInterval> heap;
        // The largest of the bounds that no tree can reach and were left out.
        double left_out;
    };

    Solved solve(const SortedBox& box, std::int32_t state, double known, int level, Nodes* tree);
    Solved solve_last(const SortedBox& box, std::int32_t state, Nodes* tree);
    void find_sides(const SortedBox& box, std::span<const std::uint8_t> right);
    bool list_cuts(const SortedBox& box, LevelOfCuts& level);
    void push_features(BoxSearch& work, double known);
    void look(BoxSearch& work, const CutInterval& at, double known);
    void push(BoxSearch& work, CutInterval part, double known);
    void offer(BoxSearch& work, double value, BestCut cut, const Nodes& left, const Nodes& right);
    void part(const SortedBox& box, std::uint32_t feature, std::uint32_t cut, LevelOfCuts& level);
    std::uint32_t n_cuts(const LevelOfCuts& level, std::size_t feature) const;
    BestCut cut_of(const SortedBox& box, std::uint32_t feature, std::uint32_t cut,
                   const LevelOfCuts& level) const;
    double cap_of_all(const BoxSearch& work);

    const Problem& problem_;
    bool likelihood_;
    std::size_t d_, k_, charged_ = 0;
    Charge charge_;
    Budget& budget_;
    std::function<bool()> step_;
    // Whether more rows never make a leaf likelier; and whether the caller ended the work.
    bool falls_, stopped_ = false;
    double steps_ = 0;
    LimitedStates states_;
    SideCuts sides_;
    CutShares shares_;
    SortedBox whole_;
    std::vector<std::uint8_t> none_right_;
    std::vector<LevelOfCuts> levels_;
};

}  // namespace slp::search
