// Chains of Metropolis-Hastings over proof trees: starts, runs of transitions, tempering.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mcmc/ladder.hpp"
#include "mcmc/transitions.hpp"
#include "mcmc/proof.hpp"
#include "mcmc/proposals.hpp"
#include "mcmc/randomness.hpp"
#include "mcmc/tree_tests.hpp"
#include "object_pool.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"

namespace slp::mcmc {

struct Start {
    bool found = false;
    // How many of the proofs drawn did not reach a dead end.
    std::uint32_t derived = 0;
    State state;
};

// The common part of all chains of one target, and the transitions that their threads borrow.
class ProofSampler {
public:
    // `problem` and `geometry` must outlive it; problem.grammar.max_leaves is 0. `most_boxes`: the
    // bound for boxes that fit under exact_subtree.
    ProofSampler(const Problem& problem, const Geometry& geometry, TreeTests tests,
                 std::vector<Proposal> mixture, double most_boxes);

    const Problem& problem() const { return problem_; }

    // The last argument of what follows are feature weights; none: those of the grammar.
    using Weights = std::span<const double>;

    // A state that satisfies the tests: up to `tries` proofs are drawn, leaves taken early with
    // probability 0, 1/10, ..., 9/10 in turn.
    Start start(Randomness& random, std::uint32_t tries,
                const Predicate& predicate = kNoPredicate, Weights weights = {});
    // `n` transitions.
    State advance(const State& state, Randomness& random, double power, std::uint64_t n,
                  Tally& tally, const Predicate& predicate = kNoPredicate, Weights weights = {});
    // Scans of a ladder of proofs: see `Scans`.
    ScanSums scan(Ladder<State>& ladder, const ScanPlan& plan,
                  std::span<Randomness* const> randoms,
                  const Predicate& predicate = kNoPredicate);
    // Whether the whole table fits under exact_subtree.
    bool root_fits();
    // The state of a proof that is given by its choices; false if there is no such proof, or the
    // turns are not valid.
    bool restore(std::span<const Taken> choices, std::vector<std::uint32_t> turns, State& out,
                 Weights weights = {});
    // See `ProofTransitions`.
    std::vector<std::uint8_t> taken_over(const Proof& proof);
    bool holds(const Proof& proof);
    // A tree as a proof: see `ProofTransitions::build_tree`.
    bool tree(std::span<const Taken> nodes, Proof& out);

    // Frees the buffers that no thread uses now.
    void free_buffers() { pool_.free_idle(); }

private:
    const Problem& problem_;
    const Geometry& geometry_;
    TreeTests tests_;
    std::vector<Proposal> mixture_;
    ObjectPool<ProofTransitions> pool_;
};

}  // namespace slp::mcmc
