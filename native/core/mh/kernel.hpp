// Metropolis-Hastings over proof trees. The proposals, their acceptance ratios and the target are
// those of slp.infer.mh (proposals, target); each formula is said there.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "exact/geometry.hpp"
#include "exact/problem.hpp"
#include "mh/chance.hpp"
#include "mh/exact_subtrees.hpp"
#include "mh/lender.hpp"
#include "mh/local_process.hpp"
#include "mh/proof.hpp"
#include "mh/tree_tests.hpp"

namespace slp::mh {

enum class ProposalKind : std::uint8_t { cut_at_root, cut_uniformly, cut_at_each, exact_subtree };

struct Proposal {
    ProposalKind kind;
    // Weight in the mixture.
    double weight;
    // cut_at_each: K, the choice points that take turns. Else 1.
    std::uint32_t period = 1;
};

enum class Outcome : std::uint8_t { accepted, rejected, failed, stayed };
inline constexpr std::size_t kOutcomes = 4;

// A proof, and how often each proposal has been taken, modulo its period.
struct State {
    Proof proof;
    std::vector<std::uint32_t> turns;
};

// What became of the moves: count[proposal][outcome].
using Tally = std::vector<std::array<std::uint64_t, kOutcomes>>;

// Tempered states (slp.infer.mh.tempering): the rungs, the coldest first, and r of each step
// between them, of which the powers are b_0 = 1, b_j+1 = b_j exp(-exp(r_j)).
struct Ladder {
    std::vector<State> rungs;
    std::vector<double> spacing;
};

// What became of the swaps of rungs j and j + 1: count[j][whether it was accepted].
using SwapTally = std::vector<std::array<std::uint64_t, 2>>;

struct Start {
    bool found = false;
    // How many of the proofs drawn on the way did not come to a dead end.
    std::uint32_t derived = 0;
    State state;
};

// A condition on finished trees that the core does not know. It is asked last, and only of a proof
// that would be gone to, as it may be slow; what it throws ends the work at hand.
using Predicate = std::function<bool(const Proof&)>;
// Holds of every tree.
inline const Predicate kNoPredicate;

// What one thread needs to make transitions: all memory that they use, kept from one to the next.
class Mover {
public:
    Mover(const exact::Problem& problem, const exact::Geometry& geometry, const TreeTests& tests,
          const std::vector<Proposal>& mixture, double most_boxes);

    // What is asked from here on; it must outlive its use.
    void ask(const Predicate& predicate) { predicate_ = &predicate; }

    // One transition towards weight times likelihood^power; the proposal taken and its outcome.
    std::pair<std::size_t, Outcome> step(Chance& chance, double power, State& state);

    // One transition of every rung, then one swap tried; the lower rung's number, and whether it was
    // accepted. `tally` counts what became of the moves of rung 0.
    std::pair<std::size_t, bool> step(Chance& chance, double power, Ladder& ladder, Tally& tally);

    // Whether the whole table fits: see ExactSubtrees.
    bool root_fits();

    // A proof of the root goal, drawn from the local process, leaves taken early with a
    // probability; false at a dead end.
    bool draw(Chance& chance, double end_early, Proof& out);
    bool holds(const Proof& proof);

    // The proof that makes these choices, in preorder; false if there is none.
    bool build(std::span<const Taken> choices, Proof& out);

private:
    Outcome propose(Chance& chance, double power, const Proposal& proposal, std::uint32_t turn,
                    Proof& proof);
    Outcome cut(Chance& chance, double power, Point point, bool counted, Proof& proof);
    Outcome redraw_exactly(Chance& chance, double power, Proof& proof);
    Outcome decide(Chance& chance, double power, bool counted, bool always, Proof& proof);
    std::uint32_t room(const Proof& proof, const Node& goal) const;
    bool fits(Proof& proof, std::uint32_t position);
    bool goes_left(std::uint32_t row, const Taken& taken) const;
    void path_of_row(const Proof& proof, std::uint32_t row);
    bool grow(Chance& chance, const Node& goal, std::int32_t rule, double end_early,
              std::uint32_t room);
    template <typename Choose>
    bool grow_by(const Node& goal, std::uint32_t room, Choose choose);
    void take_rows(const Proof& proof, const Node& node);
    std::uint32_t part_rows(std::uint32_t begin, std::uint32_t size, const Taken& taken);
    // The proof with what was drawn in place of the end of `path_`.
    const Proof& candidate(const Proof& proof);

    const exact::Problem& problem_;
    const TreeTests& tests_;
    const std::vector<Proposal>& mixture_;
    const Predicate* predicate_ = &kNoPredicate;
    std::vector<double> weights_;
    LocalProcess process_;
    TreeTester tester_;
    ExactSubtrees exact_;
    // Rows of the data up to and with each distinct row.
    std::vector<std::uint64_t> rows_up_to_;

    struct Goal {
        std::int32_t state;
        std::uint32_t begin, size;
    };
    // What was drawn last: the subtree and its rows.
    std::vector<Node> drawn_;
    std::vector<std::uint32_t> rows_;
    // Scratch.
    std::vector<Goal> goals_;
    std::vector<std::uint32_t> right_rows_;
    std::vector<std::uint64_t> marks_;
    std::vector<std::uint32_t> path_, queue_;
    std::vector<double> statistics_;
    Proof candidate_;
    std::vector<double> powers_;
};

// Chains of one target: what they share, and the movers that their threads borrow.
class Sampler {
public:
    // `problem` and `geometry` must outlive it; problem.grammar.max_leaves is 0. `most_boxes`: what
    // fits under exact_subtree.
    Sampler(const exact::Problem& problem, const exact::Geometry& geometry, TreeTests tests,
            std::vector<Proposal> mixture, double most_boxes);

    const exact::Problem& problem() const { return problem_; }
    const exact::Geometry& geometry() const { return geometry_; }
    std::size_t n_proposals() const { return mixture_.size(); }

    // A state that satisfies the tests: up to `tries` proofs are drawn, leaves taken early with
    // probability 0, 1/10, ..., 9/10 in turn.
    Start start(Chance& chance, std::uint32_t tries, const Predicate& predicate = kNoPredicate);
    // `n` transitions.
    State advance(const State& state, Chance& chance, double power, std::uint64_t n, Tally& tally,
                  const Predicate& predicate = kNoPredicate);
    // `n` transitions of tempered states; the first has the number `tuning_from` (from 1) among
    // those of the warm-up, after which the powers are tuned, or 0.
    Ladder advance(const Ladder& ladder, Chance& chance, double power, std::uint64_t n,
                   std::uint64_t tuning_from, Tally& tally, SwapTally& swaps,
                   const Predicate& predicate = kNoPredicate);
    // Whether the whole table fits under exact_subtree.
    bool root_fits();
    // The state of a proof given by its choices; false if there is none.
    bool restore(std::span<const Taken> choices, std::vector<std::uint32_t> turns, State& out);
    bool holds(const Proof& proof);

private:
    const exact::Problem& problem_;
    const exact::Geometry& geometry_;
    TreeTests tests_;
    std::vector<Proposal> mixture_;
    Lender<Mover> movers_;
};

}  // namespace slp::mh
