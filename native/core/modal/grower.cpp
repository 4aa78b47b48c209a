#include "modal/grower.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace slp::modal {

namespace {

// A goal of so many rows times features is worked on by several threads, feature by feature.
constexpr std::size_t kLargeGoal = 1 << 15;
// A wave of fewer rows times features is not worth a second thread.
constexpr std::size_t kLargeWave = 1 << 14;

}  // namespace

Grower::Grower(const Problem& problem, const Geometry& geometry, const Plan& plan)
    : Grower(problem, geometry, plan, geometry.root().rows, problem.grammar.start) {}

Grower::Grower(const Problem& problem, const Geometry& geometry, const Plan& plan,
               std::span<const std::uint32_t> rows, std::int32_t state)
    : problem_(problem),
      geometry_(geometry),
      plan_(plan),
      budget_(plan.room),
      given_(rows),
      state_(state),
      tree_(problem, plan_, budget_),
      orders_(problem.table, budget_),
      root_scores_(problem.table.features.size(), -INFINITY) {}

bool Grower::poll_now() {
    const auto now = std::chrono::steady_clock::now();
    if (now >= next_poll_) {
        next_poll_ = now + std::chrono::milliseconds(100);
        Progress progress;
        progress.items = tree_.size();
        progress.bytes = budget_.used();
        if (!(*poll_)(progress)) {
            stopped_ = true;
        }
    }
    return !stopped_;
}

// Calls work(thread, i) for i from 0 to n - 1. The caller's thread is the first, and polls.
template <typename Do>
void Grower::in_parallel(std::size_t n, const Do& work) {
    std::atomic<std::size_t> next{0};
    std::exception_ptr fault;
    std::mutex fault_lock;
    const auto loop = [&](std::size_t thread) {
        try {
            while (!stopped_ && !out_of_budget_) {
                const std::size_t i = next++;
                if (i >= n || (thread == 0 && !poll_now())) {
                    return;
                }
                work(thread, i);
                orders_.look();
            }
        } catch (const Interrupted&) {
        } catch (const OutOfBudget&) {
            out_of_budget_ = true;
        } catch (const std::bad_alloc&) {
            out_of_budget_ = true;
        } catch (...) {
            stopped_ = true;
            const std::lock_guard guard(fault_lock);
            fault = std::current_exception();
        }
    };
    run_threads(std::min(n, scorers_.size()), loop);
    if (fault) {
        std::rethrow_exception(fault);
    }
}

Ending Grower::run(const Poll& poll) {
    poll_ = &poll;
    try {
        const auto caller = std::this_thread::get_id();
        for (std::size_t t = 0; t < std::max<std::size_t>(1, plan_.threads); ++t) {
            scorers_.push_back(
                std::make_unique<GoalScorer>(problem_, geometry_, plan_, budget_, [this, caller] {
                    return std::this_thread::get_id() == caller ? poll_now() : !stopped_;
                }));
        }
        tree_.start(given_, state_);
        std::size_t undone = 0;
        for (std::vector<std::size_t> wave{0}; !wave.empty(); undone += wave.size()) {
            grow(std::move(wave));
            if (out_of_budget_) {
                return Ending::out_of_budget;
            }
            if (stopped_) {
                decide_stops();
                return Ending::stopped;
            }
            if (tree_.dead(0)) {
                return Ending::no_tree;
            }
            if (undone > kMostUndone) {
                return Ending::too_many_dead_ends;
            }
            wave = tree_.undo_dead_ends();
        }
    } catch (const OutOfBudget&) {
        return Ending::out_of_budget;
    } catch (const std::bad_alloc&) {
        return Ending::out_of_budget;
    }
    return Ending::done;
}

void Grower::grow(std::vector<std::size_t> wave) {
    while (!wave.empty() && !stopped_ && !out_of_budget_) {
        wave = expand(wave);
    }
}

// The leaf model of a goal whose prior smoothing has changed.
void Grower::smooth(Work& work) const {
    if (plan_.smoothing > 0) {
        const auto sums = tree_.rows_of(work.node).statistics();
        std::vector<double> prior = problem_.leaf.hyperparameters();
        const std::vector<double>& added = tree_[work.node].added;
        for (std::size_t i = 0; i < added.size(); ++i) {
            prior[i] += added[i];
        }
        work.smoothed = std::make_unique<LeafModel>(
            problem_.leaf.name(), std::move(prior), std::vector(sums.begin(), sums.end()),
            sums.size());
    }
}

Goal Grower::goal_of(const Work& work) const {
    const GrownNode& node = tree_[work.node];
    Goal goal{};
    goal.set = tree_.rows_of(work.node);
    goal.state = node.state;
    goal.leaf = work.smoothed ? work.smoothed.get() : &problem_.leaf;
    goal.log_likelihood =
        plan_.likelihood ? goal.leaf->log_marginal(goal.set.statistics().data()) : 0.0;
    goal.look_ahead = plan_.look_ahead;
    goal.failed = node.failed;
    goal.drawn = node.depth < plan_.drawn_levels && node.place > 0;
    goal.place = node.place;
    goal.only_feature = node.depth == 0 ? plan_.root_feature : -1;
    return goal;
}

