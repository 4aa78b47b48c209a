// Call rules keep the box and change the state; their graph has no cycle.

#pragma once

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "problem/problem.hpp"

namespace slp {

// For each state the length of the longest sequence of calls from it. Throws std::invalid_argument
// if calls have a cycle.
inline std::vector<std::size_t> call_ranks(const Grammar& grammar) {
    std::vector<std::size_t> rank(grammar.states.size(), 0);
    for (bool settled = false; !settled;) {
        settled = true;
        for (std::size_t s = 0; s < rank.size(); ++s) {
            for (const Rule& rule : grammar.states[s]) {
                if (rule.kind == RuleKind::call &&
                    rank[s] <= rank[static_cast<std::size_t>(rule.state)]) {
                    rank[s] = rank[static_cast<std::size_t>(rule.state)] + 1;
                    settled = false;
                    if (rank[s] == rank.size()) {
                        throw std::invalid_argument("calls go round");
                    }
                }
            }
        }
    }
    return rank;
}

}  // namespace slp
