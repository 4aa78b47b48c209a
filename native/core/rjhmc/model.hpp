// Soft trees (Cochrane, Wills & Johnson: RJHMC-Tree): the log density of the parameters of one
// topology in unconstrained space, and its gradient.
//
// At an inner node a row goes left with probability logistic((tau - v) / h), where v is the value
// of the node's feature scaled to [0, 1] (HMC-DF), or the mean of all features with weights delta
// on the simplex (HMC-DFI). phi_il is the product of the gates of row i on the path to leaf l.
//
//   classes   product over leaves of the Dirichlet-multinomial formula on the soft counts
//             n_lc = sum of phi_il over the rows of class c (equation 10)
//   numbers   y_i ~ Normal(sum over l of phi_il mu_l, sigma^2) (equation 12)
//
// Unconstrained parameters, in this order: logit tau of each inner node in preorder; of HMC-DFI the
// d - 1 logits of the stick-breaking of each node's delta, as Stan defines them; of numbers mu of
// each leaf in preorder, then log sigma^2; log h where h has a prior. The density has the priors
// tau ~ Uniform(0, 1), delta ~ Dirichlet, mu ~ Normal, sigma^2 ~ InverseGamma, log h ~ Normal, with
// the Jacobians. The priors of topology and
// features are not in it.
//
// Dimension letters: n distinct rows (of classes: distinct together with their class), d features,
// C classes, K leaves, m = K - 1 inner nodes.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rjhmc/numbers.hpp"

namespace slp::rjhmc {

// A node of a topology in preorder: the left child of an inner node is the next one.
struct SoftNode {
    std::int32_t right = -1;    // -1: a leaf
    std::int32_t state = 0;     // of the tree grammar
    std::int32_t feature = -1;  // of an inner node of HMC-DF; -1 in HMC-DFI

    bool leaf() const { return right < 0; }
};
using Topology = std::vector<SoftNode>;

struct Data {
    std::size_t n = 0, d = 0;
    // Feature by feature, d * n: values scaled to [0, 1].
    std::vector<double> values;
    // How many rows a distinct row stands for (n); of numbers then the mean of their responses (n).
    std::vector<double> responses;
    // For classes, rows are sorted by class: where the rows of each class begin, then n.
    std::vector<std::size_t> first_of_class;
    // For numbers: the sum of squares of all responses about the means of their distinct rows.
    double within = 0.0;
    // For numbers: how many rows there are, repeats counted.
    double n_rows = 0.0;
    // The concentrations for classes; empty for numbers.
    std::vector<double> concentration;
    // For numbers: mean and standard deviation of mu, shape and scale of sigma^2.
    double mu_mean = 0.0, mu_sd = 1.0, shape = 1.0, scale = 1.0;
    // The concentrations of delta in HMC-DFI; empty for HMC-DF.
    std::vector<double> delta;
    // Mean and standard deviation of log h; h is fixed where the latter is 0.
    double log_h_mean = 0.0, log_h_sd = 0.0;
    // False for the prior: the rows are then not looked at.
    bool likelihood = true;

    bool classes() const { return !concentration.empty(); }
    // Calls use(class, from, to) for the rows of each class among those from `begin` to `end`.
    template <typename Use>
    void for_each_class(std::size_t begin, std::size_t end, Use use) const {
        for (std::size_t a = 0; a < concentration.size(); ++a) {
            const std::size_t from = std::max(begin, first_of_class[a]);
            const std::size_t to = std::min(end, first_of_class[a + 1]);
            if (from < to) {
                use(a, from, to);
            }
        }
    }
    bool free_h() const { return log_h_sd > 0; }
    bool soft_index() const { return !delta.empty(); }
    std::size_t n_sticks() const { return soft_index() ? d - 1 : 0; }
    // Number of unconstrained parameters of a tree with m inner nodes.
    std::size_t dimension(std::size_t m) const {
        return m * (1 + n_sticks()) + (classes() ? 0 : m + 2) + (free_h() ? 1 : 0);
    }
};

// Computes densities; one for each thread. It allocates only where a topology has more nodes than
// any before.
class Model {
public:
    explicit Model(const Data& data);

