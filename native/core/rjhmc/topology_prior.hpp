// The prior of topologies and features, by the states of a tree grammar.
//
// A state has at most one leaf rule and one split rule. The rows of a box decide nothing: a soft
// tree keeps splits that part no rows. A feature is drawn by its weight among those with two values
// in the table that its state allows.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "problem/problem.hpp"
#include "rjhmc/births.hpp"
#include "rjhmc/soft_tree.hpp"

namespace slp::rjhmc {

class TopologyPrior {
public:
    // `problem` must outlive it. max_leaves: 0 for no limit.
    TopologyPrior(const Problem& problem, bool soft_index, std::uint32_t max_leaves)
        : problem_(problem), soft_index_(soft_index), max_leaves_(max_leaves) {}

    // The log probabilities that a node of a state is a leaf and that it splits. They are log
    // weights if the program's weights are not normalised. `split` leaves out the probability of
    // the feature. Each is -inf where the state does not allow it.
    struct Rates {
        double leaf, split;
    };
    Rates rates(std::int32_t state) const;
    // The features that a state allows; empty in HMC-DFI.
    void choices(std::int32_t state, std::vector<FeatureChoice>& out) const;
    // The states below a split on a feature (-1 in HMC-DFI); false where it is not allowed.
    bool below(std::int32_t state, std::int32_t feature, std::int32_t& left,
               std::int32_t& right) const;
    // Gives every node below `node` the state that its path leads to; false where it is not
    // allowed.
    bool relabel(Topology& tree, std::size_t node) const;
    // Log weight of a topology with its features; -inf where it is not allowed.
    double log_weight(const Topology& tree) const;
    bool fits(std::size_t n_leaves) const { return max_leaves_ == 0 || n_leaves <= max_leaves_; }
    std::int32_t start() const { return problem_.grammar.start; }

private:
    const Rule* rule(std::int32_t state, RuleKind kind) const;
    bool has_two_values(std::size_t feature) const {
        return problem_.table.features[feature].n_codes > 1;
    }

    const Problem& problem_;
    bool soft_index_;
    std::uint32_t max_leaves_;
};

}  // namespace slp::rjhmc
