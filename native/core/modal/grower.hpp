// Grows a modal tree: at each goal the best of stopping and all splits (goal_scorer.hpp).
//
// Goals are decided in waves, one for each depth. In a wave the threads share the goals, and the
// features of large ones. A goal that can neither stop nor split is a dead end: after the last wave
// the split above it is left out, and the goal above decides again among what is left. All orders
// are fixed, so the tree does not depend on the number of threads.

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "budget.hpp"
#include "modal/goal_scorer.hpp"
#include "modal/partial_tree.hpp"
#include "modal/plan.hpp"
#include "problem/orders_charge.hpp"
#include "problem/problem.hpp"
#include "thread_team.hpp"

namespace slp::modal {

// The most choices that dead ends may undo.
inline constexpr std::uint64_t kMostUndone = 100'000;

enum class Ending : std::uint8_t { done, stopped, out_of_budget, no_tree, too_many_dead_ends };

class Grower {
public:
    // The tree of all rows from the grammar's start, or of some distinct rows (ascending) in a
    // state.
    Grower(const Problem& problem, const Geometry& geometry, const Plan& plan);
    Grower(const Problem& problem, const Geometry& geometry, const Plan& plan,
           std::span<const std::uint32_t> rows, std::int32_t state);

    // Once. A run that was stopped has the nodes that were decided by then.
    Ending run(const Poll& poll);
    Grown grown() const { return tree_.grown(); }
    // The best score of a split of the root by feature when it was first decided, -inf where there
    // is none.
    const std::vector<double>& root_scores() const { return root_scores_; }

private:
    // A goal of a wave: its leaf model, and where several threads work on it its scores.
    struct Work {
        std::size_t node;
        std::unique_ptr<LeafModel> smoothed;
        std::vector<FeatureScore> scores;
        std::size_t n_slots = 0;
        // What came of it.
        std::uint32_t middle = 0;
        ScoredSplit split;
    };
    struct Task {
        std::size_t work;
        std::int32_t feature;  // -1: all of the goal
    };

    void grow(std::vector<std::size_t> wave);
    std::vector<std::size_t> expand(const std::vector<std::size_t>& wave);
    void smooth(Work& work) const;
    Goal goal_of(const Work& work) const;
    std::vector<Task> tasks_of(std::vector<Work>& works);
    void do_task(const Task& task, Work& work, GoalScorer& scorer);
    void apply(Work& work, const Decision& outcome, const GoalScorer& scorer);
    void decide_stops();
    template <typename Do>
    void in_parallel(std::size_t n, const Do& work);
    bool poll_now();

    const Problem& problem_;
    const Geometry& geometry_;
    Plan plan_;
    Budget budget_;
    std::span<const std::uint32_t> given_;
    std::int32_t state_;
    PartialTree tree_;
    OrdersCharge orders_;
    std::vector<std::unique_ptr<GoalScorer>> scorers_;
    std::vector<double> root_scores_;
    // The run.
    const Poll* poll_ = nullptr;
    std::chrono::steady_clock::time_point next_poll_{};
    std::atomic<bool> stopped_{false};
    std::atomic<bool> out_of_budget_{false};
};

}  // namespace slp::modal
