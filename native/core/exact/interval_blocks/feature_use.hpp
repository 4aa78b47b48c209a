// Uses of features by trees, from sums alone.
//
// The probability that a tree splits on a feature is 1 - Q'/Q, where Q is the weight of all trees
// and Q' that of the trees without splits on it, with all weights unchanged. Q' takes a search that
// does not follow that feature's splits. It visits only the boxes that the other features bound,
// which are far fewer. Expected numbers of splits are derivatives of log Q by the logs of the
// splits' weights, all of them found in one descent.
//
// Error: expected splits are right within 1e-11 and rounding, and the rounding error is relative,
// as all terms are positive. Probabilities are differences of two numbers of at most 1 that
// rounding leaves right within 3e-12 or so (numbers.hpp); they are never above the expected splits,
// and 0 where those are.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "exact/block_grammar.hpp"
#include "exact/engine.hpp"

namespace slp::exact {

// By blocks (interval_blocks/search.hpp) with this inner feature. Its root vector: d
// probabilities, d expected numbers.
std::unique_ptr<Pass> make_feature_use_pass(const Problem& problem, const Geometry& geometry,
                                            const BlockGrammar& grammar, std::uint32_t inner,
                                            bool likelihood, std::size_t memory,
                                            std::size_t n_threads);

}  // namespace slp::exact
