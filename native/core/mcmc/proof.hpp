// Proof trees, flat: derivations of the grammar on the table, with every choice that was made. The
// definitions (choice points and their order, cuts) are those of slp.reference.mh.proof.
//
// The goals stand in preorder, so a subtree is a run of nodes, its left child the next node, its
// right child the one behind the left child's subtree. The rows stand in one array in which every
// goal's rows are a run too; those of a leaf are ascending, so sums over them always run in the
// same order, and equal proofs have equal numbers, to the last bit.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mcmc/local_process.hpp"
#include "problem/problem.hpp"

namespace slp::mcmc {

// Sums over a subtree, taken own first, then left, then right.
struct Sums {
    std::uint32_t n_nodes = 1;
    std::uint32_t n_points = 0;
    std::uint32_t n_leaves = 0;
    double log_draw = 0.0;
    double log_excess = 0.0;
    double log_likelihood = 0.0;

    void add(const Sums& part) {
        n_nodes += part.n_nodes;
        n_points += part.n_points;
        n_leaves += part.n_leaves;
        log_draw += part.log_draw;
        log_excess += part.log_excess;
        log_likelihood += part.log_likelihood;
    }
};

struct ProofNode {
    Taken taken;
    std::int32_t state = 0;
    bool rule_point = false, split_point = false;
    // What its choice allows.
    bool can_split = false, can_stop = false;
    // Whether its box fits under exact_subtree (1, 0), or -1 if not yet known.
    std::int8_t fits = -1;
    // Where its rows begin, and how many they are.
    std::uint32_t begin = 0, size = 0;
    // The log probability of its split, given the rule.
    double log_split = 0.0;
    // The sums of the goal alone, and of its whole subtree.
    Sums own, all;

    std::uint32_t n_parts() const {
        return taken.feature >= 0 ? 2 : taken.feature == kCall ? 1 : 0;
    }
};

// A goal with its choice, without the quantities that follow from its rows or its parts.
inline ProofNode node_of(const Choice& choice, std::int32_t state, std::uint32_t begin,
                         std::uint32_t size) {
    ProofNode out;
    out.taken = choice.taken;
    out.state = state;
    out.rule_point = choice.rule_point;
    out.split_point = choice.split_point;
    out.can_split = choice.can_split;
    out.can_stop = choice.can_stop;
    out.log_split = choice.log_split;
    out.begin = begin;
    out.size = size;
    out.own.n_points = choice.rule_point + choice.split_point;
    out.own.log_draw = choice.log_draw;
    out.own.log_excess = choice.log_excess;
    return out;
}

struct Proof {
    std::vector<ProofNode> nodes;
    std::vector<std::uint32_t> rows;

    const Sums& all() const { return nodes[0].all; }
    Rows rows_of(const ProofNode& node) const { return {rows.data() + node.begin, node.size}; }
};

// A choice point: the position of its goal in preorder, and which of the two.
struct Point {
    std::uint32_t node;
    bool of_split;
};

inline std::uint32_t right_of(std::span<const ProofNode> nodes, std::uint32_t left) {
    return left + nodes[left].all.n_nodes;
}

// The likelihoods of a subtree's leaves on its rows under a leaf model, that of the problem or of
// residuals, and the sums of its goals, from the bottom up.
// `statistics` is scratch for those of a leaf.
void add_up(std::vector<ProofNode>& nodes, Rows rows, const Problem& problem, const LeafModel& leaf,
            std::span<double> statistics);

// The choice point that comes k-th (from 0) in the order in which choices are drawn: depth-first,
// left before right. It is found in time proportional to the length of a path.
Point point_in_sequence(std::span<const ProofNode> nodes, std::uint32_t k);

// The choice point that comes k-th (from 0) in breadth-first order, k < n_points. `queue` is
// scratch.
Point point_breadth_first(std::span<const ProofNode> nodes, std::uint32_t k,
                          std::vector<std::uint32_t>& queue);

// Positions of the goals from the root down to a position, both included.
void path_to(std::span<const ProofNode> nodes, std::uint32_t position,
             std::vector<std::uint32_t>& path);

// Puts a subtree, with its rows, in the place of the one at the end of `path`; the sums of the
// goals above are computed again.
void replace(Proof& proof, std::span<const std::uint32_t> path, std::span<const ProofNode> subtree,
             Rows rows);

// The sums of the whole proof if the subtree at the end of `path` had the sums `part`.
Sums sums_with(std::span<const ProofNode> nodes, std::span<const std::uint32_t> path,
               const Sums& part);

}  // namespace slp::mcmc
