#include "exact/expected_uses.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "exact/descent.hpp"
#include "thread_team.hpp"

namespace slp::exact {

namespace {

class TreeWalk {
public:
    TreeWalk(const Engine& engine, double least, Budget& budget, Uses& out)
        : problem_(engine.problem()), least_(least), budget_(budget), out_(out) {
        std::size_t n_rules = 0;
        for (const std::vector<Rule>& rules : problem_.grammar.states) {
            first_rule_.push_back(n_rules);
            n_rules += rules.size();
        }
        out_ = {};
        out_.visits.assign(first_rule_.size(), 0.0);
        out_.uses.assign(n_rules, 0.0);
        out_.weights.assign(n_rules, 0.0);
        out_.splits.assign(n_rules * problem_.table.features.size(), 0.0);
    }

    void route(std::span<const BoxSplit>) {}
    std::uint64_t left(std::uint32_t) const { return 1; }
    std::uint64_t right(std::uint32_t) const { return 1; }

    void visit(const Opened& opened) {
        const auto state = static_cast<std::size_t>(opened.product / problem_.n_owed());
        const double mass = opened.mass[0];
        out_.visits[state] += mass;
        add_uses(opened, first_rule_[state], mass);
        add_weights(opened.log_weights, opened.applicable, first_rule_[state], mass);
        if (mass > least_) {
            budget_.take(2 * (opened.box.rows.size() * 4 + 24));
            out_.products.push_back(opened.product);
            out_.sizes.push_back(static_cast<std::uint32_t>(opened.box.rows.size()));
            out_.rows.insert(out_.rows.end(), opened.box.rows.begin(), opened.box.rows.end());
            out_.probability.push_back(mass);
        }
    }

private:
    void add_uses(const Opened& opened, std::size_t first, double mass) {
        const std::size_t d = problem_.table.features.size();
        const double* next = opened.probabilities.data();
        for (const RuleEdges& rule : opened.item.rules) {
            const std::size_t r = first + static_cast<std::size_t>(rule.rule);
            if (rule.kind == RuleKind::leaf) {
                out_.uses[r] += mass * *next++;
            }
            for (const Edge& edge : rule.edges) {
                const double own = mass * *next++;
                out_.uses[r] += own;
                if (rule.kind == RuleKind::split) {
                    out_.splits[r * d + opened.splits[edge.split].feature] += own;
                }
            }
        }
    }

    void add_weights(std::span<const double> logs, std::span<const std::uint8_t> applicable,
                     std::size_t first, double mass) {
        double top = -INFINITY, sum = 0;
        for (std::size_t r = 0; r < logs.size(); ++r) {
            top = applicable[r] ? std::max(top, logs[r]) : top;
        }
        for (std::size_t r = 0; r < logs.size(); ++r) {
            sum += applicable[r] ? std::exp(logs[r] - top) : 0.0;
        }
        for (std::size_t r = 0; r < logs.size(); ++r) {
            out_.weights[first + r] += applicable[r] ? mass * std::exp(logs[r] - top) / sum : 0.0;
        }
    }

    const Problem& problem_;
    double least_;
    Budget& budget_;
    Uses& out_;
    std::vector<std::size_t> first_rule_;
};

}  // namespace

Status expected_uses(const Engine& engine, const Pass& pass, double least, std::size_t memory,
                     const Poll& poll, Uses& out) {
    // Below an item that is left out, a derivation has at most two nodes for each row, with their
    // calls.
    const std::vector<std::size_t> ranks = call_ranks(engine.problem().grammar);
    const double longest = static_cast<double>(*std::max_element(ranks.begin(), ranks.end()) + 1);
    const double cut = kMostLost / (pass.most_edges() * longest * 2 *
                                    static_cast<double>(engine.problem().table.n_rows));
    Budget budget(memory);
    ThreadTeam team;
    return team.run(1, [&](std::size_t) {
        TreeWalk walk(engine, least, budget, out);
        Watch watch(team, &poll);
        std::uint64_t items = 0;
        const auto go_on = [&](std::uint64_t more) {
            items += more;
            return watch.go_on(
                [&] { return Progress{items, 0, 0, budget.used(), budget.peak()}; });
        };
        if (Descent(engine, pass, walk, 1, cut, budget, go_on).run()) {
            team.end(Status::done);
        }
    });
}

}  // namespace slp::exact
