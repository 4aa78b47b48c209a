// What one more split of a leaf would gain, and where a birth proposes it.
//
// The gain of a split is the log of the ratio of the likelihoods after and before it, with mu of
// the leaves that come and go integrated out given all other parameters: their full conditionals
// are normal. So a birth draws mu of both leaves from these, a death that of the new leaf, and mu
// is in no ratio.
//
// HMC-DF: a birth draws a feature and one of `kCells` equal cells of tau, in proportion to the
// feature's prior probability times exp(gain at the middle of the cell), with probability 0.8; else
// from the prior. Then tau is uniform in the cell. HMC-DFI: from the prior.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rjhmc/hamiltonian.hpp"
#include "rjhmc/model.hpp"
#include "rjhmc/soft_tree.hpp"

namespace slp::rjhmc {

// A feature that a state allows, with its prior probability there.
struct FeatureChoice {
    std::int32_t feature;
    double probability;
};

class Births {
public:
    static constexpr std::size_t kCells = 16;
    static constexpr double kInformed = 0.8;

    explicit Births(Model& model) : model_(model) {}

    // Look at a leaf of a tree, all other parameters as they are. `choices`: the features that its
    // state allows; empty in HMC-DFI. `informed`: whether births look at the likelihood.
    void look_at(const SoftTree& tree, std::size_t leaf, std::span<const FeatureChoice> choices,
                 bool informed);
    // The gain of a split of the leaf: `own` is logit tau, then the sticks.
    double gain(std::int32_t feature, std::span<const double> own);
    // Draws (feature, tau), and log of the density of drawing one, over its prior density.
    void draw(Random& random, std::int32_t& feature, double& tau) const;
    double log_ratio(std::int32_t feature, double tau) const;
    // mu of both leaves of the split whose gain was computed last, and mu of the leaf itself.
    void draw_pair(Random& random, std::span<double> mu) const;
    double draw_one(Random& random) const;

private:
    double gain_at(const double* values, double tau);
    double gain_of_classes(const double* values, double tau);
    double gain_of_numbers(const double* values, double tau);
    double weight_of(const FeatureChoice& choice, std::size_t cell) const;

    Model& model_;
    std::vector<FeatureChoice> choices_;
    std::vector<double> phi_, counts_, reached_, residual_, mixed_, gates_, left_;
    std::vector<double> weights_of_features_;
    // For numbers: sums over rows for the leaf alone; for the last split, the precision and the
    // mean of both mu.
    double precision_ = 0.0, slope_ = 0.0, log_one_ = 0.0, noise_ = 1.0;
    double p00_ = 0, p01_ = 0, p11_ = 0, h0_ = 0, h1_ = 0;
    std::vector<double> of_leaf_, weights_;
    double total_ = 0.0;
    bool informed_ = false;
};

}  // namespace slp::rjhmc
