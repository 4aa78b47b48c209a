// The inside pass over a uniform grammar (chain.hpp) on a table of features of two values (cube.hpp).
//
// By families, as families.hpp does it: a few inner bits are left free, and all boxes that they cut
// out of a family's box have their values in one block (cube_cells.hpp). A split on an outer bit parts
// all of them at once, so one look-up serves them all.
//
// What a cube makes simpler: the keys of both sides of all splits come from one pass over the rows,
// each adding itself to the bits that it has. Families of few rows need no look-ups: sums over their
// sets of rows (small_boxes.hpp) give their values. Those of one row are not looked up at all. The
// values of all states are found together, as far down the chain as a box can be.

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
