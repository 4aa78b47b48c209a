// Subtrees drawn from their exact distribution, by the sums of weights over all derivations of a
// goal, for the proposal q_exact (slp.reference.mh.exact_subtrees).
//
// The sum of a goal (a box in a state) to a power is
//
//     V = sum over its leaf rules of w L^power + sum over its other ways on of w V(left) V(right)
//
// and depends only on its rows, its state and the power. Sums are cached from one goal to the next,
// because the boxes below two goals are often the same. Draws do not depend on the cache.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "arena.hpp"
#include "exact/memo.hpp"
#include "exact/numbers.hpp"
#include "mcmc/cuts.hpp"
#include "mcmc/local_process.hpp"
#include "mcmc/randomness.hpp"
#include "problem/edges.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"

namespace slp::mcmc {

// One for each thread.
class ExactSubtrees {
public:
    // A box fits if a bound on the boxes inside it is at most `most_boxes`.
    ExactSubtrees(const Problem& problem, const Geometry& geometry, double most_boxes);

    // Whether a box fits: of m rows and, of feature f, c_f codes, the bound is the smaller of 2^m
    // and the product over f of c_f (c_f + 1) / 2 (of levels 2^c_f). Every box inside a box that
    // fits also fits.
    bool fits(Rows rows);

    // Computes the sums of a goal and of all goals below it.
    void prepare(Rows rows, std::int32_t state, double power);
    // Draws the choices at the prepared goal, or at one below it; false if it derives nothing.
    bool draw(Randomness& random, Rows rows, std::int32_t state, Taken& out);

private:
    using Value = exact::Scaled;
    // The sums of one power.
    struct PowerSums {
        double power;
        std::unique_ptr<exact::Memo> memo;
    };
    // A goal on the stack whose sum is not complete.
    struct GoalFrame {
        Box box;
        Key key;
        ItemEdges item;
        std::span<const BoxSplit> splits;
        std::size_t rule = 0, edge = 0;
        Value sum;
        Arena::Mark before;
    };

    void take_power(double power);
    void open(const Box& box, std::int32_t state, Key key, Arena::Mark before);
    bool go_on(GoalFrame& frame);
    bool enter_missing(const GoalFrame& frame, const RuleEdges& rule, const Edge& edge);
    Value leaf_weight(const RuleEdges& rule, double log_likelihood) const;
    const std::uint64_t* find(Key key) const { return memo_->find(key); }

    const Problem& problem_;
    const Geometry& geometry_;
    double most_boxes_;
    Splitter splitter_;
    EdgeBuilder builder_;
    Arena arena_;
    std::vector<GoalFrame> frames_;
    Budget budget_;
    std::vector<PowerSums> sums_;
    exact::Memo* memo_ = nullptr;
    double power_ = 0.0;
    // Scratch: for each code of a feature the number of the box in which it was last seen.
    std::vector<std::uint32_t> seen_;
    std::uint32_t looked_ = 0;
    std::vector<double> weights_;
    std::vector<Value> values_;
    std::vector<Taken> edges_;
};

}  // namespace slp::mcmc
