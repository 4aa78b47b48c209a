#include "modal/stop_labels.hpp"

#include <algorithm>
#include <cmath>

#include "problem/edges.hpp"

namespace slp::modal {

const StateFacts& StopLabels::facts(std::int32_t state) {
    const auto at = static_cast<std::size_t>(state);
    if (at >= facts_.size()) {
        facts_.resize(at + 1);
    }
    if (!facts_[at].known) {
        // `make` may resize `facts_`, as it asks for the facts of called states.
        StateFacts made = make(state);
        facts_[at] = std::move(made);
    }
    return facts_[at];
}

StateFacts StopLabels::make(std::int32_t state) {
    StateFacts out;
    out.known = out.fixed = true;
    for (const Rule& rule : problem_.grammar.states[static_cast<std::size_t>(state)]) {
        out.steps.push_back(rule_steps(problem_, rule));
        bool taken_over = false, open = false;
        for (std::size_t i = 0; i < rule.transitions.size() && !open; i += 2) {
            taken_over = taken_over || problem_.grammar.takes_over(rule.transitions[i]);
            open = rule.transitions[i] >= 0;
        }
        out.taken_over.push_back(taken_over || open);
        out.open.push_back(open);
        out.fixed = out.fixed && rule.rows.empty() && rule.majority.empty();
        out.splits = out.splits || open;
        if (rule.kind == RuleKind::call) {
            const StateFacts& called = facts(rule.state);
            out.splits = out.splits || called.splits;
            out.fixed = out.fixed && called.fixed;
        }
    }
    if (out.fixed) {
        // `best` asks for the facts of this state.
        if (static_cast<std::size_t>(state) >= facts_.size()) {
            facts_.resize(static_cast<std::size_t>(state) + 1);
        }
        facts_[static_cast<std::size_t>(state)] = out;
        const std::vector<double> none(kStatistics + problem_.leaf.n_statistics(), 0.0);
        for (const bool may : {false, true}) {
            out.label[may] = worth(best(state, may, none.data()), may, out.splits);
        }
    }
    return out;
}

double StopLabels::best(std::int32_t state, bool may_split, const double* sums) {
    const auto& rules = problem_.grammar.states[static_cast<std::size_t>(state)];
    const std::span<const double> statistics(sums + kStatistics, problem_.leaf.n_statistics());
    const std::span<const double> found = weights_.of(state, sums[kData], statistics);
    const std::vector<double> own(found.begin(), found.end());  // calls use it again
    double total = 0.0, out = -INFINITY;
    for (std::size_t r = 0; r < rules.size(); ++r) {
        const Rule& rule = rules[r];
        const bool counts = rule.kind == RuleKind::leaf   ? problem_.grammar.condition ||
                                                              has_majority(rule.majority, statistics)
                            : rule.kind == RuleKind::call ? true
                                                          : may_split &&
                                                              facts_[static_cast<std::size_t>(state)]
                                                                  .taken_over[r] != 0;
        total += counts ? std::exp(own[r]) : 0.0;
        if (rule.kind == RuleKind::leaf && has_majority(rule.majority, statistics)) {
            out = std::max(out, own[r]);
        } else if (rule.kind == RuleKind::call && own[r] > -INFINITY) {
            facts(rule.state);
            out = std::max(out, own[r] + best(rule.state, may_split, sums));
        }
    }
    return problem_.grammar.normalise && total > 0 ? out - std::log(total) : out;
}

double StopLabels::of(std::int32_t state, const double* sums) {
    const bool may = may_split(sums);
    const StateFacts& own = facts(state);
    if (own.fixed) {
        return own.label[may];
    }
    const bool splits = own.splits;
    return worth(best(state, may, sums), may, splits);
}

}  // namespace slp::modal
