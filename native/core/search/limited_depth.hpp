// The best tree of a box in a state of limited depth: branch and bound over the cuts of sorted
// columns. The mathematics: docs/search.md.
//
// The last two levels are solved at once for each cut (side_cuts.hpp). Above, cuts of a feature
// between two that were solved are bounded by these: the rows on the left of a later cut, and on
// the right of an earlier one, are more.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "budget.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"
#include "search/branching.hpp"
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

    // What is known of the sides of some cuts of a feature in the box: of those whose code before
    // the cut is from `first` to `last`. Of a cut that was looked at there are trees.
    struct CutSides {
        std::uint32_t feature, first, last;
        std::array<double, 2> low, high;
        std::array<const Nodes*, 2> trees;
    };
    struct WantedCuts {
        // Trees worth at most this are not wanted: only a bound on them is found.
        double known;
        // Whether the best tree of each cut is wanted, and not only the best of all.
        bool all;
        // Is called before each cut that is looked at; false ends the work.
        std::function<bool()> step;
        // Is told of each valid cut of the box once, if it is there. Where more rows may make a
        // leaf likelier, it is told only of cuts that were looked at.
        std::function<void(const CutSides&)> tell;
    };

    LimitedDepth(const Problem& problem, bool likelihood, Budget& budget);

    int levels(std::int32_t state) { return states_.levels(state); }
    // Of a state with known levels.
    const LimitedState& state(std::int32_t number) { return states_.of(number); }
    // Whether it solves boxes of so many distinct rows in a state, and has the memory for it. At
    // the start of a derivation trees may have one level more.
    bool takes(std::int32_t state, std::size_t rows, bool at_start);
    // Bounds on the best tree of the box's rows. Where no tree is worth more than `known`, `high`
    // is at most that. Else `low` is `high`, unless the work was ended.
    BestTree solve(std::span<const std::uint32_t> rows, std::int32_t state,
                   const WantedCuts& wanted);
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
        // Trees worth at most this are not wanted, nor are those worth less than the best found,
        // unless `all` are.
        double known;
        bool all;

        double floor() const {
            return all ? known : std::max(known, found.low + rounding_of(found.low));
        }
    };

    Solved solve(const SortedBox& box, std::int32_t state, double known, int level, Nodes* tree);
    Solved solve_last(const SortedBox& box, std::int32_t state, Nodes* tree);
    void find_sides(const SortedBox& box, std::span<const std::uint8_t> right);
    bool list_cuts(const SortedBox& box, LevelOfCuts& level);
    void search_cuts(BoxSearch& work);
    void push_features(BoxSearch& work);
    void look(BoxSearch& work, const CutInterval& at);
    void push(BoxSearch& work, CutInterval part);
    void tell_between(const BoxSearch& work, const CutInterval& part) const;
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
    const WantedCuts* wanted_ = nullptr;
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
