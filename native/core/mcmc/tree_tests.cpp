#include "mcmc/tree_tests.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace slp::mcmc {

TreeTester::TreeTester(const TreeTests& tests, const Problem& problem)
    : tests_(tests),
      problem_(problem),
      order_(problem),
      n_quantities_(problem.leaf.of_classes() ? problem.leaf.n_predicted() - 1 : 1),
      statistics_(problem.leaf.n_statistics()),
      predicted_(problem.leaf.n_predicted()) {
    if (!tests.monotone.empty() && predicted_.empty()) {
        throw std::invalid_argument("a leaf model that is a table predicts nothing");
    }
}

bool TreeTester::holds(const Proof& proof) {
    if (tests_.most_features > 0 && !few_features(proof)) {
        return false;
    }
    if (tests_.monotone.empty()) {
        return true;
    }
    order_.find(proof);
    rising_.clear();
    scale_.clear();
    for (const ProofNode& node : proof.nodes) {
        if (node.n_parts() == 0) {
            predict(proof, node);
        }
    }
    return std::all_of(tests_.monotone.begin(), tests_.monotone.end(),
                       [&](const Monotone& test) { return is_monotone(test); });
}

bool TreeTester::few_features(const Proof& proof) {
    used_.assign(problem_.table.features.size(), 0);
    std::uint32_t n = 0;
    for (const ProofNode& node : proof.nodes) {
        if (node.taken.feature >= 0) {
            std::uint8_t& used = used_[static_cast<std::size_t>(node.taken.feature)];
            n += used == 0;
            used = 1;
        }
    }
    return n <= tests_.most_features;
}

// For ordered classes -P(class <= c) for every c but the last, else the posterior mean, both up to
// a constant common to all leaves.
void TreeTester::predict(const Proof& proof, const ProofNode& leaf) {
    problem_.leaf.sum(proof.rows_of(leaf), statistics_.data());
    problem_.set_prior(statistics_.data(), leaf.state);
    problem_.leaf.predict(statistics_.data(), predicted_.data());
    if (problem_.leaf.of_classes()) {
        double below = 0.0;
        for (std::size_t c = 0; c < n_quantities_; ++c) {
            below += predicted_[c];
            rising_.push_back(-below);
        }
        return;
    }
    rising_.push_back(predicted_[0]);
    scale_.push_back(problem_.leaf.size_of_responses(statistics_.data()));
}

bool TreeTester::is_monotone(const Monotone& test) {
    for (std::size_t i = 0; i < order_.n_leaves(); ++i) {
        for (std::size_t j = 0; j < order_.n_leaves(); ++j) {
            if (order_.above(i, j, test.feature) && !in_order(j, i, test.up)) {
                return false;
            }
        }
    }
    return true;
}

bool TreeTester::in_order(std::size_t low, std::size_t high, bool up) const {
    for (std::size_t q = 0; q < n_quantities_; ++q) {
        double a = rising_[low * n_quantities_ + q], b = rising_[high * n_quantities_ + q];
        if (!up) {
            std::swap(a, b);
        }
        double scale = std::max(std::abs(a), std::abs(b));
        if (!scale_
                 .empty()) {  // rounding is relative to the terms of both signs
            scale += std::max(scale_[low], scale_[high]);
        }
        if (a > b && (std::isinf(a) || a - b > kSamePrediction * scale)) {
            return false;
        }
    }
    return true;
}

}  // namespace slp::mcmc
