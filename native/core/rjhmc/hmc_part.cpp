// HMC at one topology: a sweep over features, trajectories, and the sweep again; or as published.

#include <algorithm>
#include <cmath>
#include <utility>

#include "rjhmc/chain.hpp"
#include "rjhmc/numbers.hpp"

namespace slp::rjhmc {

void SoftTreeTransitions::shuffle_inner_nodes(const SoftTree& tree, Random& random) {
    order_.clear();
    for (std::size_t v = 0; v < tree.nodes.size(); ++v) {
        if (!tree.nodes[v].leaf()) {
            order_.push_back(v);
        }
    }
    for (std::size_t i = order_.size(); i > 1; --i) {
        std::swap(order_[i - 1], order_[random.index(i)]);
    }
}

// Metropolis steps for the feature of each inner node, in random order: a feature drawn by its
// prior probability, half of the time with a new tau from its prior (never as published). What is
// proposed has the prior density of what it replaces, except where other states below change.
void SoftTreeTransitions::sweep(SoftTree& tree, Random& random, Tally& tally) {
    shuffle_inner_nodes(tree, random);
    double now = likelihood(tree), weight = prior_.log_weight(tree.nodes);
    for (const std::size_t v : order_) {
        prior_.choices(tree.nodes[v].state, choices_);
        double left = random.uniform();
        const FeatureChoice* chosen = &choices_.back();
        for (const FeatureChoice& choice : choices_) {
            if (left >= 0 && (left -= choice.probability) < 0) {
                chosen = &choice;
            }
        }
        const double features =
            log_probability(tree.nodes[v].feature) - std::log(chosen->probability);
        tried_ = tree;
        tried_.nodes[v].feature = chosen->feature;
        if (!plan_.published && random.happens(0.5)) {
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
        const double log_ratio = other - now + other_weight - weight + features;
        if (accepts(random, log_ratio)) {
            std::swap(tree, tried_);
            now = other;
            weight = other_weight;
            ++tally.features_accepted;
        }
    }
}

Moved SoftTreeTransitions::trajectory(double step, std::span<const double> variance,
                                      const SoftTree& tree, Random& random, Tally& tally) {
    const auto target = target_of(tree);
    const Moved moved =
        plan_.leapfrogs == 0
            ? dynamics_.no_u_turn(position_, step, variance, random, target)
            : dynamics_.plain(position_, step, variance, static_cast<int>(plan_.leapfrogs),
                              random, target);
    ++tally.trajectories;
    tally.divergent += static_cast<std::uint64_t>(moved.divergent);
    tally.gradients += moved.steps;
    return moved;
}

// The position at a tree's parameters.
void SoftTreeTransitions::place(const SoftTree& tree) {
    position_.q = tree.q;
    position_.gradient.resize(tree.q.size());
    position_.log_density = target_of(tree)(position_.q, position_.gradient);
}

void SoftTreeTransitions::hmc_part(SoftTree& tree, Tuning& tuning, Random& random, bool warm_up,
                                   Tally& tally) {
    if (plan_.published) {
        published_part(tree, random, tally);
        return;
    }
    const std::size_t m = tree.n_inner(), dimension = data_.dimension(m);
    const bool sweeps = !data_.soft_index() && m > 0;
    if (sweeps) {
        sweep(tree, random, tally);
    }
    if (dimension > 0) {
        tuning.metric(data_, m, variance_);
        place(tree);
        for (std::uint32_t i = 0; i < plan_.transitions; ++i) {
            const double step = tuning.step(m, warm_up);
            const Moved moved = trajectory(step, variance_, tree, random, tally);
            if (warm_up) {
                tuning.learn(data_, m, moved, position_);
            }
        }
        tree.q = position_.q;
    }
    if (sweeps) {
        sweep(tree, random, tally);
    }
}

// Step size and metric are learned anew, while h falls linearly to that of the model until the last
// window ends. Before each trajectory is a sweep. This is not reversible.
void SoftTreeTransitions::published_part(SoftTree& tree, Random& random, Tally& tally) {
    const std::size_t m = tree.n_inner(), dimension = data_.dimension(m);
    if (dimension == 0) {
        return;
    }
    constexpr int kFalls = Windows::kLength - Windows::kBehind;
    bool finds_step = true;
    windows_.begin(dimension);
    for (int i = 0; i < Windows::kLength + static_cast<int>(plan_.transitions); ++i) {
        const double left = std::max(0.0, 1.0 - static_cast<double>(i) / kFalls);
        model_.set_h(plan_.h + left * (plan_.first_h - plan_.h));
        if (!data_.soft_index() && m > 0) {
            sweep(tree, random, tally);
        }
        place(tree);
        if (finds_step) {
            windows_.step.restart(dynamics_.first_step(position_, windows_.variance, random,
                                                       target_of(tree)));
        }
        const bool learns = i < Windows::kLength;
        const double step = std::exp(learns ? windows_.step.log_step : windows_.step.averaged);
        const Moved moved = trajectory(step, windows_.variance, tree, random, tally);
        finds_step = learns && windows_.learn(i, moved, position_);
        tree.q = position_.q;
    }
    model_.set_h(plan_.h);
}

}  // namespace slp::rjhmc
