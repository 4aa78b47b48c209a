// The cuts of both sides of a split, with the statistics of the rows on the left of each: those of
// the four parts that each pair of splits makes follow by subtraction. One look at the sorted rows
// of a box finds them for all features, so no pair of splits takes a look at the rows.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "problem/problem.hpp"
#include "problem/split_measures.hpp"
#include "search/limited_states.hpp"
#include "search/sorted_box.hpp"

namespace slp::search {

// The cuts of one set of rows, features one below the other, as the splitter lists them.
struct CutList {
    // The number of each feature's first cut, and of all cuts.
    std::vector<std::uint32_t> first;
    // By cut: k sums over the rows on its left, the codes on both sides of it, whether both sides
    // have as many rows as a leaf must have, and the log likelihood of both sides as leaves.
    std::vector<double> left;
    std::vector<std::uint32_t> from, to;
    std::vector<std::uint8_t> valid;
    std::vector<double> value;
    // Sums over all rows, their number in the data, and their log likelihood as a leaf.
    std::vector<double> sums;
    std::uint32_t data_rows = 0;
    double leaf = 0.0;
};

// Log shares of the splits of a set of rows.
class CutShares {
public:
    explicit CutShares(const Problem& problem);
    // n: valid cuts by feature. Then `log_share` has, by feature, at least the log probability of a
    // cut of these rows, in them and in any set of rows that they are part of. It is that of a cut
    // of these rows where the feature has a valid one.
    void find(const Rule& rule, std::span<const double> n);

    std::vector<double> log_share;
    double most = 0.0;

private:
    const Problem& problem_;
};

// What is known of the best tree of a set of rows. Logs.
struct Solved {
    // Of the best tree found; at least that of any tree; at least that of any tree of these rows
    // and any others.
    double low, high, cap;
};

// The best cut of a set of rows; none (feature -1) where stopping is better.
struct BestCut {
    std::int32_t feature = -1;
    std::uint32_t from = 0, to = 0;
};

class SideCuts {
public:
    SideCuts(const Problem& problem, LimitedStates& states, bool likelihood);

    // Finds the cuts of both sides of a split: of the rows whose byte is 0, and of the others.
    void find(const SortedBox& box, std::span<const std::uint8_t> right);
    const CutList& side(bool right) const { return sides_[right]; }
    // The best tree of a side in a state of one level at most.
    Solved best(bool right, std::int32_t state, BestCut& cut);

private:
    template <std::size_t K>
    void scan(const SortedBox& box, std::span<const std::uint8_t> right);
    void end_feature(CutList& side, std::size_t feature);
    void score(CutList& side);

    const Problem& problem_;
    LimitedStates& states_;
    bool likelihood_;
    std::size_t k_;
    std::array<CutList, 2> sides_;
    CutShares shares_;
    std::vector<double> n_valid_, best_, best_valid_;
    std::vector<std::uint32_t> at_valid_;
};

}  // namespace slp::search
