#include "rjhmc/births.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rjhmc/numbers.hpp"
#include "rjhmc/rows.hpp"

namespace slp::rjhmc {

void Births::look_at(const SoftTree& tree, std::size_t leaf, std::span<const FeatureChoice> choices,
                     bool informed) {
    const Data& data = model_.data();
    const std::size_t n = data.n, l = leaf - tree.inner_before(leaf);
    choices_.assign(choices.begin(), choices.end());
    informed_ = informed && data.likelihood && !data.soft_index();
    if (data.likelihood) {
        model_.leaves(tree.nodes, tree.q, phi_, counts_);
        reached_.assign(phi_.begin() + static_cast<std::ptrdiff_t>(l * n),
                        phi_.begin() + static_cast<std::ptrdiff_t>((l + 1) * n));
    } else {
        reached_.assign(n, 0.0);
        counts_.assign(tree.n_leaves() * data.concentration.size(), 0.0);
    }
    if (data.classes()) {
        const std::size_t c = data.concentration.size();
        of_leaf_.assign(counts_.begin() + static_cast<std::ptrdiff_t>(l * c),
                        counts_.begin() + static_cast<std::ptrdiff_t>((l + 1) * c));
        log_one_ = model_.log_marginal(of_leaf_.data());
    } else {
        residual_.assign(data.responses.begin() + static_cast<std::ptrdiff_t>(n),
                         data.responses.end());
        const std::size_t first = tree.n_inner() * (1 + data.n_sticks());
        for (std::size_t k = 0; data.likelihood && k < tree.n_leaves(); ++k) {
            for (std::size_t i = 0; k != l && i < n; ++i) {
                residual_[i] -= phi_[k * n + i] * tree.q[first + k];
            }
        }
        noise_ = std::exp(-tree.q[first + tree.n_leaves()]);
        const double prior = 1.0 / (data.mu_sd * data.mu_sd);
        precision_ = prior;
        slope_ = prior * data.mu_mean;
        for (std::size_t i = 0; i < n; ++i) {
            const double weight = noise_ * data.responses[i] * reached_[i];
            precision_ += weight * reached_[i];
            slope_ += weight * residual_[i];
        }
        log_one_ = 0.5 * (slope_ * slope_ / precision_ - std::log(precision_));
    }
    weights_.clear();
    if (!informed_) {
        return;
    }
    double most = -std::numeric_limits<double>::infinity();
    for (const FeatureChoice& choice : choices_) {
        const double* const values =
            data.values.data() + static_cast<std::size_t>(choice.feature) * n;
        for (std::size_t g = 0; g < kCells; ++g) {
            const double middle = (static_cast<double>(g) + 0.5) / kCells;
            weights_.push_back(gain_at(values, middle));
            most = std::max(most, weights_.back());
        }
    }
    total_ = 0.0;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
        weights_[i] = choices_[i / kCells].probability * std::exp(weights_[i] - most);
        total_ += weights_[i];
    }
}

double Births::gain(std::int32_t feature, std::span<const double> own) {
    const Data& data = model_.data();
    const double tau = logistic(own[0]).it;
    if (!data.soft_index()) {
        return gain_at(data.values.data() + static_cast<std::size_t>(feature) * data.n, tau);
    }
    weights_of_features_.resize(data.d);
    double left = 1.0;
    for (std::size_t f = 0; f + 1 < data.d; ++f) {
        const double offset = std::log(static_cast<double>(data.d - 1 - f));
        const Proportion z = logistic(own[1 + f] - offset);
        weights_of_features_[f] = left * z.it;
        left *= z.rest;
    }
    weights_of_features_.back() = left;
    mixed_.resize(data.n);
    mix(weights_of_features_.data(), data.values.data(), data.n, data.d, data.n, mixed_.data());
    return gain_at(mixed_.data(), tau);
}

double Births::gain_at(const double* values, double tau) {
    return model_.data().classes() ? gain_of_classes(values, tau) : gain_of_numbers(values, tau);
}