    // The width of gates, where it is no parameter.
    void set_h(double h) { h_ = h; }
    double h() const { return h_; }
    const Data& data() const { return data_; }

    // Log density of the unconstrained parameters q given the topology, with its likelihood; the
    // gradient where `gradient` is not empty. NaN and -inf where numbers overflow.
    double log_density(const Topology& tree, std::span<const double> q,
                       std::span<double> gradient);
    // The log likelihood alone.
    double log_likelihood(const Topology& tree, std::span<const double> q);
    // The formula of classes for one leaf.
    double log_marginal(const double* counts);
    // phi: the probability that each row reaches each leaf, leaf by leaf, K * n, and the soft
    // counts of its classes, K * C (classes alone).
    void leaves(const Topology& tree, std::span<const double> q, std::vector<double>& phi,
                std::vector<double>& counts);

private:
    static constexpr std::size_t kChunk = 256;

    std::size_t reserve(const Topology& tree);
    // priors.cpp: each adds to `out`, and to the gradient where it is not empty.
    void unconstrained_priors(std::size_t m, std::span<const double> q, std::span<double> gradient,
                              double& out);
    void prior_of_sticks(std::size_t m, std::span<double> gradient, double& out) const;
    void prior_of_numbers(std::size_t m, std::span<const double> q, std::span<double> gradient,
                          double& out) const;
    // gates.cpp
    void unpack(std::size_t m, std::span<const double> q);
    void gates(const Topology& tree, std::size_t begin, std::size_t end);
    void reach(const Topology& tree, std::size_t begin, std::size_t end);
    void add_gradients(const Topology& tree, std::size_t begin, std::size_t end,
                       std::span<double> gradient);
    void to_unconstrained(std::size_t m, std::span<double> gradient);
    void add_slopes_by_h(const Topology& tree, std::span<double> gradient);
    // model.cpp
    void count_classes(const Topology& tree);
    double likelihood_of_counts(std::size_t n_leaves);
    double likelihood_of_classes(const Topology& tree, std::span<double> gradient);
    double likelihood_of_numbers(const Topology& tree, std::span<const double> q,
                                 std::span<double> gradient);
    double* left_of(std::size_t node) { return left_.data() + node * data_.n; }
    double* right_of(std::size_t node) { return right_.data() + node * data_.n; }

    // The Beta(own, rest) prior of a share of the stick. `constant` is the log of one over the beta
    // function; `offset` the log of how many parts are left, by which Stan shifts the logit.
    struct Stick {
        double own, rest, offset, constant;
    };

    const Data& data_;
    double h_ = 1.0;
    // The sum of the concentrations. Terms that do not depend on the parameters: of the log
    // likelihood of a leaf of classes, and of the log prior of sigma^2.
    double total_ = 0.0, leaf_constant_ = 0.0, variance_constant_ = 0.0;
    std::vector<Stick> sticks_;
    // tau, the shares of the stick with their logits, and delta of each inner node.
    std::vector<Proportion> tau_, shares_;
    std::vector<double> logits_, delta_;
    // Probabilities of going left and right, node by node; of reaching a node, and what the
    // response's derivative is there, for the rows of a chunk.
    std::vector<double> left_, right_, reach_, value_, chunk_;
    std::vector<double> counts_, slopes_, by_delta_;
    // For each leaf: concentrations with counts, class by class, then their sum; log Gamma of
    // these, and digamma.
    std::vector<double> posterior_, log_gammas_, digammas_;
    // For each inner node: sums over rows of the derivative by (tau - v) / h, and of v times it.
    std::vector<double> by_score_, by_score_v_;
};

}  // namespace slp::rjhmc
