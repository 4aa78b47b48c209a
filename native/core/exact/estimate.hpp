// Estimates of the numbers of boxes and of items of a table, without visiting them.
//
// A box is the set of rows that an interval of codes in each feature (a set of levels) cuts out,
// and it has one *tight* description: intervals whose ends occur in it. So boxes are the leaves of
// a search tree. It chooses, feature after feature, first the lower end, then the upper one. A
// choice is open if every end chosen so far still occurs in the remaining rows. No path is a dead
// end: leaving the other features unchanged is always open. Knuth's estimator (Mathematics of
// Computation 29, 1975) of the number of leaves is the product of the numbers of open choices along
// a random path. Many paths go side by side. Before each choice they are resampled in proportion to
// their open choices. This is a particle filter, whose estimate is unbiased too (Del Moral,
// Feynman-Kac Formulae, 2004, 7.4). It spreads the paths evenly over the boxes.
//
// min_leaf and max_depth exclude boxes: the share of sampled boxes that can be reached is counted.
// The states of a box are counted on random descents to it. The number of unseen states is
// estimated from those seen once or twice (Chao, Scandinavian J. of Statistics 11, 1984). An open
// grammar makes states only on these descents, and none if there are too many boxes.

#pragma once

#include <cstdint>

#include "problem/geometry.hpp"
#include "problem/problem.hpp"
#include "thread_team.hpp"

namespace slp::exact {

struct BoxEstimate {
    // Sets of rows that can be reached. If `more`, counting stopped, and this is a lower bound on
    // them, or on the states if one box occurs in too many states of an open grammar.
    double boxes;
    // The same if every cut were allowed, without the limits of states and depth.
    double unlimited;
    // Relative standard error of `boxes`.
    double error;
    // Product states for each box, on average.
    double states;
    // Splits of a box, on average.
    double splits;
    bool more;
};

// An upper bound on the number of boxes: the product over features of the intervals, or sets of
// levels, that the splits on one path can make.
double most_boxes(const Problem& problem);

// The same numbers for the same problem and seed. work: the limit on work, in visits to rows, above
// a least amount; ten million take about a tenth of a second, and the least amount takes up to two
// seconds on tables of thousands of features, where counting ends early. poll: may stop it; the
// estimate is then poor.
BoxEstimate estimate_boxes(const Problem& problem, const Geometry& geometry, double work,
                           std::uint64_t seed, const Poll* poll = nullptr);

}  // namespace slp::exact
