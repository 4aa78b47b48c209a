#include "rjhmc/chain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "rjhmc/numbers.hpp"

namespace slp::rjhmc {

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
// The probabilities of proposing to grow, to prune, and else to stay.
constexpr double kGrow = 0.4, kPrune = 0.4;
constexpr std::size_t kMostLeaves = 1000;

// A uniform number that is never 0.
double open_uniform(Random& random) { return random.uniform() + 0x1p-54; }

double logit(double x) { return std::log(x) - std::log1p(-x); }

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

Mover::Mover(const Data& data, const TopologyPrior& prior, const Plan& plan)
    : data_(data), prior_(prior), plan_(plan), model_(data), births_(model_) {
    model_.set_h(plan.h);
}

// logit tau, and sticks from their prior.
void Mover::draw_own(Random& random, double tau, Vector& out) const {
    out.clear();
    out.push_back(logit(std::max(tau, 0x1p-54)));
    const std::size_t sticks = data_.n_sticks();
    double rest = std::accumulate(data_.delta.begin(), data_.delta.end(), 0.0);
    for (std::size_t k = 0; k < sticks; ++k) {
        rest -= data_.delta[k];
        const double z = log_gamma_variate(data_.delta[k], random) - log_gamma_variate(rest, random);
        out.push_back(z + std::log(static_cast<double>(sticks - k)));
    }
}

void Mover::own_of(const SoftTree& tree, std::size_t node, Vector& out) const {
    const std::size_t j = tree.inner_before(node), m = tree.n_inner(), sticks = data_.n_sticks();
    out.assign(1, tree.q[j]);
    for (std::size_t k = 0; k < sticks; ++k) {
        out.push_back(tree.q[m + j * sticks + k]);
    }
}

double Mover::likelihood(const SoftTree& tree) {
    return data_.likelihood ? model_.log_likelihood(tree.nodes, tree.q) : 0.0;
}

Chain Mover::start(Random& random) {
    Chain out;
    SoftTree& tree = out.tree;
    const bool numbers = !data_.classes();
    const auto mu = [&] { return data_.mu_mean + data_.mu_sd * random.normal(); };
    for (int tries = 0; tries < 1000; ++tries) {
        tree.nodes.assign(1, Node{-1, prior_.start(), -1});
        tree.q.clear();
        if (numbers) {
            tree.q.push_back(mu());
            tree.q.push_back(std::log(data_.scale) - log_gamma_variate(data_.shape, random));
        }
        bool whole = true;
        for (std::size_t v = 0; whole && v < tree.nodes.size(); ++v) {
            const std::int32_t state = tree.nodes[v].state;
            const auto rates = prior_.rates(state);
            if (!(rates.leaf > kNever || rates.split > kNever) || tree.n_leaves() > kMostLeaves) {
                whole = false;
                break;
            }
            const double most = std::max(rates.leaf, rates.split);
            const double splits = std::exp(rates.split - most);
            if (!random.happens(splits / (splits + std::exp(rates.leaf - most)))) {
                continue;
            }
            prior_.choices(state, choices_);
            std::int32_t feature = -1;
            if (!data_.soft_index()) {
                Vector weights;
                for (const Choice& choice : choices_) {
                    weights.push_back(choice.probability);
                }
                if (weights.empty()) {
                    whole = false;
                    break;
                }
                feature = choices_[random.among(weights)].feature;
            }
            Node left, right;
            whole = prior_.below(state, feature, left.state, right.state);
            draw_own(random, open_uniform(random), own_);
            const double both[2] = {mu(), mu()};
            if (whole) {
                tree.grow(v, left, right, feature, own_,
                          std::span<const double>(both, numbers ? 2 : 0));
            }
        }
        if (whole && prior_.log_weight(tree.nodes) > kNever) {
            return out;
        }
    }
    throw std::length_error("the program draws no tree");
}

std::size_t Mover::n_growable(const SoftTree& tree) const {
    if (!prior_.fits(tree.n_leaves() + 1)) {
        return 0;
    }
    return static_cast<std::size_t>(
        std::count_if(tree.nodes.begin(), tree.nodes.end(), [this](const Node& node) {
            return node.leaf() && prior_.rates(node.state).split > kNever;
        }));
}

std::size_t Mover::n_prunable(const SoftTree& tree) const {
    std::size_t out = 0;
    for (std::size_t v = 0; v < tree.nodes.size(); ++v) {
        out += static_cast<std::size_t>(tree.prunable(v) &&
                                        prior_.rates(tree.nodes[v].state).leaf > kNever);
    }
    return out;
}

// Proposes `jumped_` from `before_`; false if nothing can be grown.
bool Mover::grow(Random& random, double& log_ratio) {
    const std::size_t growable = n_growable(before_);
    if (growable == 0) {
        return false;
    }
    std::size_t which = random.index(growable), leaf = 0;
    for (;; ++leaf) {
        const Node& node = before_.nodes[leaf];
        if (node.leaf() && prior_.rates(node.state).split > kNever && which-- == 0) {
            break;
        }
    }
    prior_.choices(before_.nodes[leaf].state, choices_);
    births_.look_at(before_, leaf, choices_, plan_.informed);
    std::int32_t feature = -1;
    double tau = 0;
    births_.draw(random, feature, tau);
    Node left, right;
    if (!prior_.below(before_.nodes[leaf].state, feature, left.state, right.state)) {
        log_ratio = kNever;  // every feature that could be drawn fails
        return true;
    }
    draw_own(random, tau, own_);
    const double gain = births_.gain(feature, own_);
    double mu[2] = {0, 0};
    if (!data_.classes()) {
        births_.draw_pair(random, mu);
    }
    jumped_ = before_;
    jumped_.grow(leaf, left, right, feature, own_,
                 std::span<const double>(mu, data_.classes() ? 0 : 2));
    double share = 0.0;  // the prior probability of the feature is in both weight and proposal
    for (const Choice& choice : choices_) {
        share += choice.feature == feature ? std::log(choice.probability) : 0.0;
    }
    log_ratio = gain + prior_.log_weight(jumped_.nodes) - prior_.log_weight(before_.nodes) - share -
                births_.log_ratio(feature, tau) +
                std::log(kPrune / kGrow * static_cast<double>(growable) /
                         static_cast<double>(n_prunable(jumped_)));
    return true;
}

bool Mover::prune(Random& random, double& log_ratio) {
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
    jumped_.prune(node, data_.n_sticks(), !data_.classes(), 0.0);
    prior_.choices(jumped_.nodes[node].state, choices_);
    births_.look_at(jumped_, node, choices_, plan_.informed);
    const double gain = births_.gain(feature, own_);
    if (!data_.classes()) {
        const std::size_t l = node - jumped_.inner_before(node);
        jumped_.q[jumped_.n_inner() * (1 + data_.n_sticks()) + l] = births_.draw_one(random);
    }
    double share = 0.0;
    for (const Choice& choice : choices_) {
        share += choice.feature == feature ? std::log(choice.probability) : 0.0;
    }
    log_ratio = -gain + prior_.log_weight(jumped_.nodes) - prior_.log_weight(before_.nodes) + share +
                births_.log_ratio(feature, logistic(own_[0]).it) -
                std::log(kPrune / kGrow * static_cast<double>(n_growable(jumped_)) /
                         static_cast<double>(prunable));
    return true;
}

// Metropolis steps for the feature of each inner node, in random order: a feature drawn by its
// prior probability, half of the time with a new tau from its prior. What is proposed has the prior
// density of what it replaces, except where other states below change.
void Mover::sweep(SoftTree& tree, Random& random, Tally& tally) {
    order_.clear();
    for (std::size_t v = 0; v < tree.nodes.size(); ++v) {
        if (!tree.nodes[v].leaf()) {
            order_.push_back(v);
        }
    }
    for (std::size_t i = order_.size(); i > 1; --i) {
        std::swap(order_[i - 1], order_[random.index(i)]);
    }
    double now = likelihood(tree), weight = prior_.log_weight(tree.nodes);
    for (const std::size_t v : order_) {
        prior_.choices(tree.nodes[v].state, choices_);
        double left = random.uniform(), new_share = 0, old_share = 0;
        const Choice* chosen = &choices_.back();
        for (const Choice& choice : choices_) {
            old_share += choice.feature == tree.nodes[v].feature ? choice.probability : 0.0;
            if (left >= 0 && (left -= choice.probability) < 0) {
                chosen = &choice;
            }
        }
        new_share = chosen->probability;
        tried_ = tree;
        tried_.nodes[v].feature = chosen->feature;
        if (random.happens(0.5)) {
            tried_.q[tried_.inner_before(v)] = logit(open_uniform(random));
        }
        ++tally.features_tried;
        if (!prior_.relabel(tried_.nodes, v)) {
            continue;
        }
        const double other_weight = prior_.log_weight(tried_.nodes);
        if (!(other_weight > kNever)) {
            continue;
        }
        const double other = likelihood(tried_);
        const double log_ratio =
            other - now + other_weight - weight + std::log(old_share / new_share);
        if (std::log(open_uniform(random)) < log_ratio) {
            std::swap(tree, tried_);
            now = other;
            weight = other_weight;
            ++tally.features_accepted;
        }
    }
}

void Mover::hmc_part(SoftTree& tree, Tuning& tuning, Random& random, bool warm_up, Tally& tally) {
    const std::size_t m = tree.n_inner(), dimension = data_.dimension(m);
    const bool sweeps = !data_.soft_index() && m > 0;
    if (sweeps) {
        sweep(tree, random, tally);
    }
    if (dimension > 0) {
        const auto target = [&](std::span<const double> q, std::span<double> gradient) {
            return model_.log_density(tree.nodes, q, gradient);
        };
        tuning.metric(data_, m, variance_);
        position_.q = tree.q;
        position_.gradient.resize(dimension);
        position_.log_density = target(position_.q, position_.gradient);
        for (std::uint32_t i = 0; i < plan_.transitions; ++i) {
            const double step = tuning.step(m, warm_up);
            const Moved moved =
                plan_.leapfrogs == 0
                    ? dynamics_.no_u_turn(position_, step, variance_, random, target)
                    : dynamics_.plain(position_, step, variance_,
                                      static_cast<int>(plan_.leapfrogs), random, target);
            if (warm_up) {
                tuning.learn(data_, m, moved, position_);
            }
            ++tally.trajectories;
            tally.divergent += static_cast<std::uint64_t>(moved.divergent);
            tally.gradients += moved.steps;
        }
        tree.q = position_.q;
    }
    if (sweeps) {
        sweep(tree, random, tally);
    }
}

void Mover::step(Chain& chain, Random& random, bool warm_up, Tally& tally) {
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
    const bool accepted = std::log(open_uniform(random)) < log_ratio;
    if (accepted) {
        hmc_part(jumped_, chain.tuning, random, warm_up, tally);
        std::swap(chain.tree, jumped_);
    }
    ++tally.jumps[static_cast<std::size_t>(jump)][!proposed ? 2 : accepted ? 0 : 1];
}

void Mover::advance(Chain& chain, Random& random, std::uint64_t n, bool warm_up, Tally& tally) {
    for (std::uint64_t i = 0; i < n; ++i) {
        if (warm_up) {
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

void Mover::stay(Chain& chain, Random& random, std::uint64_t n, bool warm_up, Tally& tally) {
    for (std::uint64_t i = 0; i < n; ++i) {
        hmc_part(chain.tree, chain.tuning, random, warm_up, tally);
        if (warm_up) {
            chain.tuning.count_step();
        }
    }
}

std::array<double, 3> Mover::score(const SoftTree& tree) {
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
        jacobian += tree.q.back();
    }
    const double likelihood = model_.log_likelihood(tree.nodes, tree.q);
    const double density = model_.log_density(tree.nodes, tree.q, {});
    const double prior = density - (data_.likelihood ? likelihood : 0.0) - jacobian;
    return {prior_.log_weight(tree.nodes), prior, likelihood};
}

}  // namespace slp::rjhmc