double Births::gain_of_classes(const double* values, double tau) {
    const Data& data = model_.data();
    if (!data.likelihood) {
        return 0.0;
    }
    const std::size_t n = data.n, c = data.concentration.size();
    const double inverse = 1.0 / model_.h();
    left_.assign(2 * c, 0.0);
    gates_.resize(2 * n);
    double* const gate = gates_.data();
    gates_of(tau, inverse, values, n, gate, gate + n);
    for (std::size_t i = 0; i < n; ++i) {
        gate[i] *= reached_[i];
    }
    data.for_each_class(0, n, [&](std::size_t a, std::size_t i, std::size_t k) {
        left_[a] = dot(gate + i, data.responses.data() + i, k - i);
    });
    for (std::size_t a = 0; a < c; ++a) {
        left_[c + a] = std::max(0.0, of_leaf_[a] - left_[a]);
    }
    return model_.log_marginal(left_.data()) + model_.log_marginal(left_.data() + c) - log_one_;
}

double Births::gain_of_numbers(const double* values, double tau) {
    const Data& data = model_.data();
    const double prior = 1.0 / (data.mu_sd * data.mu_sd), inverse = 1.0 / model_.h();
    p00_ = p11_ = prior;
    p01_ = 0.0;
    h0_ = h1_ = prior * data.mu_mean;
    gates_.resize(2 * data.n);
    double* const gate = gates_.data();
    if (data.likelihood) {
        gates_of(tau, inverse, values, data.n, gate, gate + data.n);
    }
    for (std::size_t i = 0; data.likelihood && i < data.n; ++i) {
        const double a = reached_[i] * gate[i], b = reached_[i] * gate[data.n + i];
        const double weight = noise_ * data.responses[i];
        p00_ += weight * a * a;
        p01_ += weight * a * b;
        p11_ += weight * b * b;
        h0_ += weight * a * residual_[i];
        h1_ += weight * b * residual_[i];
    }
    const double det = p00_ * p11_ - p01_ * p01_;
    const double fit = (p11_ * h0_ * h0_ - 2.0 * p01_ * h0_ * h1_ + p00_ * h1_ * h1_) / det;
    // The normalised prior of one mu more.
    const double more = 0.5 * (std::log(prior) - prior * data.mu_mean * data.mu_mean);
    return 0.5 * (fit - std::log(det)) + more - log_one_;
}

// The probability of a cell times the number of cells, over the feature's prior probability.
double Births::weight_of(const FeatureChoice& choice, std::size_t cell) const {
    const auto at = static_cast<std::size_t>(&choice - choices_.data()) * kCells + cell;
    const double informed = weights_[at] / total_ * kCells / choice.probability;
    return kInformed * informed + (1.0 - kInformed);
}

void Births::draw(Random& random, std::int32_t& feature, double& tau) const {
    if (informed_ && random.uniform() < kInformed) {
        const std::size_t at = random.among(weights_);
        feature = choices_[at / kCells].feature;
        tau = (static_cast<double>(at % kCells) + random.uniform()) / kCells;
        return;
    }
    double left = random.uniform();
    feature = choices_.empty() ? -1 : choices_.back().feature;
    for (const FeatureChoice& choice : choices_) {
        left -= choice.probability;
        if (left < 0) {
            feature = choice.feature;
            break;
        }
    }
    tau = random.uniform();
}

double Births::log_ratio(std::int32_t feature, double tau) const {
    if (!informed_) {
        return 0.0;
    }
    const auto cell = std::min(static_cast<std::size_t>(tau * kCells), kCells - 1);
    for (const FeatureChoice& choice : choices_) {
        if (choice.feature == feature) {
            return std::log(weight_of(choice, cell));
        }
    }
    return -std::numeric_limits<double>::infinity();
}

void Births::draw_pair(Random& random, std::span<double> mu) const {
    const double det = p00_ * p11_ - p01_ * p01_;
    const double mean0 = (p11_ * h0_ - p01_ * h1_) / det, mean1 = (p00_ * h1_ - p01_ * h0_) / det;
    // mu_1 from its marginal, then mu_0 given mu_1.
    mu[1] = mean1 + random.normal() * std::sqrt(p00_ / det);
    mu[0] = mean0 - p01_ / p00_ * (mu[1] - mean1) + random.normal() / std::sqrt(p00_);
}

double Births::draw_one(Random& random) const {
    return slope_ / precision_ + random.normal() / std::sqrt(precision_);
}

}  // namespace slp::rjhmc
