// Uniform grammars: a node's depth alone says what it may do.
//
// Their states form a chain: every split of a state leads to the next state on both sides, whatever
// feature and threshold. The last state only ends in leaves, or goes on into itself (a chain of one
// state that does: a node may do the same at every depth).

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "exact/problem.hpp"

namespace slp::exact {

struct Chain {
    // Weights of one state, on the probability scale.
    struct Link {
        double leaf_alone;  // a leaf, where the box cannot be split
        double leaf;        // a leaf, where it can
        double split;       // a split, before its share is taken
    };
    std::vector<Link> links;
    bool endless = false;
    Measure measure = Measure::each;
    // Place of each state in the chain; -1 for one that is never reached.
    std::vector<std::int32_t> place;
};

// The chain of a grammar whose every state has a leaf rule, or nothing if it is no such grammar or
// an open one.
// Neither counted leaves nor constraints nor the measures `gap` and `partition` are uniform: what
// they allow or weigh depends on thresholds and rows.
std::optional<Chain> chain_of(const Grammar& grammar);

// The same chain with all weights 1, shortened to one state where no box of n distinct rows is deep
// enough to meet its end.
Chain counting_chain(const Chain& chain, std::size_t n_rows);

}  // namespace slp::exact
