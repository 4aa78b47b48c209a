// The runs of a block grammar: where splits of a class lead to states that stand one after the
// other, their terms go together (BlockGrammar::Run).

#pragma once

#include <cstddef>
#include <span>

#include "exact/block_grammar.hpp"
#include "exact/flat_state.hpp"
#include "problem/problem.hpp"

namespace slp::exact {

// States in the order in which their nodes stand in the block grammar.
struct OrderedStates {
    std::span<const Flat> flat;
    std::span<const std::size_t> order;  // numbers in `flat`
    // Whether some split leads back to the start, the first of them.
    bool start_returns;
};

// Adds the runs to a block grammar that has its nodes, share classes, split classes and states of
// products, and finds whether it is a chain. cell_of_class: a cell of each split class.
void add_runs(const Problem& problem, const OrderedStates& states,
              std::span<const std::size_t> cell_of_class, BlockGrammar& out);

}  // namespace slp::exact
