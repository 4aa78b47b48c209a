#include "mcmc/tree_tests.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace slp::mcmc {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

TreeTester::TreeTester(const TreeTests& tests, const Problem& problem, const Geometry& geometry)
    : tests_(tests),
      problem_(problem),
      geometry_(geometry),
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
    find_leaves(proof);
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

void TreeTester::find_leaves(const Proof& proof) {
    regions_.clear();
    rising_.clear();
    scale_.clear();
    Region everywhere;
    for (const Feature& feature : problem_.table.features) {
        everywhere.push_back(
            {-kInfinity, kInfinity,
             std::vector<bool>(feature.single() ? static_cast<std::size_t>(feature.n_codes) : 0,
                               true)});
    }
    std::vector<Region> stack{std::move(everywhere)};  // regions of the goals to come
    for (const ProofNode& node : proof.nodes) {
        Region region = std::move(stack.back());
        stack.pop_back();
        if (node.n_parts() == 0) {
            regions_.push_back(std::move(region));
            predict(proof, node);
        } else if (node.n_parts() == 1) {
            stack.push_back(std::move(region));
        } else {
            stack.push_back(region);
            narrow(stack.back(), node.taken, false);
            stack.push_back(std::move(region));
            narrow(stack.back(), node.taken, true);
        }
    }
}

void TreeTester::narrow(Region& region, const Taken& taken, bool left) const {
    const auto f = static_cast<std::size_t>(taken.feature);
    const Feature& feature = problem_.table.features[f];
    FeatureRange& side = region[f];
    if (feature.single()) {
        const bool has = side.levels[taken.cut.code()];
        if (left) {
            side.levels.assign(side.levels.size(), false);
        }
        side.levels[taken.cut.code()] = left && has;
        return;
    }
    const double threshold = feature.threshold(taken.cut);
    if (left) {
        side.hi = std::min(side.hi, threshold);
    } else {
        side.lo = std::max(side.lo, threshold);
    }
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
    for (std::size_t i = 0; i < regions_.size(); ++i) {
        for (std::size_t j = 0; j < regions_.size(); ++j) {
            // regions are disjoint, so where these meet j is below i
            if (regions_[j][test.feature].lo < regions_[i][test.feature].lo &&
                meet(regions_[i], regions_[j], test.feature) && !in_order(j, i, test.up)) {
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

bool TreeTester::meet(const Region& a, const Region& b, std::size_t without) {
    for (std::size_t f = 0; f < a.size(); ++f) {
        if (f == without) {
            continue;
        }
        if (a[f].levels.empty()) {
            if (!(a[f].lo < b[f].hi && b[f].lo < a[f].hi)) {
                return false;
            }
        } else {
            bool common = false;
            for (std::size_t i = 0; i < a[f].levels.size(); ++i) {
                common |= a[f].levels[i] && b[f].levels[i];
            }
            if (!common) {
                return false;
            }
        }
    }
    return true;
}

}  // namespace slp::mcmc
