// The choice of the inner feature of interval blocks.

#pragma once

#include <cstdint>
#include <optional>

#include "exact/block_grammar.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"

namespace slp::exact {

// A feature with more codes is not the inner one.
inline constexpr std::int32_t kMostInnerCodes = 256;

// The feature to take as the inner one: of those that thresholds split and some state splits on,
// the one whose blocks have the most members that are worked out in them, in a sample of blocks.
// None if no feature has enough members to save time. excluded: a feature that no tree splits on,
// -1 for none; without it the best is taken whatever it is worth.
std::optional<std::uint32_t> inner_feature(const Problem& problem, const BlockGrammar& grammar,
                                           std::int32_t excluded = -1);

// Whether weights of features and splits are similar enough that products with values do not
// underflow.
bool weights_are_alike(const Problem& problem, const Geometry& geometry, Measure measure);

}  // namespace slp::exact
