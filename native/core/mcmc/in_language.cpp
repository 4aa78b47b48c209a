#include "mcmc/in_language.hpp"

#include <algorithm>

#include "problem/applicable_rules.hpp"

namespace slp::mcmc {

InLanguage::InLanguage(const Problem& problem, const Geometry& geometry)
    : problem_(problem), geometry_(geometry), statistics_(problem.leaf.n_statistics()) {}

bool InLanguage::holds(const Proof& proof) {
    states_.assign(1, problem_.grammar.start);
    for (const ProofNode& node : proof.nodes) {
        const auto& rules = problem_.grammar.states[static_cast<std::size_t>(states_.back())];
        states_.pop_back();
        const RuleKind kind = node.n_parts() == 0 ? RuleKind::leaf : RuleKind::split;
        const auto rule = std::find_if(rules.begin(), rules.end(),
                                       [&](const Rule& own) { return own.kind == kind; });
        if (rule == rules.end()) {
            return false;
        }
        if (kind == RuleKind::leaf) {
            if (!leaf_allowed(*rule, proof.rows_of(node))) {
                return false;
            }
            continue;
        }
        const Taken& taken = node.taken;
        const auto& feature = problem_.table.features[static_cast<std::size_t>(taken.feature)];
        const std::int32_t cell = feature.cell(taken.cut);
        const std::int32_t* to = &rule->transitions[static_cast<std::size_t>(cell) * 2];
        if (to[0] < 0) {
            return false;
        }
        states_.push_back(to[1]);
        states_.push_back(to[0]);
    }
    return true;
}

bool InLanguage::leaf_allowed(const Rule& rule, Rows rows) {
    if (rule.majority.empty()) {
        return true;
    }
    problem_.leaf.sum(rows, statistics_.data());
    return has_majority(rule.majority, statistics_);
}

}  // namespace slp::mcmc
