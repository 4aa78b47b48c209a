// Conditions on finished trees: limits of leaves and of features, monotone, as in
// slp.reference.tree_tests.

#pragma once

#include <cstdint>
#include <vector>

#include "mcmc/leaf_order.hpp"
#include "mcmc/proof.hpp"
#include "problem/problem.hpp"

namespace slp::mcmc {

// Predictions that differ by less, relative to the larger, count as equal, because their sums were
// taken in different orders.
inline constexpr double kSamePrediction = 1e-12;

struct Monotone {
    std::uint32_t feature;
    bool up;
};

struct TreeTests {
    // 0 where there is no limit.
    std::uint32_t max_leaves = 0;
    std::uint32_t most_features = 0;
    std::vector<Monotone> monotone;

    // Whether there are tests that the sums of a proof do not decide.
    bool need_tree() const { return most_features > 0 || !monotone.empty(); }
};

// Tests what the sums do not decide; one for each thread.
class TreeTester {
public:
    TreeTester(const TreeTests& tests, const Problem& problem);

    bool holds(const Proof& proof);

private:
    bool few_features(const Proof& proof);
    bool is_monotone(const Monotone& test);
    void predict(const Proof& proof, const ProofNode& leaf);
    bool in_order(std::size_t low, std::size_t high, bool up) const;

    const TreeTests& tests_;
    const Problem& problem_;
    LeafOrder order_;
    std::size_t n_quantities_;
    // For each leaf, what must not fall as the feature grows.
    std::vector<double> rising_;
    // For each leaf of numbers, how large its responses are.
    std::vector<double> scale_;
    std::vector<double> statistics_, predicted_;
    std::vector<std::uint8_t> used_;
};

}  // namespace slp::mcmc
