// The depth to which trees must be followed if deeper nodes split with lower probability.
//
// Let a node at depth d split with probability at most s_d, split probabilities included, so that
// the weights of all trees sum to at most 1. The expected number of splits at depth D is at most
//
//   2^D s_0 s_1 ... s_D,
//
// and so is the probability that there is any. A tree with such a split has at least D + 2 leaves,
// and its likelihood is at most that of the purest partition of the rows into D + 2 leaves
// (LeafModel::log_purest). The product of the two is an upper bound on the weight of all such
// trees. The weight of one tree, found greedily, is a lower bound on that of all trees. If the
// upper bound is a small share of the lower one, splits at depth D and deeper are left out. Every
// tree left out then weighs less than that share of the tree found, so the best tree is never among
// them.

#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "exact/block_grammar.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"

namespace slp::exact {

// The bound on the weight left out, relative to the weight of one tree.
inline constexpr double kMostLeftOut = 1e-12;

struct DepthCut {
    // No node at this depth splits; the remaining trees are at most so deep.
    std::size_t depth;
    // Log of a bound on the weight of all trees left out.
    double log_left_out;
};

// For each depth D log of a bound on the weight of all trees with a split at depth D or deeper;
// empty if there is no bound: states occur at more than one depth, weights are not probabilities,
// or likelihoods have no bound.
std::vector<double> log_left_out(const Problem& problem, const Geometry& geometry,
                                 const BlockGrammar& grammar, bool likelihood);

// The depth at which no state needs to split (block_grammar_of); none if trees must be followed to
// every depth.
std::optional<DepthCut> depth_cut(const Problem& problem, const Geometry& geometry,
                                  const BlockGrammar& grammar, bool likelihood);

}  // namespace slp::exact
