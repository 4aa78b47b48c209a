// Certified bounds on the root's total from a pass that was stopped before it got there.
//
// An item that the pass reached has its value. Of one that it did not, with L its likelihood as a
// leaf, s the least weight of its leaf rules, U the likelihood of a purely parted box
// (LeafModel::log_pure) and M the mass of its subtrees at most (MassBound),
//
//   s L <= value <= s L + (M - s) U.
//
// From the root down to some depth items are opened: their intervals are the sums of products of
// their children's, lower with lower and upper with upper, since no weight is negative. Each depth
// gives sound bounds; they are intersected.

#pragma once

#include "exact/engine.hpp"

namespace slp::exact {

// Logs; low may be -inf.
struct Interval {
    double low, high;
};

// Bounds on engine.log_root(pass), where pass is one over totals; with likelihood the leaves must
// be dirichlet. The two are equal if the pass reached the root. work: how much may be done, in
// visits to rows; a hundred million take a second or so.
Interval bounds_on_root(const Engine& engine, const Pass& pass, double work);

}  // namespace slp::exact
