#include "rjhmc/chain.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rjhmc/numbers.hpp"

namespace slp::rjhmc {

SoftTreeTransitions::SoftTreeTransitions(const Data& data, const TopologyPrior& prior,
                                         const SoftTreePlan& plan)
    : data_(data), prior_(prior), plan_(plan), model_(data), births_(model_) {
    model_.set_h(plan.h);
}

double SoftTreeTransitions::likelihood(const SoftTree& tree) {
    return data_.likelihood ? model_.log_likelihood(tree.nodes, tree.q) : 0.0;
}

void SoftTreeTransitions::step(Chain& chain, Random& random, bool warm_up, Tally& tally) {
    before_ = chain.tree;
    hmc_part(before_, chain.tuning, random, warm_up, tally);
    const double u = random.uniform();
    const Jump jump = u < kGrow ? Jump::grow : u < kGrow + kPrune ? Jump::prune : Jump::stay;
    double log_ratio = 0.0;
    bool proposed = true;
    if (jump == Jump::grow) {
        proposed = grow(random, log_ratio);
    } else if (jump == Jump::prune) {
        proposed = prune(random, log_ratio);
    }
    if (jump == Jump::stay || !proposed) {
        jumped_ = before_;
    }
    if (plan_.published) {
        published_end(chain.tree, warm_up, random, log_ratio, tally);
    }
    const bool accepted = accepts(random, log_ratio);
    if (accepted) {
        if (!plan_.published) {
            hmc_part(jumped_, chain.tuning, random, warm_up, tally);
        }
        std::swap(chain.tree, jumped_);
    }
    ++tally.jumps[static_cast<std::size_t>(jump)][!proposed ? 2 : accepted ? 0 : 1];
}

// The second HMC part as published: of every proposal, as in burn-in the ratio is that of the
// posterior densities of theta* and theta (equation 19), in place of theta'' and theta'.
void SoftTreeTransitions::published_end(const SoftTree& from, bool burn_in, Random& random,
                                        double& log_ratio, Tally& tally) {
    if (burn_in) {
        log_ratio += log_posterior(before_) - log_posterior(jumped_) - log_posterior(from);
    }
    published_part(jumped_, random, tally);
    if (burn_in) {
        log_ratio += log_posterior(jumped_);
    }
}

void SoftTreeTransitions::advance(Chain& chain, Random& random, std::uint64_t n, bool warm_up,
                                  Tally& tally) {
    for (std::uint64_t i = 0; i < n; ++i) {
        if (warm_up && !plan_.published) {
            const double half = 0.5 * static_cast<double>(plan_.warm_up);
            const double left = std::max(0.0, 1.0 - static_cast<double>(chain.tuning.made) / half);
            model_.set_h(plan_.h * std::pow(plan_.first_h / plan_.h, half > 0 ? left : 0.0));
        }
        step(chain, random, warm_up, tally);
        if (warm_up) {
            chain.tuning.count_step();
        }
        model_.set_h(plan_.h);
    }
}

void SoftTreeTransitions::stay(Chain& chain, Random& random, std::uint64_t n, bool warm_up,
                               Tally& tally) {
    for (std::uint64_t i = 0; i < n; ++i) {
        hmc_part(chain.tree, chain.tuning, random, warm_up, tally);
        if (warm_up) {
            chain.tuning.count_step();
        }
    }
}

std::array<double, 3> SoftTreeTransitions::score(const SoftTree& tree) {
    const std::size_t m = tree.n_inner(), sticks = data_.n_sticks();
    double jacobian = 0;
    for (std::size_t j = 0; j < m; ++j) {
        jacobian += log_logistic(tree.q[j]) + log_logistic(-tree.q[j]);
        double log_left = 0;
        for (std::size_t k = 0; k < sticks; ++k) {
            const double t =
                tree.q[m + j * sticks + k] - std::log(static_cast<double>(sticks - k));
            jacobian += log_left + log_logistic(t) + log_logistic(-t);
            log_left += log_logistic(-t);
        }
    }
    if (!data_.classes()) {
        jacobian += tree.q[m * (1 + sticks) + m + 1];
    }
    if (data_.free_h()) {
        jacobian += tree.q.back();
    }
    const double likelihood = model_.log_likelihood(tree.nodes, tree.q);
    const double density = model_.log_density(tree.nodes, tree.q, {});
    const double prior = density - (data_.likelihood ? likelihood : 0.0) - jacobian;
    return {prior_.log_weight(tree.nodes), prior, likelihood};
}

double SoftTreeTransitions::log_posterior(const SoftTree& tree) {
    const auto [weight, density, fit] = score(tree);
    return weight + density + (data_.likelihood ? fit : 0.0);
}

}  // namespace slp::rjhmc