// Large goals are parted by features, if several threads take part.
std::vector<Grower::Task> Grower::tasks_of(std::vector<Work>& works) {
    const std::size_t d = problem_.table.features.size();
    std::vector<Task> tasks;
    for (std::size_t i = 0; i < works.size(); ++i) {
        Work& work = works[i];
        const std::size_t size = tree_.rows_of(work.node).rows.size() * d;
        if (size >= kLargeGoal && scorers_.size() > 1 && plan_.smoothing == 0) {
            scorers_[0]->enter(goal_of(work));
            work.n_slots = scorers_[0]->across_features() ? 0 : scorers_[0]->n_slots();
            work.scores.resize(work.n_slots * d);
        }
        for (std::size_t f = 0; f < (work.n_slots > 0 ? d : 1); ++f) {
            tasks.push_back({i, work.n_slots > 0 ? static_cast<std::int32_t>(f) : -1});
        }
    }
    return tasks;
}

void Grower::do_task(const Task& task, Work& work, GoalScorer& scorer) {
    if (task.feature >= 0) {
        const auto f = static_cast<std::uint32_t>(task.feature);
        scorer.enter(goal_of(work));
        scorer.score_feature(f, std::span(work.scores).subspan(f * work.n_slots, work.n_slots));
        return;
    }
    smooth(work);
    scorer.enter(goal_of(work));
    apply(work, scorer.decide(), scorer);
}

std::vector<std::size_t> Grower::expand(const std::vector<std::size_t>& wave) {
    std::vector<Work> works(wave.size());
    std::vector<std::size_t> parted;
    std::size_t weight = 0;
    for (std::size_t i = 0; i < wave.size(); ++i) {
        works[i].node = wave[i];
        weight += tree_.rows_of(wave[i]).rows.size() * problem_.table.features.size();
    }
    const auto do_all = [&](std::size_t n, const auto& work) {
        if (weight >= kLargeWave && n > 1) {
            in_parallel(n, work);
        } else {
            for (std::size_t i = 0; i < n && poll_now(); ++i) {
                work(0, i);
            }
        }
    };
    try {
        const std::vector<Task> tasks = tasks_of(works);
        for (std::size_t i = 0; i < works.size(); ++i) {
            if (works[i].n_slots > 0) {
                parted.push_back(i);
            }
        }
        do_all(tasks.size(), [&](std::size_t thread, std::size_t t) {
            do_task(tasks[t], works[tasks[t].work], *scorers_[thread]);
        });
        do_all(stopped_ ? 0 : parted.size(), [&](std::size_t thread, std::size_t i) {
            Work& work = works[parted[i]];
            scorers_[thread]->enter(goal_of(work));
            apply(work, scorers_[thread]->choose(work.scores), *scorers_[thread]);
        });
    } catch (const Interrupted&) {
    }
    std::vector<std::size_t> next;
    for (const Work& work : works) {
        if (tree_[work.node].expanded && work.split.left >= 0) {
            next.push_back(tree_.add_side(work.node, true, work.middle, work.split.left));
            next.push_back(tree_.add_side(work.node, false, work.middle, work.split.right));
        }
    }
    return next;
}

void Grower::apply(Work& work, const Decision& outcome, const GoalScorer& scorer) {
    GrownNode& node = tree_[work.node];
    if (work.node == 0 && node.failed.empty() && !node.stops) {
        root_scores_.assign(scorer.by_feature().begin(), scorer.by_feature().end());
    }
    node.expanded = true;
    node.log_stop = outcome.log_stop;
    node.log_likelihood = goal_of(work).log_likelihood;
    const bool can_stop = outcome.log_stop > -INFINITY, can_split = outcome.split.left >= 0;
    const bool forced = node.depth == 0 && plan_.root_feature >= 0;
    node.gains = can_split && (!can_stop || forced ||
                               outcome.split.compared > outcome.stop_compared + kTie);
    if (node.stops && can_stop) {
        return;
    }
    if (node.gains || (can_split && node.slack > 0)) {
        node.split = outcome.split.taken;
        node.log_split = outcome.log_split;
        node.gain =
            can_stop ? outcome.split.score - (outcome.log_stop + node.log_likelihood) : 0.0;
        work.split = outcome.split;
        work.middle = tree_.part_rows(work.node);
    }
}

// At the goals that were not decided in time: whether they can stop.
void Grower::decide_stops() {
    scorers_.clear();
    GoalScorer scorer(problem_, geometry_, plan_, budget_, [] { return true; });
    tree_.for_each([&](std::size_t at) {
        if (!tree_[at].expanded) {
            Work work;
            work.node = at;
            smooth(work);
            const Goal goal = goal_of(work);
            tree_[at].log_stop = scorer.log_stop(goal);
            tree_[at].log_likelihood = goal.log_likelihood;
        }
    });
}

}  // namespace slp::modal
