// Births and deaths of a split, with the log of the ratio by which they are accepted.

#include <algorithm>
#include <cmath>

#include "rjhmc/chain.hpp"
#include "rjhmc/numbers.hpp"

namespace slp::rjhmc {

void SoftTreeTransitions::own_of(const SoftTree& tree, std::size_t node, Vector& out) const {
    const std::size_t j = tree.inner_before(node), m = tree.n_inner(), sticks = data_.n_sticks();
    out.assign(1, tree.q[j]);
    for (std::size_t k = 0; k < sticks; ++k) {
        out.push_back(tree.q[m + j * sticks + k]);
    }
}

double& SoftTreeTransitions::mu_of(SoftTree& tree, std::size_t leaf) const {
    const std::size_t l = leaf - tree.inner_before(leaf);
    return tree.q[tree.n_inner() * (1 + data_.n_sticks()) + l];
}

// Log of the prior probability of a feature of `choices_`; 0 in HMC-DFI.
double SoftTreeTransitions::log_probability(std::int32_t feature) const {
    double out = 0.0;
    for (const FeatureChoice& choice : choices_) {
        out += choice.feature == feature ? std::log(choice.probability) : 0.0;
    }
    return out;
}

std::size_t SoftTreeTransitions::n_growable(const SoftTree& tree) const {
    if (!prior_.fits(tree.n_leaves() + 1)) {
        return 0;
    }
    return static_cast<std::size_t>(
        std::count_if(tree.nodes.begin(), tree.nodes.end(), [this](const SoftNode& node) {
            return node.leaf() && prior_.rates(node.state).split > kNever;
        }));
}

std::size_t SoftTreeTransitions::n_prunable(const SoftTree& tree) const {
    std::size_t out = 0;
    for (std::size_t v = 0; v < tree.nodes.size(); ++v) {
        out += static_cast<std::size_t>(tree.prunable(v) &&
                                        prior_.rates(tree.nodes[v].state).leaf > kNever);
    }
    return out;
}

// Proposes `jumped_` from `before_`; false if nothing can be grown.
bool SoftTreeTransitions::grow(Random& random, double& log_ratio) {
    const std::size_t growable = n_growable(before_);
    if (growable == 0) {
        return false;
    }
    std::size_t which = random.index(growable), leaf = 0;
    for (;; ++leaf) {
        const SoftNode& node = before_.nodes[leaf];
        if (node.leaf() && prior_.rates(node.state).split > kNever && which-- == 0) {
            break;
        }
    }
    prior_.choices(before_.nodes[leaf].state, choices_);
    births_.look_at(before_, leaf, choices_, plan_.informed);
    std::int32_t feature = -1;
    double tau = 0;
    births_.draw(random, feature, tau);
    SoftNode left, right;
    if (!prior_.below(before_.nodes[leaf].state, feature, left.state, right.state)) {
        log_ratio = kNever;  // every feature that could be drawn fails
        return true;
    }
    draw_own(random, tau, own_);
    double gain = births_.gain(feature, own_), mu[2] = {0, 0};
    const bool numbers = !data_.classes();
    if (numbers && plan_.informed) {
        births_.draw_pair(random, mu);
    } else if (numbers) {
        mu[0] = mu_of(before_, leaf);
        mu[1] = draw_mu(random);
    }
    jumped_ = before_;
    jumped_.grow(leaf, left, right, feature, own_, std::span<const double>(mu, numbers ? 2 : 0));
    if (numbers && !plan_.informed) {
        gain = likelihood(jumped_) - likelihood(before_);
    }
    // The prior probability of the feature is in both weight and proposal.
    const double own = log_probability(feature);
    log_ratio = gain + prior_.log_weight(jumped_.nodes) - prior_.log_weight(before_.nodes) - own -
                births_.log_ratio(feature, tau) +
                std::log(kPrune / kGrow * static_cast<double>(growable) /
                         static_cast<double>(n_prunable(jumped_)));
    return true;
}

bool SoftTreeTransitions::prune(Random& random, double& log_ratio) {
    const std::size_t prunable = n_prunable(before_);
    if (prunable == 0) {
        return false;
    }
    std::size_t which = random.index(prunable), node = 0;
    for (;; ++node) {
        if (before_.prunable(node) && prior_.rates(before_.nodes[node].state).leaf > kNever &&
            which-- == 0) {
            break;
        }
    }
    own_of(before_, node, own_);
    const std::int32_t feature = before_.nodes[node].feature;
    jumped_ = before_;
    const double mu = data_.classes() ? 0.0 : mu_of(before_, node + 1);
    jumped_.prune(node, data_.n_sticks(), !data_.classes(), mu);
    prior_.choices(jumped_.nodes[node].state, choices_);
    births_.look_at(jumped_, node, choices_, plan_.informed);
    double gain = births_.gain(feature, own_);
    if (!data_.classes() && plan_.informed) {
        mu_of(jumped_, node) = births_.draw_one(random);
    } else if (!data_.classes()) {
        gain = likelihood(before_) - likelihood(jumped_);
    }
    const double own = log_probability(feature);
    log_ratio = -gain + prior_.log_weight(jumped_.nodes) - prior_.log_weight(before_.nodes) + own +
                births_.log_ratio(feature, logistic(own_[0]).it) -
                std::log(kPrune / kGrow * static_cast<double>(n_growable(jumped_)) /
                         static_cast<double>(prunable));
    return true;
}

}  // namespace slp::rjhmc
