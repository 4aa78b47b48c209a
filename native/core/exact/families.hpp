// The inside pass over a uniform grammar (chain.hpp), family by family.
//
// One numeric feature is the inner one. A family is a box that leaves it free; its members are the
// box's parts between any two of the inner values that occur in it: k values, k (k + 1) / 2 members,
// kept as one triangle. A split on an outer feature parts all members of a family at once: the left
// sides are members of one family, the right sides of another. So a family costs one look-up for
// each side of each outer split, and the sums over splits then run along rows of triangles. Splits
// on the inner feature stay inside the family. Looking up each member's children by themselves takes
// some fifty times the look-ups, and they are what such a pass waits for.
//
// Members of several families that hold the same rows are one box. It is worked out in the smallest
// such family, where it touches the outer bounds on all sides, and copied to the others.

#pragma once

#include <cstdint>
#include <memory>

#include "exact/chain.hpp"
#include "exact/geometry.hpp"
#include "exact/problem.hpp"
#include "exact/uniform_search.hpp"

namespace slp::exact {

std::unique_ptr<UniformSearch> make_family_search(const Problem& problem, const Geometry& geometry,
                                                  const Chain& chain, std::uint32_t inner,
                                                  const UniformTask& task);

}  // namespace slp::exact
