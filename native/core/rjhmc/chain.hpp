// Reversible-jump HMC over soft trees.
//
// A step, from theta: theta -> theta' by HMC at the present topology; theta' -> theta'' by a jump
// (grow a leaf, prune a pair of leaves, stay); theta'' -> theta* by HMC. It is accepted with
// probability min(1, pi(theta'') q(theta'' -> theta') / (pi(theta') q(theta' -> theta''))); else
// the chain stays at theta. Each HMC part is reversible as a whole: a sweep over the features of
// the nodes in random order, trajectories, the sweep again (HMC-DFI: trajectories alone). Then the
// density of theta -> theta' -> theta'' -> theta* times pi(theta) is that of the way back. As the
// acceptance does not depend on theta*, the second HMC part of a rejected jump is not made.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rjhmc/births.hpp"
#include "rjhmc/hamiltonian.hpp"
#include "rjhmc/model.hpp"
#include "rjhmc/soft_tree.hpp"
#include "rjhmc/topology_prior.hpp"
#include "rjhmc/tuning.hpp"
#include "rjhmc/windows.hpp"

namespace slp::rjhmc {

// Of a soft tree.
inline constexpr std::size_t kMostLeaves = 1001;

struct SoftTreePlan {
    // h of the model, and of the first step of warm-up, from which it falls geometrically to h over
    // the first half of `warm_up` steps.
    double h = 0.1, first_h = 0.1;
    std::uint64_t warm_up = 0;
    // Trajectories of each HMC part.
    std::uint32_t transitions = 1;
    // Leapfrog steps of each trajectory; 0: the No-U-Turn sampler.
    std::uint32_t leapfrogs = 0;
    // Whether births look at the likelihood.
    bool informed = true;
    // Whether HMC parts and acceptance are those published, which are not reversible: h falls from
    // first_h within each HMC part, and `warm_up` is the burn-in of equation 19.
    bool published = false;
};

// The probabilities of proposing to grow, to prune, and else to stay.
constexpr double kGrow = 0.4, kPrune = 0.4;

enum class Jump : std::uint8_t { grow, prune, stay };

// Counts by jump: accepted, rejected, stayed (nothing to grow or prune). Then accepted and tried
// changes of features, trajectories, divergent ones, and gradients.
struct Tally {
    std::array<std::array<std::uint64_t, 3>, 3> jumps{};
    std::uint64_t features_accepted = 0, features_tried = 0;
    std::uint64_t trajectories = 0, divergent = 0, gradients = 0;
};

struct Chain {
    SoftTree tree;
    Tuning tuning;
};

// Moves chains; one for each thread.
class SoftTreeTransitions {
public:
    SoftTreeTransitions(const Data& data, const TopologyPrior& prior, const SoftTreePlan& plan);

    // A chain at a tree drawn from the program, with parameters drawn from their priors. Throws
    // std::length_error where the program draws no tree of at most 1000 leaves.
    Chain start(Random& random);
    void advance(Chain& chain, Random& random, std::uint64_t n, bool warm_up, Tally& tally);
    // HMC at the topology of a chain alone, n times.
    void stay(Chain& chain, Random& random, std::uint64_t n, bool warm_up, Tally& tally);
    // Log weight of topology and features, log prior density of the parameters by tau, delta, mu
    // and sigma^2 (not the unconstrained ones), and log likelihood.
    std::array<double, 3> score(const SoftTree& tree);
    Model& model() { return model_; }

private:
    auto target_of(const SoftTree& tree) {
        return [this, &tree](std::span<const double> q, std::span<double> gradient) {
            return model_.log_density(tree.nodes, q, gradient);
        };
    }

    // chain.cpp
    void step(Chain& chain, Random& random, bool warm_up, Tally& tally);
    void published_end(const SoftTree& from, bool burn_in, Random& random, double& log_ratio,
                       Tally& tally);
    double likelihood(const SoftTree& tree);
    double log_posterior(const SoftTree& tree);
    // hmc_part.cpp
    void hmc_part(SoftTree& tree, Tuning& tuning, Random& random, bool warm_up, Tally& tally);
    void published_part(SoftTree& tree, Random& random, Tally& tally);
    Moved trajectory(double step, std::span<const double> variance, const SoftTree& tree,
                     Random& random, Tally& tally);
    void place(const SoftTree& tree);
    void sweep(SoftTree& tree, Random& random, Tally& tally);
    void shuffle_inner_nodes(const SoftTree& tree, Random& random);
    // jumps.cpp
    bool grow(Random& random, double& log_ratio);
    bool prune(Random& random, double& log_ratio);
    void own_of(const SoftTree& tree, std::size_t node, Vector& out) const;
    double& mu_of(SoftTree& tree, std::size_t leaf) const;
    double log_probability(std::int32_t feature) const;
    std::size_t n_growable(const SoftTree& tree) const;
    std::size_t n_prunable(const SoftTree& tree) const;
    // start.cpp
    bool draw_tree(SoftTree& tree, Random& random);
    bool draw_feature(std::int32_t state, Random& random, std::int32_t& feature);
    void draw_own(Random& random, double tau, Vector& out) const;
    double draw_mu(Random& random) const;

    const Data& data_;
    const TopologyPrior& prior_;
    SoftTreePlan plan_;
    Model model_;
    Births births_;
    Hamiltonian dynamics_;
    Position position_;
    Windows windows_;
    Vector variance_, own_, weights_;
    SoftTree before_, jumped_, tried_;
    std::vector<FeatureChoice> choices_;
    std::vector<std::size_t> order_;
};

}  // namespace slp::rjhmc
