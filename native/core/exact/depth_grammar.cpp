#include "exact/depth_grammar.hpp"

#include <algorithm>
#include <cmath>

#include "problem/split_measures.hpp"

namespace slp::exact {

namespace {

// The state that every split of a rule leads to on both sides; -1 if there is no such state.
std::int32_t next_state(const Rule& rule) {
    const std::int32_t next = rule.transitions.empty() ? -1 : rule.transitions.front();
    const bool same = std::all_of(rule.transitions.begin(), rule.transitions.end(),
                                  [next](std::int32_t state) { return state == next; });
    return same ? next : -1;
}

struct Choice {
    const Rule* leaf = nullptr;
    const Rule* split = nullptr;
};

std::optional<Choice> choice_of(const std::vector<Rule>& rules) {
    Choice out;
    for (const Rule& rule : rules) {
        if (!rule.rows.empty()) {
            return std::nullopt;
        }
        if (rule.kind == RuleKind::leaf && rule.majority.empty() && out.leaf == nullptr) {
            out.leaf = &rule;
        } else if (rule.kind == RuleKind::split && out.split == nullptr) {
            out.split = &rule;
        } else {
            return std::nullopt;
        }
    }
    return out.leaf == nullptr ? std::nullopt : std::optional(out);
}

DepthGrammar::Node node_of(const Choice& choice, bool normalise) {
    const double leaf = std::exp(choice.leaf->log_weight);
    const double split = choice.split == nullptr ? 0.0 : std::exp(choice.split->log_weight);
    if (!normalise) {
        return {leaf, leaf, split};
    }
    return {1.0, leaf / (leaf + split), split / (leaf + split)};
}

}  // namespace

std::optional<DepthGrammar> depth_grammar_of(const Grammar& grammar) {
    if (grammar.max_leaves > 0 || grammar.states.open()) {
        return std::nullopt;
    }
    DepthGrammar by_depth;
    by_depth.depth_of_state.assign(grammar.states.size(), -1);
    bool has_measure = false;
    std::int32_t state = grammar.start;
    while (state >= 0 && by_depth.depth_of_state[static_cast<std::size_t>(state)] < 0) {
        const auto at = static_cast<std::size_t>(state);
        const std::optional<Choice> choice = choice_of(grammar.states[at]);
        if (!choice) {
            return std::nullopt;
        }
        by_depth.depth_of_state[at] = static_cast<std::int32_t>(by_depth.nodes.size());
        by_depth.nodes.push_back(node_of(*choice, grammar.normalise));
        if (choice->split == nullptr) {
            return by_depth;
        }
        if (has_measure && choice->split->measure != by_depth.measure) {
            return std::nullopt;
        }
        by_depth.measure = choice->split->measure;
        has_measure = true;
        if (!depends_on_counts(by_depth.measure)) {
            return std::nullopt;
        }
        const std::int32_t next = next_state(*choice->split);
        if (next < 0) {
            return std::nullopt;
        }
        by_depth.endless = next == state;
        if (!by_depth.endless && by_depth.depth_of_state[static_cast<std::size_t>(next)] >= 0) {
            return std::nullopt;  // a longer cycle
        }
        state = next;
    }
    return by_depth;
}

DepthGrammar counting_grammar(const DepthGrammar& by_depth, std::size_t n_rows) {
    DepthGrammar out = by_depth;
    for (DepthGrammar::Node& node : out.nodes) {
        node = {1.0, 1.0, node.split > 0.0 ? 1.0 : 0.0};
    }
    out.measure = Measure::each;
    if (out.nodes.size() >= n_rows || (out.endless && out.nodes.size() == 1)) {
        out.nodes.assign(1, {1.0, 1.0, 1.0});
        out.endless = true;
        std::fill(out.depth_of_state.begin(), out.depth_of_state.end(), 0);
    }
    return out;
}

}  // namespace slp::exact
