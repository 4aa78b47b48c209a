// How many boxes a table has, and how many items they make, without going through them.
//
// A box is the set of rows that an interval of codes in each feature (a set of levels) cuts out,
// and it has one *tight* description: intervals whose ends occur in it. So boxes are the leaves of
// a tree of choices, feature after feature, first the lower end, then the upper one, in which a
// choice is open if every end chosen so far still occurs in what is left. No path is a dead end:
// to leave the features to come as they are is always open. Knuth's estimator (Mathematics of
// Computation 29, 1975) of the number of leaves is the product of the numbers of open choices
// along a random path. Many paths go side by side, and before each choice they are drawn anew in
// proportion to their open choices (a particle filter; its estimate is without bias, too: Del
// Moral, Feynman-Kac Formulae, 2004, 7.4), which leaves the paths spread evenly over the boxes.
//
// min_leaf and max_depth take boxes away: of boxes drawn so, the share that can be reached is
// counted. How many states a box occurs in is counted on random descents to it, with those that
// were not seen estimated from those seen once or twice (Chao, Scandinavian J. of Statistics 11,
// 1984). An open grammar is asked for states on these descents alone, and for none where the
// boxes are too many.

#pragma once

#include <cstdint>

#include "problem/geometry.hpp"
#include "problem/problem.hpp"
#include "thread_team.hpp"

namespace slp::exact {

struct BoxEstimate {
    // Sets of rows that can be reached; a lower bound on it if `more`, where it stopped looking.
    // (Or a lower bound on the states, where one box was met in too many of an open grammar.)
    double boxes;
    // The same if every cut could be made: no matter what states and depth allow.
    double unlimited;
    // Relative standard error of `boxes`.
    double error;
    // Product states for each box, on average.
    double states;
    // Splits of a box, on average.
    double splits;
    bool more;
};

// More boxes than this there are not: the product over features of the intervals, or sets of
// levels, that the splits on one path can make.
double most_boxes(const Problem& problem);

// The same numbers for the same problem and seed. work: how much may be done, in visits to rows,
// but for the least that tells anything; ten million take a tenth of a second or so, that least a
// few seconds on tables of thousands of features. poll: where it may be stopped, and then tells
// little.
BoxEstimate estimate_boxes(const Problem& problem, const Geometry& geometry, double work,
                           std::uint64_t seed, const Poll* poll = nullptr);

}  // namespace slp::exact
