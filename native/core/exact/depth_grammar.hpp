// Depth grammars: the depth of a node alone decides its rules.
//
// Their states follow each other: every split of a state leads to the next state on both sides,
// for every feature and threshold. The last state allows only leaves, or leads to itself. The
// position of a state in this order is its depth index; where the last state leads to itself, its
// index stands for all greater depths too.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "problem/problem.hpp"

namespace slp::exact {

struct DepthGrammar {
    // Weights of one state, on the probability scale.
    struct Node {
        double leaf_alone;  // a leaf, if the box cannot be split
        double leaf;        // a leaf, if it can
        double split;       // a split, before it is divided among the splits
    };
    std::vector<Node> nodes;
    bool endless = false;
    Measure measure = Measure::each;
    // The depth index of each state; -1 for one that is never reached.
    std::vector<std::int32_t> depth_of_state;
};

// The depth grammar of a grammar in which every state has a leaf rule; nothing for other grammars
// and for open ones. Grammars with counted leaves, with constraints, or with the measures `gap` and
// `partition` are not depth grammars, because these depend on thresholds and rows.
std::optional<DepthGrammar> depth_grammar_of(const Grammar& grammar);

// The same depth grammar with all weights 1, shortened to one state if no box of n distinct rows is
// deep enough to reach its end.
DepthGrammar counting_grammar(const DepthGrammar& by_depth, std::size_t n_rows);

}  // namespace slp::exact
