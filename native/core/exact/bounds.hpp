// Certified bounds on the root's total from a pass that was stopped.
//
// A finished item has its value. For any other item let L be its likelihood as a leaf, s the least
// weight of its leaf rules, U the likelihood of its pure partition (LeafModel::log_pure), and M a
// bound on the mass of its subtrees (MassBound). Then
//
//   s L <= value <= s L + (M - s) U.
//
// Items are opened from the root down to some depth. Their bounds are the sums of products of their
// children's bounds, lower with lower and upper with upper, as no weight is negative. Each depth
// gives sound bounds; they are intersected.

#pragma once

#include "exact/engine.hpp"

namespace slp::exact {

// Logs; low may be -inf.
struct Interval {
    double low, high;
};

// Bounds on engine.log_root(pass), where pass is one over totals; with likelihood the leaves must
// be dirichlet. The two are equal if the pass reached the root. work: the limit on work, in visits
// to rows; a hundred million take about a second.
Interval bounds_on_root(const Engine& engine, const Pass& pass, double work);

}  // namespace slp::exact
