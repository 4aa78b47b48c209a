// Trees and parameters drawn from the prior.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "rjhmc/chain.hpp"
#include "rjhmc/numbers.hpp"

namespace slp::rjhmc {

namespace {

// Gamma(a, 1) (Marsaglia & Tsang 2000), by its logarithm, which does not underflow for small a.
double log_gamma_variate(double a, Random& random) {
    if (a < 1) {
        return log_gamma_variate(a + 1, random) + std::log(open_uniform(random)) / a;
    }
    const double d = a - 1.0 / 3, c = 1.0 / std::sqrt(9 * d);
    while (true) {
        const double x = random.normal(), v = 1 + c * x;
        if (v <= 0) {
            continue;
        }
        const double cube = v * v * v;
        if (std::log(open_uniform(random)) < 0.5 * x * x + d - d * cube + d * std::log(cube)) {
            return std::log(d * cube);
        }
    }
}

}  // namespace

// logit tau, and sticks from their prior.
void SoftTreeTransitions::draw_own(Random& random, double tau, Vector& out) const {
    out.clear();
    out.push_back(logit(std::max(tau, 0x1p-54)));
    const std::size_t sticks = data_.n_sticks();
    double rest = std::accumulate(data_.delta.begin(), data_.delta.end(), 0.0);
    for (std::size_t k = 0; k < sticks; ++k) {
        rest -= data_.delta[k];
        const double z =
            log_gamma_variate(data_.delta[k], random) - log_gamma_variate(rest, random);
        out.push_back(z + std::log(static_cast<double>(sticks - k)));
    }
}

double SoftTreeTransitions::draw_mu(Random& random) const {
    return data_.mu_mean + data_.mu_sd * random.normal();
}

// The feature of a split in a state (-1 in HMC-DFI); false if the state allows none.
bool SoftTreeTransitions::draw_feature(std::int32_t state, Random& random, std::int32_t& feature) {
    feature = -1;
    if (data_.soft_index()) {
        return true;
    }
    prior_.choices(state, choices_);
    if (choices_.empty()) {
        return false;
    }
    weights_.clear();
    for (const FeatureChoice& choice : choices_) {
        weights_.push_back(choice.probability);
    }
    feature = choices_[random.among(weights_)].feature;
    return true;
}

// Ends or splits each node in turn; false where that fails.
bool SoftTreeTransitions::draw_tree(SoftTree& tree, Random& random) {
    const bool numbers = !data_.classes();
    tree.nodes.assign(1, SoftNode{-1, prior_.start(), -1});
    tree.q.clear();
    if (numbers) {
        tree.q.push_back(draw_mu(random));
        tree.q.push_back(std::log(data_.scale) - log_gamma_variate(data_.shape, random));
    }
    if (data_.free_h()) {
        tree.q.push_back(data_.log_h_mean + data_.log_h_sd * random.normal());
    }
    for (std::size_t v = 0; v < tree.nodes.size(); ++v) {
        const std::int32_t state = tree.nodes[v].state;
        const auto rates = prior_.rates(state);
        if (!(rates.leaf > kNever || rates.split > kNever) || tree.n_leaves() >= kMostLeaves) {
            return false;
        }
        const double most = std::max(rates.leaf, rates.split);
        const double splits = std::exp(rates.split - most);
        if (!random.happens(splits / (splits + std::exp(rates.leaf - most)))) {
            continue;
        }
        std::int32_t feature = -1;
        SoftNode left, right;
        if (!draw_feature(state, random, feature) ||
            !prior_.below(state, feature, left.state, right.state)) {
            return false;
        }
        draw_own(random, open_uniform(random), own_);
        const double both[2] = {draw_mu(random), draw_mu(random)};
        tree.grow(v, left, right, feature, own_, std::span<const double>(both, numbers ? 2 : 0));
    }
    return prior_.log_weight(tree.nodes) > kNever;
}

Chain SoftTreeTransitions::start(Random& random) {
    Chain out;
    for (int tries = 0; tries < 1000; ++tries) {
        if (draw_tree(out.tree, random)) {
            return out;
        }
    }
    throw std::length_error("the program draws no tree");
}

}  // namespace slp::rjhmc
