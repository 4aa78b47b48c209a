#include "rjhmc/topology_prior.hpp"

#include <cmath>

#include "problem/applicable_rules.hpp"
#include "rjhmc/numbers.hpp"

namespace slp::rjhmc {

const Rule* TopologyPrior::rule(std::int32_t state, RuleKind kind) const {
    for (const Rule& own : problem_.grammar.states[static_cast<std::size_t>(state)]) {
        if (own.kind == kind) {
            return &own;
        }
    }
    return nullptr;
}

TopologyPrior::Rates TopologyPrior::rates(std::int32_t state) const {
    const Rule* const leaf = rule(state, RuleKind::leaf);
    const Rule* const split = rule(state, RuleKind::split);
    Rates out{leaf == nullptr ? kNever : leaf->log_weight, kNever};
    if (split != nullptr) {
        for (std::size_t f = 0; f < problem_.table.features.size(); ++f) {
            if (has_two_values(f) &&
                problem_.grammar.takes_over(problem_.transitions(*split, f)[0])) {
                out.split = split->log_weight;
                break;
            }
        }
    }
    ApplicableRules applicable(problem_.grammar);
    applicable.add({out.leaf > kNever, true}, out.leaf);
    applicable.add({out.split > kNever, true}, out.split);
    return {out.leaf - applicable.log_divisor(), out.split - applicable.log_divisor()};
}

void TopologyPrior::choices(std::int32_t state, std::vector<FeatureChoice>& out) const {
    out.clear();
    const Rule* const split = rule(state, RuleKind::split);
    if (split == nullptr || soft_index_) {
        return;
    }
    double total = 0;
    for (std::size_t f = 0; f < problem_.table.features.size(); ++f) {
        const std::int32_t left = problem_.transitions(*split, f)[0];
        if (!has_two_values(f) || !problem_.grammar.takes_over(left)) {
            continue;
        }
        const double weight =
            split->weights.empty() ? problem_.grammar.feature_weights[f] : split->weights[f];
        total += weight;
        if (left >= 0 && weight > 0) {
            out.push_back({static_cast<std::int32_t>(f), weight});
        }
    }
    for (FeatureChoice& choice : out) {
        choice.probability /= total;
    }
}

bool TopologyPrior::below(std::int32_t state, std::int32_t feature, std::int32_t& left,
                          std::int32_t& right) const {
    const Rule* const split = rule(state, RuleKind::split);
    if (split == nullptr) {
        return false;
    }
    std::size_t f = static_cast<std::size_t>(feature < 0 ? 0 : feature);
    while (feature < 0 && f + 1 < problem_.table.features.size() && !has_two_values(f)) {
        ++f;
    }
    const auto pair = problem_.transitions(*split, f);
    left = pair[0];
    right = pair[1];
    return has_two_values(f) && left >= 0 && right >= 0;
}

bool TopologyPrior::relabel(Topology& tree, std::size_t node) const {
    // Preorder: a parent comes before its children.
    std::size_t open = 1;
    for (std::size_t v = node; open > 0; ++v) {
        if (tree[v].leaf()) {
            --open;
            continue;
        }
        ++open;
        SoftNode& right = tree[static_cast<std::size_t>(tree[v].right)];
        if (!below(tree[v].state, tree[v].feature, tree[v + 1].state, right.state)) {
            return false;
        }
    }
    return true;
}

double TopologyPrior::log_weight(const Topology& tree) const {
    if (!fits(tree.size() / 2 + 1)) {
        return kNever;
    }
    double out = 0;
    std::vector<FeatureChoice> allowed;
    for (const SoftNode& node : tree) {
        const Rates own = rates(node.state);
        out += node.leaf() ? own.leaf : own.split;
        if (node.leaf() || soft_index_) {
            continue;
        }
        choices(node.state, allowed);
        double probability = 0;
        for (const FeatureChoice& choice : allowed) {
            probability += choice.feature == node.feature ? choice.probability : 0.0;
        }
        out += std::log(probability);
    }
    return out;
}

}  // namespace slp::rjhmc
