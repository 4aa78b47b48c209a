#include "modal/stop_labels.hpp"

#include <algorithm>
#include <cmath>

#include "problem/applicable_rules.hpp"

namespace slp::modal {

namespace {

template <typename T>
T& place(std::deque<T>& all, std::int32_t state) {
    const auto at = static_cast<std::size_t>(state);
    if (at >= all.size()) {
        all.resize(at + 1);
    }
    return all[at];
}

}  // namespace

const StateFacts& StopLabels::facts(std::int32_t state) {
    StateFacts& own = place(facts_, state);
    if (!own.known) {
        if (!go_on_()) {
            throw Interrupted{};
        }
        own = facts_of(state);
    }
    return own;
}

StateFacts StopLabels::facts_of(std::int32_t state) const {
    StateFacts out;
    out.known = true;
    for (const Rule& rule : rules(state)) {
        out.steps.push_back(rule_steps(problem_, rule));
        bool taken_over = false, open = false;
        for (std::size_t i = 0; i < rule.transitions.size() && !open; i += 2) {
            taken_over = taken_over || problem_.grammar.takes_over(rule.transitions[i]);
            open = rule.transitions[i] >= 0;
        }
        out.taken_over.push_back(taken_over || open);
        out.splits = out.splits || open;
        out.by_rows = out.by_rows || !rule.rows.empty() || !rule.majority.empty();
    }
    return out;
}

const StopFacts& StopLabels::stops(std::int32_t state) {
    if (!place(stops_, state).known) {
        for (stack_.assign(1, state); !stack_.empty();) {
            const std::int32_t at = stack_.back();
            facts(at);
            bool ready = true;
            for (const Rule& rule : rules(at)) {
                if (rule.kind == RuleKind::call && !place(stops_, rule.state).known) {
                    stack_.push_back(rule.state);
                    ready = false;
                }
            }
            if (ready) {
                place(stops_, at) = stops_of(at);
                stack_.pop_back();
            }
        }
    }
    return place(stops_, state);
}

StopFacts StopLabels::stops_of(std::int32_t state) {
    const StateFacts& own = facts(state);
    StopFacts out;
    out.known = true;
    out.fixed = !own.by_rows;
    out.splits = own.splits;
    for (const Rule& rule : rules(state)) {
        if (rule.kind == RuleKind::call) {
            const StopFacts& called = place(stops_, rule.state);
            out.splits = out.splits || called.splits;
            out.fixed = out.fixed && called.fixed;
        }
    }
    if (out.fixed) {
        const std::vector<double> none(kStatistics + problem_.leaf.n_statistics(), 0.0);
        for (const bool may : {false, true}) {
            out.best[may] = best(state, may, none.data());
            out.label[may] = worth(out.best[may], may, out.splits);
        }
    }
    return out;
}

double StopLabels::best(std::int32_t state, bool may_split, const double* sums) {
    const StopFacts& known = place(stops_, state);
    if (known.known && known.fixed) {
        return known.best[may_split];
    }
    const std::vector<std::uint8_t>& taken_over = facts(state).taken_over;
    const std::span<const double> statistics(sums + kStatistics, problem_.leaf.n_statistics());
    const std::span<const double> found = weights_.of(state, sums[kData], statistics);
    const std::vector<double> own(found.begin(), found.end());  // calls use it again
    ApplicableRules applicable(problem_.grammar);
    double out = -INFINITY;
    for (std::size_t r = 0; r < own.size(); ++r) {
        const Rule& rule = rules(state)[r];
        const RuleReach reach = applicable.add(
            rule, own[r], [&](const auto& classes) { return has_majority(classes, statistics); },
            [&] {
                const bool some = may_split && taken_over[r] != 0;
                return RuleReach{some, some};
            });
        if (reach.open && rule.kind == RuleKind::leaf) {
            out = std::max(out, own[r]);
        } else if (reach.open && rule.kind == RuleKind::call) {
            out = std::max(out, own[r] + best(rule.state, may_split, sums));
        }
    }
    return out - applicable.log_divisor();
}

double StopLabels::of(std::int32_t state, const double* sums) {
    const bool may = may_split(sums);
    const StopFacts& own = stops(state);
    return own.fixed ? own.label[may] : worth(best(state, may, sums), may, own.splits);
}

}  // namespace slp::modal
