// The transitions of Metropolis-Hastings over proof trees. The proposals, their acceptance ratios
// and the target are those of slp.engines.mcmc.proposals and slp.reference.mh (target), which have
// the formulas.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "mcmc/exact_subtrees.hpp"
#include "mcmc/local_process.hpp"
#include "mcmc/moves/tree_moves.hpp"
#include "mcmc/proof.hpp"
#include "mcmc/proposals.hpp"
#include "mcmc/randomness.hpp"
#include "mcmc/part_rows.hpp"
#include "mcmc/tree_tests.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"
#include "smc/filter.hpp"

namespace slp::mcmc {

// A proof, and how often each proposal was used, modulo its period.
struct State {
    Proof proof;
    std::vector<std::uint32_t> turns;
};

// See `Ladder`.
inline double log_likelihood_of(const State& state) { return state.proof.all().log_likelihood; }
inline Proof& derivation_of(State& state) { return state.proof; }

// A condition on finished trees that is a function of the caller. It may be slow, so it is called
// last, and only for a proof that is otherwise accepted. An exception from it ends the run.
using Predicate = std::function<bool(const Proof&)>;
// The condition that holds for every tree.
inline const Predicate kNoPredicate;

// Makes transitions in one thread, and keeps their memory from one to the next.
class ProofTransitions {
public:
    // `leaf`: the problem's, or another of the same rows, whose statistics may change between steps.
    // The rules look at the problem's.
    ProofTransitions(const Problem& problem, const Geometry& geometry, const TreeTests& tests,
                     const std::vector<Proposal>& mixture, double most_boxes,
                     const LeafModel& leaf);

    // Sets the condition, which must outlive its use.
    void ask(const Predicate& predicate) { predicate_ = &predicate; }

    // Sets the feature weights, (d,) numbers above 0; none: those of the grammar. `exact_subtree` and
    // `particle_gibbs` know those of the grammar alone.
    void weigh(std::span<const double> feature_weights);
    // For each goal of a proof that splits, in preorder, and each feature: whether the measure of
    // its rule is taken over a split on the feature (1, 0). Whatever the weights, these are alike.
    std::vector<std::uint8_t> taken_over(const Proof& proof);

    // One transition towards weight times likelihood^power; the proposal taken and its outcome.
    std::pair<std::size_t, Outcome> step(Randomness& random, double power, State& state);

    // Replaces a state by a proof that is drawn independently from the prior on its support, by
    // rejection. No choice may have weights that sum to more than 1
    // (slp.reference.mh.target). If `tries` draws are rejected, the state does not change,
    // and the result is false.
    bool fresh(Randomness& random, std::uint32_t tries, State& state);

    // Whether the whole table fits: see ExactSubtrees.
    bool root_fits();

    // A proof of the root goal, drawn from the local process, leaves taken early with a
    // probability; false at a dead end.
    bool draw(Randomness& random, double end_early, Proof& out);
    bool holds(const Proof& proof);

    // The proof that makes these choices, in preorder; false if there is none.
    bool build(std::span<const Taken> choices, Proof& out);
    // A tree given by its nodes in preorder, also if no rules derive it, as a proof of which only
    // the splits, the rows, the leaves and their likelihood are defined. False if these are not the
    // nodes of one tree.
    bool build_tree(std::span<const Taken> nodes, Proof& out);

private:
    static constexpr std::uint32_t kNoLimit = std::numeric_limits<std::uint32_t>::max();

    Outcome propose(Randomness& random, double power, const Proposal& proposal,
                    std::uint32_t turn, Proof& proof);
    Outcome cut(Randomness& random, double power, Point point, bool counted, Proof& proof);
    Outcome cut_sequence(Randomness& random, double power, Point point, bool counted,
                         Proof& proof);
    bool redraw(Randomness& random, std::uint32_t position, std::int32_t rule);
    Outcome redraw_exactly(Randomness& random, double power, Proof& proof);
    Outcome redraw_by_particles(Randomness& random, double power, const smc::FilterPlan& filter,
                                Proof& proof);
    Outcome move_tree(Randomness& random, double power, ProposalKind kind, Proof& proof);
    Outcome decide(Randomness& random, double power, bool counted, bool always, Proof& proof,
                   double log_more = 0.0);
    static double log_ratio(const Sums& now, const Sums& old, double power, bool counted);
    std::uint32_t room(const Proof& proof, const ProofNode& goal) const;
    bool fits(Proof& proof, std::uint32_t position);
    RowTest test_of(const Taken& taken) const;
    void path_of_row(const Proof& proof, std::uint32_t row);
    bool grow(Randomness& random, const ProofNode& goal, std::int32_t rule, double end_early,
              std::uint32_t room);
    template <typename Choose>
    bool grow_by(const ProofNode& goal, std::uint32_t room, Choose choose);
    template <typename Choose>
    bool build_by(std::span<const Taken> choices, Proof& out, Choose choose);
    void take_rows(const Proof& proof, const ProofNode& node);
    // The proof in which the drawn subtree replaces the one at the end of `path_`.
    const Proof& candidate(const Proof& proof);

    const Problem& problem_;
    const Geometry& geometry_;
    const LeafModel& leaf_;
    const TreeTests& tests_;
    const std::vector<Proposal>& mixture_;
    const Predicate* predicate_ = &kNoPredicate;
    // The weights of the proposals, at the power of the last step.
    std::vector<double> weights_;
    double power_of_weights_ = -1.0;
    LocalProcess process_;
    TreeTester tester_;
    ExactSubtrees exact_;
    TreeMoves moves_;
    // For particle_gibbs: the plan of the last step, and the filter, made when it is first used.
    smc::FilterPlan plan_;
    std::unique_ptr<smc::Filter> filter_;
    // Rows of the data up to and with each distinct row.
    std::vector<std::uint64_t> rows_up_to_;

    struct GoalToGrow {
        std::int32_t state;
        std::uint32_t begin, size;
    };
    // The last draw: the subtree and its rows.
    std::vector<ProofNode> drawn_;
    std::vector<std::uint32_t> rows_;
    // Scratch.
    std::vector<GoalToGrow> goals_;
    std::vector<std::uint32_t> right_rows_;
    std::vector<std::uint64_t> marks_;
    std::vector<std::uint32_t> path_, queue_;
    std::vector<double> statistics_;
    Proof candidate_, fresh_;
};

}  // namespace slp::mcmc
