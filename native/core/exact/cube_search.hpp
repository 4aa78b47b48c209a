// The inside pass over a uniform grammar (chain.hpp) on a table of features of two values (cube.hpp).
//
// Box by box, depth first, each once, as search.hpp does it, with what a cube makes simpler. The keys
// of both sides of all splits come from one pass over the rows, each adding itself to the features
// whose bit it has. Boxes of few rows need no look-ups: sums over their sets of rows
// (small_boxes.hpp) give their values. They are kept so as to be worked out once, but only those that
// larger boxes lead to; those of one row are not kept at all. The values of all states are found
// together, as far down the chain as the box can be.

#pragma once

#include <memory>

#include "exact/chain.hpp"
#include "exact/cube.hpp"
#include "exact/geometry.hpp"
#include "exact/problem.hpp"
#include "exact/uniform_search.hpp"

namespace slp::exact {

std::unique_ptr<UniformSearch> make_cube_search(const Problem& problem, const Geometry& geometry,
                                                const CubeTable& table, const Chain& chain,
                                                const UniformTask& task);

}  // namespace slp::exact
