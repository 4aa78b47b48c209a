// The inside pass by binary-feature blocks, on a table of features of two
// values (binary_blocks/table.hpp).
//
// A few inner bits are free in a block, and the values of all boxes that they cut out of the
// block's box lie side by side (binary_blocks/cells.hpp). A split on an outer bit splits all of
// these boxes at once, so one look-up serves them all.
//
// Features of two values make three things simpler. The keys of both sides of all splits come from
// one pass over the rows, in which each row adds itself to the bits that it has. Blocks of few
// rows need no look-ups: sums over their sets of rows (binary_blocks/small_boxes.hpp) give their
// values, and blocks of one row are known in advance.
//
// Where boxes have several states, no bit is inner: the values of a box in all states lie side by
// side. A split adds its part run by run (block_grammar.hpp). Splits that all states treat alike
// are of one kind. Where states are depths, those that a box cannot have are left out.

#pragma once

#include <memory>

#include "exact/binary_blocks/table.hpp"
#include "exact/block_search.hpp"
#include "exact/block_grammar.hpp"
#include "problem/problem.hpp"

namespace slp::exact {

std::unique_ptr<BlockSearch> make_binary_block_search(const Problem& problem,
                                                      const AnyBinaryTable& table,
                                                      const BlockGrammar& grammar,
                                                      const BlockTask& task);

}  // namespace slp::exact
