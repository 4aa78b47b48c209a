// Which features trees split on, and how often, from sums alone.
//
// The probability that a tree splits on a feature is 1 - Q'/Q, where Q is the weight of all trees
// and Q' that of those that do not split on it, all weights left as they are: a search like any
// other in which that feature's splits are not followed. It visits only the boxes that the other
// features bound, far fewer. Expected numbers of splits are derivatives of log Q by the logs of
// the splits' weights, all of them found in one descent.
//
// Error: expected splits are right within 1e-11 and rounding, relative to themselves as far as
// rounding goes, as all terms are positive. Probabilities are differences of two numbers of at
// most 1 that rounding leaves right within 3e-12 or so (numbers.hpp); they are never above the
// expected splits, and 0 where those are.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "exact/depth_grammar.hpp"
#include "exact/engine.hpp"

namespace slp::exact {

// By blocks (interval_blocks/search.hpp) with this inner feature. Its root vector: d
// probabilities, d expected numbers.
std::unique_ptr<Pass> make_feature_use_pass(const Problem& problem, const Geometry& geometry,
                                            const DepthGrammar& by_depth, std::uint32_t inner,
                                            bool likelihood, std::size_t memory,
                                            std::size_t n_threads);

}  // namespace slp::exact
