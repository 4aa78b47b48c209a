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
// Depth up to which goals have places for draws.
constexpr std::uint32_t kDeepestPlace = 60;

}  // namespace

Grower::Grower(const Problem& problem, const Geometry& geometry, const Plan& plan)
    : Grower(problem, geometry, plan, geometry.root().rows, problem.grammar.start) {}

Grower::Grower(const Problem& problem, const Geometry& geometry, const Plan& plan,
               std::span<const std::uint32_t> rows, std::int32_t state)
    : problem_(problem),
      geometry_(geometry),
      plan_(plan),
      budget_(plan.room),
      charge_(budget_),
      given_(rows),
      state_(state),
      root_scores_(problem.table.features.size(), -INFINITY) {}

bool Grower::poll_now() {
    const auto now = std::chrono::steady_clock::now();
    if (now >= next_poll_) {
        next_poll_ = now + std::chrono::milliseconds(100);
        Progress progress;
        progress.items = nodes_.size();
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
        charge_.add(8 * given_.size());
        rows_.assign(given_.begin(), given_.end());
        scratch_.resize(rows_.size());
        const auto caller = std::this_thread::get_id();
        for (std::size_t t = 0; t < std::max<std::size_t>(1, plan_.threads); ++t) {
            scorers_.push_back(
                std::make_unique<GoalScorer>(problem_, geometry_, plan_, budget_, [this, caller] {
                    return std::this_thread::get_id() == caller ? poll_now() : !stopped_;
                }));
        }
        Node root;
        root.end = static_cast<std::uint32_t>(rows_.size());
        root.state = state_;
        root.slack = plan_.further;
        nodes_.push_back(root);
        for (std::vector<std::size_t> wave{0}; !wave.empty(); wave = undo_dead_ends()) {
            grow(std::move(wave));
            if (out_of_budget_) {
                return Ending::out_of_budget;
            }
            if (stopped_) {
                decide_stops();
                return Ending::stopped;
            }
            if (dead(nodes_[0])) {
                return Ending::no_tree;
            }
            if (undone_ > kMostUndone) {
                return Ending::too_many_dead_ends;
            }
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

std::vector<double> Grower::sums_of(const Node& node) const {
    std::vector<double> out(problem_.leaf.n_statistics());
    problem_.leaf.sum(rows_of(node), out.data());
    return out;
}

void Grower::prepare(Work& work) const {
    const Node& node = nodes_[work.node];
    work.statistics = sums_of(node);
    work.sizes = 0;
    for (const std::uint32_t row : rows_of(node)) {
        work.sizes += geometry_.sizes_of(row);
    }
    if (plan_.smoothing > 0) {
        std::vector<double> prior = problem_.leaf.hyperparameters();
        for (std::size_t i = 0; i < node.added.size(); ++i) {
            prior[i] += node.added[i];
        }
        work.smoothed = std::make_unique<LeafModel>(problem_.leaf.kind(), std::move(prior),
                                                    work.statistics, work.statistics.size());
    }
}

Goal Grower::goal_of(const Work& work) const {
    const Node& node = nodes_[work.node];
    Goal goal{};
    goal.set = {rows_of(node), work.sizes, work.statistics};
    goal.state = node.state;
    goal.leaf = work.smoothed ? work.smoothed.get() : &problem_.leaf;
    goal.log_likelihood = plan_.likelihood ? goal.leaf->log_marginal(work.statistics.data()) : 0.0;
    goal.look_ahead = plan_.look_ahead;
    goal.failed = node.failed;
    goal.drawn = node.depth < std::min(plan_.drawn_levels, kDeepestPlace);
    goal.place = node.place;
    goal.only_feature = node.depth == 0 ? plan_.root_feature : -1;
    return goal;
}

std::vector<std::size_t> Grower::expand(const std::vector<std::size_t>& wave) {
    const std::size_t d = problem_.table.features.size();
    std::vector<Work> works(wave.size());
    std::vector<Task> tasks;
    std::size_t weight = 0;
    for (std::size_t i = 0; i < wave.size(); ++i) {
        const Node& node = nodes_[wave[i]];
        const std::size_t own = (node.end - node.begin) * d;
        weight += own;
        works[i].node = wave[i];
        bool parted = own >= kLargeGoal && scorers_.size() > 1 && plan_.smoothing == 0;
        if (parted) {
            prepare(works[i]);
            scorers_[0]->enter(goal_of(works[i]));
            works[i].n_slots = scorers_[0]->n_slots();
            parted = works[i].n_slots > 0 && !scorers_[0]->across_features();
        }
        if (parted) {
            works[i].scores.resize(works[i].n_slots * d);
        }
        for (std::size_t f = 0; f < (parted ? d : 1); ++f) {
            tasks.push_back({i, parted ? static_cast<std::int32_t>(f) : -1});
        }
    }
    const auto do_task = [&](std::size_t thread, std::size_t t) {
        Work& work = works[tasks[t].work];
        GoalScorer& scorer = *scorers_[thread];
        if (tasks[t].feature >= 0) {
            scorer.enter(goal_of(work));
            const auto f = static_cast<std::uint32_t>(tasks[t].feature);
            scorer.score_feature(f, std::span(work.scores).subspan(f * work.n_slots, work.n_slots));
            return;
        }
        if (work.statistics.empty()) {
            prepare(work);
        }
        scorer.enter(goal_of(work));
        apply(work, scorer.decide());
        keep_root_scores(work, scorer);
    };
    const auto choose = [&](std::size_t thread, std::size_t i) {
        if (works[i].scores.empty()) {
            return;
        }
        scorers_[thread]->enter(goal_of(works[i]));
        apply(works[i], scorers_[thread]->choose(works[i].scores));
        keep_root_scores(works[i], *scorers_[thread]);
    };
    const auto run = [&](std::size_t n, const auto& work) {
        if (weight >= kLargeWave) {
            in_parallel(n, work);
        } else {
            for (std::size_t i = 0; i < n && poll_now(); ++i) {
                work(0, i);
            }
        }
    };
    try {
        run(tasks.size(), do_task);
        if (!stopped_) {
            run(works.size(), choose);
        }
    } catch (const Interrupted&) {
    }
    std::vector<std::size_t> next;
    for (const Work& work : works) {
        if (nodes_[work.node].expanded && work.split.left >= 0) {
            next.push_back(add_child(work, true));
            next.push_back(add_child(work, false));
        }
    }
    return next;
}

void Grower::keep_root_scores(const Work& work, const GoalScorer& scorer) {
    const Node& node = nodes_[work.node];
    if (work.node == 0 && node.failed.empty() && !node.stops) {
        root_scores_.assign(scorer.by_feature().begin(), scorer.by_feature().end());
    }
}

void Grower::apply(Work& work, const Outcome& outcome) {
    Node& node = nodes_[work.node];
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
        node.gain = outcome.split.score - (outcome.log_stop + node.log_likelihood);
        work.split = outcome.split;
        part_rows(work);
    }
}

void Grower::part_rows(Work& work) {
    const Node& node = nodes_[work.node];
    const Feature& feature = problem_.table.features[node.split.feature];
    std::uint32_t left = node.begin, right = node.begin;
    for (std::uint32_t i = node.begin; i < node.end; ++i) {
        const std::uint32_t row = rows_[i];
        const bool goes_left = feature.goes_left(node.split.low, row);
        rows_[left] = row;
        scratch_[right] = row;
        left += goes_left;
        right += !goes_left;
    }
    std::copy(scratch_.begin() + node.begin, scratch_.begin() + right, rows_.begin() + left);
    work.middle = left;
}

std::size_t Grower::add_child(const Work& work, bool left) {
    const std::size_t number = nodes_.size();
    Node& node = nodes_[work.node];
    Node child;
    child.begin = left ? node.begin : work.middle;
    child.end = left ? work.middle : node.end;
    child.state = left ? work.split.left : work.split.right;
    child.depth = node.depth + 1;
    child.place = child.depth < kDeepestPlace ? 2 * node.place + (left ? 0 : 1) : 0;
    child.parent = static_cast<std::int64_t>(work.node);
    child.slack = node.gains ? plan_.further : node.slack - 1;
    (left ? node.left : node.right) = static_cast<std::int64_t>(number);
    if (plan_.smoothing > 0) {
        child.added = sums_of(child);
        for (std::size_t i = 0; i < child.added.size(); ++i) {
            child.added[i] =
                child.added[i] * plan_.smoothing + (node.added.empty() ? 0.0 : node.added[i]);
        }
    }
    charge_.add(sizeof(Node) + 8 * child.added.size());
    nodes_.push_back(std::move(child));
    return number;
}

// The goals that decide again, each without the split that led to a dead end.
std::vector<std::size_t> Grower::undo_dead_ends() {
    std::vector<std::size_t> again, stack{0};
    while (!stack.empty()) {
        const std::size_t at = stack.back();
        stack.pop_back();
        Node& node = nodes_[at];
        if (node.left < 0) {
            continue;
        }
        const auto left = static_cast<std::size_t>(node.left);
        const auto right = static_cast<std::size_t>(node.right);
        if (!dead(nodes_[left]) && !dead(nodes_[right])) {
            stack.insert(stack.end(), {right, left});
            continue;
        }
        if (node.gains) {
            node.failed.push_back(node.split);
            charge_.add(sizeof(SplitTaken));
        } else {
            node.stops = true;
        }
        node.left = node.right = -1;
        node.expanded = false;
        std::sort(rows_.begin() + node.begin, rows_.begin() + node.end);
        again.push_back(at);
        ++undone_;
    }
    return again;
}

// At the goals that were not decided in time: whether they can stop.
void Grower::decide_stops() {
    std::vector<std::size_t> stack{0};
    while (!stack.empty()) {
        const std::size_t at = stack.back();
        stack.pop_back();
        if (nodes_[at].left >= 0) {
            stack.push_back(static_cast<std::size_t>(nodes_[at].right));
            stack.push_back(static_cast<std::size_t>(nodes_[at].left));
        } else if (!nodes_[at].expanded) {
            Work work;
            work.node = at;
            prepare(work);
            const Goal goal = goal_of(work);
            scorers_[0]->enter(goal);
            nodes_[at].log_stop = scorers_[0]->log_stop();
            nodes_[at].log_likelihood = goal.log_likelihood;
        }
    }
}

Grown Grower::grown() const {
    Grown out;
    std::vector<std::size_t> stack{0};
    while (!stack.empty()) {
        const Node& node = nodes_[stack.back()];
        stack.pop_back();
        const bool splits = node.left >= 0;
        out.feature.push_back(splits          ? static_cast<std::int32_t>(node.split.feature)
                              : node.expanded ? -1
                                              : -2);
        out.low.push_back(splits ? node.split.low : 0);
        out.high.push_back(splits ? node.split.high : 0);
        out.log_stop.push_back(node.log_stop);
        out.log_likelihood.push_back(node.log_likelihood);
        out.log_split.push_back(splits ? node.log_split : 0.0);
        out.gain.push_back(splits ? node.gain : 0.0);
        const std::vector<double> sums = sums_of(node);
        out.statistics.insert(out.statistics.end(), sums.begin(), sums.end());
        for (std::size_t i = 0; i < sums.size() && plan_.smoothing > 0; ++i) {
            out.added.push_back(node.added.empty() ? 0.0 : node.added[i]);
        }
        if (splits) {
            stack.push_back(static_cast<std::size_t>(node.right));
            stack.push_back(static_cast<std::size_t>(node.left));
        }
    }
    return out;
}

}  // namespace slp::modal
