// How deep trees need be followed where nodes split the less the deeper they are.
//
// Let a node at depth d split with probability at most s_d, split probabilities included, so that
// the prior gives all its trees together at most 1. The expected number of splits at depth D is
// at most
//
//   2^D s_0 s_1 ... s_D,
//
// and so is the probability that there is any. A tree with one has at least D + 2 leaves, and no
// likelihood above that of the purest parting of the rows into so many (LeafModel::log_purest). The
// product of the two bounds what all such trees weigh; some one tree, found greedily, bounds from
// below what all trees weigh. Where the first is a small share of the second, splits at depth D and
// deeper are left out: every tree left out weighs less than that share of the tree found, so the
// best tree is never among them.

#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "exact/depth_grammar.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"

namespace slp::exact {

// What may be left out, relative to the weight of some one tree.
inline constexpr double kMostLeftOut = 1e-12;

struct DepthCut {
    // No node at this depth splits; the trees that are left have no greater one.
    std::size_t depth;
    // Log of a bound on the weight of all trees left out.
    double log_left_out;
};

// For each depth D log of a bound on the weight of all trees with a split at depth D or deeper;
// empty where there is none: the depth grammar is endless, its weights are no probabilities, or
// likelihoods have no bound.
std::vector<double> log_left_out(const Problem& problem, const Geometry& geometry,
                                 const DepthGrammar& by_depth, bool likelihood);

// Where a depth grammar may be cut; nothing where trees must be followed to its end.
std::optional<DepthCut> depth_cut(const Problem& problem, const Geometry& geometry,
                                  const DepthGrammar& by_depth, bool likelihood);

// The depth grammar without splits at that depth and deeper.
DepthGrammar cut_at(const DepthGrammar& by_depth, std::size_t depth);

}  // namespace slp::exact
