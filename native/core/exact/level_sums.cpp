#include "exact/level_sums.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "exact/algebras.hpp"
#include "exact/item_looks.hpp"

namespace slp::exact {

namespace {

// Looks serve items of so many levels.
constexpr int kLookLevels = 2;

}  // namespace

LevelSums::LevelSums(const Problem& problem, const Geometry& geometry, bool likelihood,
                     std::size_t memory, std::size_t n_threads)
    : problem_(problem),
      geometry_(geometry),
      likelihood_(likelihood),
      n_threads_(n_threads),
      budget_(memory),
      limited_(problem),
      arena_(budget_),
      of_items_(budget_) {
    const std::int32_t start = problem.grammar.start;
    number_states(start);
    layout_ = {problem.table.features.size(), static_cast<std::size_t>(levels(start)),
               states_.size()};
    by_levels_.resize(layout_.levels + 1);
}

void LevelSums::number_states(std::int32_t state) {
    if (!number_.emplace(state, states_.size()).second) {
        return;
    }
    const std::size_t own = states_.size();
    states_.push_back(state);
    const search::LimitedState found = limited_.of(state);
    levels_.push_back(found.levels);
    if (found.rule != nullptr) {
        number_states(found.left);
        number_states(found.right);
        if (found.levels == 1) {
            into_leaves_.push_back({own, number_of(found.left), number_of(found.right)});
        }
    }
}

Status LevelSums::run(const Poll& poll) {
    return within_budget([&] {
        Status status = list_items(poll);
        if (status == Status::done) {
            status = sum_last_levels(poll);
        }
        for (std::size_t level = kLookLevels + 1;
             level <= layout_.levels && status == Status::done; ++level) {
            status = sum_level(level, poll);
        }
        return status;
    });
}

Progress LevelSums::progress() const {
    Progress out;
    out.items = 2 * looks_.load(std::memory_order_relaxed);
    out.edges = cuts_.load(std::memory_order_relaxed);
    out.bytes = budget_.used();
    out.peak_bytes = budget_.peak();
    return out;
}

const TreeSummary* LevelSums::find(Key item) const {
    const auto found = index_.find(item);
    return found == index_.end() ? nullptr : known(found->second);
}

// The items, from the root down to the first that looks serve.
Status LevelSums::list_items(const Poll& poll) {
    ThreadTeam team;
    Watch watch(team, &poll);
    ItemOpener opener(problem_, geometry_, budget_);
    const auto keep = [&](const Box& box, std::int32_t state, Key key) {
        constexpr std::size_t kBytes = sizeof(KeptItem) + 96;
        of_items_.add(kBytes + layout_.size() * sizeof(double));
        index_.emplace(key, items_.size());
        by_levels_[static_cast<std::size_t>(levels(state))].push_back(items_.size());
        items_.push_back({box, state, {}});
    };
    const Box root = geometry_.root();
    const std::int32_t start = problem_.grammar.start;
    keep(root, start, root.key + opener.builder.state_key(start));
    for (std::size_t level = layout_.levels; level > kLookLevels; --level) {
        for (const std::size_t i : by_levels_[level]) {
            if (!watch.go_on([&] { return progress(); })) {
                return Status::stopped;
            }
            const Arena::Mark mark = opener.arena.mark();
            const Box box = items_[i].box;
            opener.open(box, items_[i].state);
            for (const RuleEdges& rule : opener.item.rules) {
                for (const Edge& edge : rule.edges) {
                    const BoxSplit& split = opener.splits[edge.split];
                    if (!index_.contains(edge.left)) {
                        keep(geometry_.side(box, split, true, arena_), edge.left_state, edge.left);
                    }
                    if (!index_.contains(edge.right)) {
                        keep(geometry_.side(box, split, false, arena_), edge.right_state,
                             edge.right);
                    }
                }
            }
            opener.arena.release(mark);
        }
    }
    return Status::done;
}

// Calls make_work() in each thread, and what it returns with the numbers below n, shared out.
template <typename Work>
Status LevelSums::in_parallel(std::size_t n, const Poll& poll, Work make_work) {
    if (n == 0) {
        return Status::done;
    }
    ThreadTeam team;
    std::atomic<std::size_t> next{0}, finished{0};
    return team.run(std::min(n_threads_, n), [&](std::size_t thread) {
        Watch watch(team, thread == 0 ? &poll : nullptr);
        const auto go_on = [&] { return watch.go_on([&] { return progress(); }); };
        auto work = make_work();
        for (std::size_t i = next++; i < n; i = next++) {
            if (!work(i, go_on)) {
                return;
            }
            if (++finished == n) {
                team.end(Status::done);
            }
        }
        while (thread == 0 && go_on()) {  // the caller's, which polls
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    });
}

// Items of two levels at most. Where there is one alone its features are shared out.
Status LevelSums::sum_last_levels(const Poll& poll) {
    std::vector<std::size_t> numbers;
    for (std::size_t level = 0; level <= kLookLevels; ++level) {
        numbers.insert(numbers.end(), by_levels_[level].begin(), by_levels_[level].end());
    }
    // More parts than threads, as the work differs; each sorts the rows again.
    constexpr std::size_t kMostParts = 16;
    const std::size_t parts = numbers.size() == 1 ? std::min(layout_.d, kMostParts) : 1;
    Charge of_parts(budget_);
    of_parts.add(parts * layout_.size() * sizeof(double));
    std::vector<SummarySum> sums(parts, SummarySum(layout_));
    const Status status = in_parallel(numbers.size() * parts, poll, [&] {
        auto opener = std::make_shared<ItemOpener>(problem_, geometry_, budget_);
        auto looker =
            std::make_shared<Looker>(problem_, limited_, likelihood_, problem_.table.n_rows,
                                     budget_);
        return [this, &numbers, &sums, parts, opener, looker](std::size_t unit, auto go_on) {
            KeptItem& kept = items_[numbers[unit / parts]];
            const std::size_t part = unit % parts;
            const Arena::Mark mark = opener->arena.mark();
            opener->open(kept.box, kept.state);
            looker->take(kept.box);
            SummarySum alone(layout_);
            SummarySum& sum = parts > 1 ? sums[part] : alone;
            const std::size_t state = number_of(kept.state);
            for (const RuleEdges& rule : opener->item.rules) {
                if (rule.kind == RuleKind::leaf && part == 0) {
                    sum.add_leaf(log_factor(rule, opener->item, likelihood_), state,
                                 !opener->splits.empty());
                }
                for (const Edge& edge : rule.edges) {
                    const BoxSplit& split = opener->splits[edge.split];
                    if (split.feature % parts != part) {
                        continue;
                    }
                    if (!go_on()) {
                        return false;
                    }
                    looker->look(split);
                    looks_.fetch_add(1, std::memory_order_relaxed);
                    cuts_.fetch_add(looker->n_cuts(), std::memory_order_relaxed);
                    sum.add_split(rule.log_factor + edge.log_probability(), state, split.feature,
                                  looker->side(false, edge.left_state),
                                  number_of(edge.left_state),
                                  looker->side(true, edge.right_state),
                                  number_of(edge.right_state));
                }
            }
            opener->arena.release(mark);
            if (parts == 1) {
                kept.summary = alone.found();
                add_leaves_below(kept);
            }
            return true;
        };
    });
    if (status == Status::done && parts > 1) {
        for (std::size_t part = 1; part < parts; ++part) {
            sums[0].merge(sums[part]);
        }
        items_[numbers[0]].summary = sums[0].found();
        add_leaves_below(items_[numbers[0]]);
    }
    return status;
}

// Of the splits of sides, which have leaves on both sides. The sides of an item of one level have
// no splits.
void LevelSums::add_leaves_below(KeptItem& item) const {
    if (levels(item.state) < kLookLevels) {
        return;
    }
    std::vector<double>& numbers = item.summary.numbers;
    for (const SplitIntoLeaves& last : into_leaves_) {
        double uses = 0;
        for (std::size_t f = 0; f < layout_.d; ++f) {
            uses += numbers[layout_.splits(last.state) + f];
        }
        numbers[layout_.stops(last.left)] += uses;
        numbers[layout_.stops(last.right)] += uses;
    }
}

// Items of one level above: all that they lead to is known.
Status LevelSums::sum_level(std::size_t level, const Poll& poll) {
    const std::vector<std::size_t>& numbers = by_levels_[level];
    return in_parallel(numbers.size(), poll, [&] {
        auto opener = std::make_shared<ItemOpener>(problem_, geometry_, budget_);
        return [this, &numbers, opener](std::size_t i, auto go_on) {
            KeptItem& kept = items_[numbers[i]];
            const Arena::Mark mark = opener->arena.mark();
            opener->open(kept.box, kept.state);
            SummarySum sum(layout_);
            const std::size_t state = number_of(kept.state);
            for (const RuleEdges& rule : opener->item.rules) {
                if (rule.kind == RuleKind::leaf) {
                    sum.add_leaf(log_factor(rule, opener->item, likelihood_), state,
                                 !opener->splits.empty());
                }
                for (const Edge& edge : rule.edges) {
                    if (!go_on()) {
                        return false;
                    }
                    sum.add_split(rule.log_factor + edge.log_probability(), state,
                                  opener->splits[edge.split].feature, *find(edge.left),
                                  *find(edge.right));
                }
            }
            opener->arena.release(mark);
            kept.summary = sum.found();
            return true;
        };
    });
}

void LevelSums::log_values_below(const Box& box, std::span<const BoxSplit> splits,
                                 std::int32_t state, const ItemEdges& item, bool best,
                                 double* left, double* right) const {
    Budget unlimited(SIZE_MAX);
    std::optional<Looker> looker;
    const bool leaves_below = levels(state) <= 1;
    std::size_t at = 0;  // of the listed cuts, where there are leaves below
    std::vector<double> rest(problem_.leaf.n_statistics());
    for (const RuleEdges& rule : item.rules) {
        for (const Edge& edge : rule.edges) {
            const TreeSummary *of_left = nullptr, *of_right = nullptr;
            if (levels(state) > kLookLevels) {
                of_left = find(edge.left);
                of_right = find(edge.right);
            }
            if (of_left != nullptr && of_right != nullptr) {
                *left++ = best ? of_left->log_best : of_left->log_total;
                *right++ = best ? of_right->log_best : of_right->log_total;
                continue;
            }
            if (!looker) {
                looker.emplace(problem_, limited_, likelihood_, box.rows.size(), unlimited);
                looker->take(box);
                if (leaves_below) {
                    looker->look_at_all();
                }
            }
            if (!leaves_below) {
                looker->look(splits[edge.split]);
                const SideSum l = looker->side(false, edge.left_state);
                *left++ = best ? l.log_best : l.log_total;
                const SideSum r = looker->side(true, edge.right_state);
                *right++ = best ? r.log_best : r.log_total;
                continue;
            }
            const search::CutList& cuts = looker->cuts();
            while (!cuts.valid[at]) {
                ++at;
            }
            const double* const sums = cuts.left.data() + at * rest.size();
            for (std::size_t c = 0; c < rest.size(); ++c) {
                rest[c] = cuts.sums[c] - sums[c];
            }
            const auto leaf = [&](std::int32_t number, const double* statistics) {
                const search::LimitedState& to = looker->states().of(number);
                return (best ? to.stop : to.leaves) +
                       (likelihood_ ? problem_.leaf.log_marginal(statistics) : 0.0);
            };
            *left++ = leaf(edge.left_state, sums);
            *right++ = leaf(edge.right_state, rest.data());
            ++at;
        }
    }
}

}  // namespace slp::exact
