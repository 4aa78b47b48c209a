// Sums of trees by Bayesian backfitting: Chipman, George & McCulloch (2010), BART: Bayesian additive
// regression trees, Annals of Applied Statistics 4; two classes by Albert & Chib (1993), Bayesian
// analysis of binary and polychotomous response data, JASA 88. The specification is
// slp.reference.additive.
//
// The response of a row is offset + the sum over M trees of the value of its leaf + noise of a common
// variance. A sweep takes the trees in turn. What the others leave of the responses has that variance,
// so the tree makes moves by its marginal likelihood (mcmc/transitions.hpp), and its values are drawn
// from their conditional. Then the variance is drawn from its own. With classes the variance is 1, and
// a sweep begins with latent responses, above 0 in rows of the second class, below 0 in the others.
//
// Distinct rows stand for all of theirs: W_u is the weight of row u, R_u the sum of weight times what
// the sum of trees leaves of the responses.

#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "additive/draws.hpp"
#include "mcmc/leaf_order.hpp"
#include "mcmc/transitions.hpp"
#include "mcmc/tree_tests.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"

namespace slp::additive {

// The responses of the n distinct rows, less the offset.
struct Responses {
    // Numbers: the weights of rows. Classes: how many rows are of the first one.
    std::vector<double> first;
    // Numbers: the sums of weight times response. Classes: how many rows are of the second one.
    std::vector<double> second;
    // Numbers: the sum of the weighted squares about the means of distinct rows.
    double within = 0.0;
    bool classes = false;
};

struct SumPlan {
    std::uint32_t trees = 1;
    // Moves of each tree in a sweep.
    std::uint32_t moves = 1;
    double offset = 0.0;
    // The variance of a leaf's value in the prior.
    double leaf_variance = 1.0;
    // The variance of the noise; where `known` is false its prior is nu * lambda / chi^2(nu).
    bool known = false;
    double variance = 1.0, nu = 3.0, lambda = 1.0;
    // False: the prior.
    bool likelihood = true;
    // The most features that all trees together split on; 0: no limit.
    std::uint32_t most_features = 0;
    // Features in which the values of each tree's leaves do not fall (true), or do not rise.
    std::vector<std::pair<std::uint32_t, bool>> rising;
};

// M trees, the values of their leaves from left to right, and the variance; never changed once it is
// handed out.
struct TreeSum {
    std::vector<mcmc::State> trees;
    std::vector<std::vector<double>> values;
    double variance = 1.0;
    // That of the responses given all of this, without the factor of the rows alone.
    double log_likelihood = 0.0;
};

// Makes sweeps in one thread.
class Backfitting {
public:
    // `tests`: on each tree. All must outlive it.
    Backfitting(const Problem& problem, const Geometry& geometry, const SumPlan& plan,
                const Responses& responses, const mcmc::TreeTests& tests,
                const std::vector<mcmc::Proposal>& mixture);
    Backfitting(const Backfitting&) = delete;

    // Trees drawn from the rules, smaller ones now and then, up to `tries` for each, with values 0,
    // and a variance drawn from its prior. False if some tree was not found.
    bool start(SeededRandomness& random, std::uint32_t tries, TreeSum& out);
    // `n` sweeps; counts of the outcomes of each proposal are added to `tally`.
    void advance(SeededRandomness& random, std::uint64_t n, TreeSum& sum, mcmc::Tally& tally);
    // Trees by their choices in preorder, with what is known of the sum but for its trees. False if
    // the rules do not derive them, or values are missing.
    bool restore(std::span<const std::vector<mcmc::Taken>> choices, TreeSum& out);

private:
    void take_residuals(const TreeSum& sum);
    void draw_latent(SeededRandomness& random, const TreeSum& sum);
    std::vector<double> fits(const TreeSum& sum) const;
    double squares() const;
    double log_likelihood(const TreeSum& sum) const;
    void draw_variance(SeededRandomness& random, TreeSum& sum) const;

    void update(SeededRandomness& random, TreeSum& sum, std::size_t m, mcmc::Tally& tally);
    void add_to_residuals(const mcmc::Proof& tree, std::span<const double> values, double sign);
    void draw_values(SeededRandomness& random, const mcmc::Proof& tree,
                     std::vector<double>& values);
    void draw_ordered(SeededRandomness& random, const mcmc::Proof& tree,
                      std::vector<double>& values);
    // Mean and standard deviation of a leaf's value, given what the other trees leave.
    std::pair<double, double> conditional(const mcmc::Proof& tree, const mcmc::ProofNode& leaf);

    // Adds to the splits on each feature those of a tree, `by` times.
    void count_uses(const mcmc::Proof& tree, std::int32_t by);
    // Whether a tree may take the place of the one that moves: what holds for all trees together, and
    // of values, which are drawn for it.
    bool may_take(const mcmc::Proof& proposed);
    bool few_features(const mcmc::Proof& proposed);
    bool drawn_in_order(const mcmc::Proof& proposed);

    const Problem& problem_;
    const SumPlan& plan_;
    const Responses& responses_;
    const std::vector<mcmc::Proposal>& mixture_;
    // What the others leave, over the variance.
    LeafModel leaf_;
    mcmc::ProofTransitions transitions_;
    mcmc::LeafOrder order_;
    mcmc::Predicate predicate_;
    std::vector<double> weights_, residuals_;

    // The splits on each feature: of all trees, but for one that moves.
    std::vector<std::int32_t> uses_;
    // While a tree moves: it, its values, and those drawn for the tree proposed last.
    SeededRandomness* random_ = nullptr;
    const mcmc::Proof* moving_ = nullptr;
    const std::vector<double>* moving_values_ = nullptr;
    std::vector<double> proposed_;
    double statistics_[2] = {0.0, 0.0};
};

}  // namespace slp::additive
