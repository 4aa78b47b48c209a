#include "exact/expected_uses.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>

#include "exact/descent.hpp"
#include "exact/interval_blocks/search.hpp"
#include "problem/applicable_rules.hpp"
#include "thread_team.hpp"

namespace slp::exact {

namespace {

// Where the numbers of each rule and state are added.
class UseTotals {
public:
    UseTotals(const Problem& problem, Uses& out) : problem_(problem), out_(out) {
        std::size_t n_rules = 0;
        for (const std::vector<Rule>& rules : problem.grammar.states) {
            first_rule_.push_back(n_rules);
            n_rules += rules.size();
        }
        out_ = {};
        out_.visits.assign(first_rule_.size(), 0.0);
        out_.uses.assign(n_rules, 0.0);
        out_.weights.assign(n_rules, 0.0);
        out_.splits.assign(n_rules * problem.table.features.size(), 0.0);
    }

    void visit(std::size_t state, double mass) { out_.visits[state] += mass; }
    void use(std::size_t state, std::size_t rule, double mass) {
        out_.uses[first_rule_[state] + rule] += mass;
    }
    // Which is a use of the rule too.
    void split(std::size_t state, std::size_t rule, std::size_t feature, double mass) {
        use(state, rule, mass);
        const std::size_t d = problem_.table.features.size();
        out_.splits[(first_rule_[state] + rule) * d + feature] += mass;
    }

    // At boxes where the rules have these logs of weights and this reach.
    template <typename LogWeight, typename Reach>
    void weigh(std::size_t state, double mass, LogWeight log_weight, Reach reach) {
        const std::size_t n = problem_.grammar.states[state].size();
        ApplicableRules applicable(problem_.grammar);
        for (std::size_t r = 0; r < n; ++r) {
            applicable.add(reach(r), log_weight(r));
        }
        for (std::size_t r = 0; r < n; ++r) {
            if (reach(r).applies) {
                out_.weights[first_rule_[state] + r] += mass * applicable.share(log_weight(r));
            }
        }
    }

private:
    const Problem& problem_;
    Uses& out_;
    std::vector<std::size_t> first_rule_;
};

// Item by item: the walk of a descent.
class TreeWalk {
public:
    TreeWalk(const Problem& problem, UseTotals& sums) : problem_(problem), sums_(sums) {}

    QueryGroup all() const { return {{}, kTree}; }
    void route(const Box&, std::span<const BoxSplit>, std::span<const std::uint32_t>, Arena&) {}
    QueryGroup left(std::uint32_t) const { return all(); }
    QueryGroup right(std::uint32_t) const { return all(); }
    std::span<const PartedQuery> parted(std::uint32_t) const { return {}; }

    void open(const OpenedItem&) {}
    void visit(const OpenedItem& opened, std::span<const std::uint32_t>, double mass) {
        const auto state = static_cast<std::size_t>(opened.product / problem_.n_owed());
        sums_.visit(state, mass);
        sums_.weigh(
            state, mass, [&](std::size_t r) { return opened.log_weights[r]; },
            [&](std::size_t r) { return opened.reach[r]; });
        const double* next = opened.probabilities.data();
        for (const RuleEdges& rule : opened.item.rules) {
            const auto r = static_cast<std::size_t>(rule.rule);
            if (rule.kind == RuleKind::leaf) {
                sums_.use(state, r, mass * *next++);
            }
            for (const Edge& edge : rule.edges) {
                const double own = mass * *next++;
                if (rule.kind == RuleKind::split) {
                    sums_.split(state, r, opened.splits[edge.split].feature, own);
                } else {
                    sums_.use(state, r, own);
                }
            }
        }
    }

private:
    static constexpr std::uint32_t kTree[] = {0};  // the only query

    const Problem& problem_;
    UseTotals& sums_;
};

// By levels: what is known of states is shared out among their rules.
void share_out(const Problem& problem, const LevelSums& found, UseTotals& sums) {
    const SummaryLayout& at = found.layout();
    const TreeSummary* const root = found.root();
    search::LimitedStates limited(problem);
    for (std::size_t s = 0; root != nullptr && s < at.n_states; ++s) {
        const auto state = static_cast<std::size_t>(found.states()[s]);
        const Rules& rules = problem.grammar.states[state];
        const search::LimitedState own = limited.of(found.states()[s]);
        const double alone = root->numbers[at.alone(s)];
        const double leaves = alone + root->numbers[at.stops(s)];
        const std::span splits(root->numbers.data() + at.splits(s), at.d);
        const double visits = std::accumulate(splits.begin(), splits.end(), leaves);
        double weights = 0;
        for (const Rule& rule : rules) {
            weights += rule.kind == RuleKind::leaf ? std::exp(rule.log_weight) : 0.0;
        }
        for (std::size_t r = 0; r < rules.size(); ++r) {
            if (rules[r].kind == RuleKind::leaf && weights > 0) {
                sums.use(state, r, leaves * (std::exp(rules[r].log_weight) / weights));
            }
            for (std::size_t f = 0; &rules[r] == own.rule && f < at.d; ++f) {
                sums.split(state, r, f, splits[f]);
            }
        }
        sums.visit(state, visits);
        for (const bool can_split : {false, true}) {
            sums.weigh(
                state, can_split ? visits - alone : alone,
                [&](std::size_t r) { return rules[r].log_weight; },
                [&](std::size_t r) {
                    const bool splits_here = can_split && &rules[r] == own.rule;
                    return reach_of(
                        problem.grammar, rules[r], rules[r].log_weight,
                        [](const auto&) { return true; },
                        [&] { return RuleReach{splits_here, splits_here}; });
                });
        }
    }
}

// By blocks: what is known of the states of boxes is shared out among rules.
class RulesOfStates {
public:
    RulesOfStates(const Problem& problem, const BlockGrammar& blocks, const TreeSums& found,
                  UseTotals& sums)
        : problem_(problem), blocks_(blocks), found_(found), sums_(sums) {
        for (const std::uint32_t rule : blocks.rule_of_term) {
            n_rules_ = std::max<std::size_t>(n_rules_, rule + std::size_t{1});
        }
        splits_.assign(blocks.nodes.size() * n_rules_ * problem.table.features.size(), 0.0);
        for (std::uint32_t f = 0; f < problem.table.features.size(); ++f) {
            for (std::uint32_t c = blocks.first_class[f]; c < blocks.first_class[f + 1]; ++c) {
                for (const BlockGrammar::Run& run : blocks.runs_of(c, true)) {
                    for (std::uint32_t t = 0; t < run.n; ++t) {
                        const std::size_t term = run.first_term + t;
                        splits_of(run.to + t, blocks.rule_of_term[term])[f] += found.terms[term];
                    }
                }
            }
        }
    }

    void share_out() {
        for (std::size_t s = 0; s < blocks_.nodes.size(); ++s) {
            const TreeSums::OfState& own = found_.states[s];
            const BlockGrammar::StateWeights& node = blocks_.nodes[s];
            rule_ = 0;
            share(s, static_cast<std::size_t>(blocks_.origin[s]),
                  node.leaf_alone > 0.0 ? own.leaves_alone / node.leaf_alone : 0.0,
                  node.leaf > 0.0 ? own.leaves / node.leaf : 0.0, own.unfit);
        }
    }

private:
    // Uses in boxes that cannot be split, and in others.
    struct BoxUses {
        double alone = 0, split = 0;

        double sum() const { return alone + split; }
    };

    double* splits_of(std::size_t s, std::size_t rule) {
        return splits_.data() + (s * n_rules_ + rule) * problem_.table.features.size();
    }

    // Shares out the uses of a state by boxes in state s. alone, split: uses of a leaf rule of
    // weight 1. unfit: visits of boxes that can only be split. Returns all uses.
    BoxUses share(std::size_t s, std::size_t state, double alone, double split, double unfit) {
        const Rules& rules = problem_.grammar.states[state];
        const auto weight = [&](std::size_t r) { return std::exp(rules[r].log_weight); };
        constexpr PlainBox is_alone{.majority = true, .splits = false};
        constexpr PlainBox may_be_split{.majority = true, .splits = true};
        constexpr PlainBox must_be_split{.majority = false, .splits = true};
        alone /= is_alone.divisor(problem_.grammar, rules);
        split /= may_be_split.divisor(problem_.grammar, rules);
        BoxUses all;
        for (std::size_t r = 0; r < rules.size(); ++r) {
            if (!(weight(r) > 0.0)) {
                continue;
            }
            BoxUses own;
            if (rules[r].kind == RuleKind::leaf) {
                own = {alone * weight(r), split * weight(r)};
                sums_.use(state, r, own.sum());
            } else if (rules[r].kind == RuleKind::call) {
                own = share(s, static_cast<std::size_t>(rules[r].state), alone * weight(r),
                            split * weight(r), 0.0);
                sums_.use(state, r, own.sum());
            } else {  // the splits of the next split rule of boxes in state s
                const std::size_t d = problem_.table.features.size();
                for (std::size_t f = 0; rule_ < n_rules_ && f < d; ++f) {
                    sums_.split(state, r, f, splits_of(s, rule_)[f]);
                    own.split += splits_of(s, rule_)[f];
                }
                ++rule_;
            }
            all.alone += own.alone;
            all.split += own.split;
        }
        sums_.visit(state, all.sum());
        const auto weigh_in = [&](PlainBox box, double mass) {
            sums_.weigh(
                state, mass, [&](std::size_t r) { return rules[r].log_weight; },
                [&](std::size_t r) { return box.reach(problem_.grammar, rules[r]); });
        };
        weigh_in(is_alone, all.alone);
        weigh_in(may_be_split, std::max(0.0, all.split - unfit));
        weigh_in(must_be_split, unfit);
        return all;
    }

    const Problem& problem_;
    const BlockGrammar& blocks_;
    const TreeSums& found_;
    UseTotals& sums_;
    std::size_t n_rules_ = 0, rule_ = 0;
    std::vector<double> splits_;  // by state of the boxes, by rule, by feature
};

}  // namespace

Status expected_uses(const Engine& engine, const Pass& pass, std::size_t memory, const Poll& poll,
                     Uses& out) {
    // Below an item that is left out, a derivation has at most two nodes for each row, with their
    // calls.
    const Problem& problem = engine.problem();
    const std::vector<std::size_t> ranks = call_ranks(problem.grammar);
    const double longest = static_cast<double>(*std::max_element(ranks.begin(), ranks.end()) + 1);
    const double cut = kMostLost / (pass.most_edges() * longest * 2 *
                                    static_cast<double>(problem.table.n_rows));
    Budget budget(memory);
    ThreadTeam team;
    return team.run(1, [&](std::size_t) {
        UseTotals sums(problem, out);
        if (const LevelSums* const levels = pass.level_sums()) {
            share_out(problem, *levels, sums);
            team.end(Status::done);
            return;
        }
        Watch watch(team, &poll);
        std::uint64_t items = 0;
        const auto go_on = [&](std::uint64_t more) {
            items += more;
            return watch.go_on([&] { return Progress{items, 0, 0, budget.used(), budget.peak()}; });
        };
        if (IntervalBlockSearch* const blocks = pass.blocks()) {
            TreeSums found;
            QueryBatch tree;
            tree.sums = &found;
            if (blocks->descend(tree, cut, budget, go_on)) {
                RulesOfStates(problem, blocks->grammar(), found, sums).share_out();
                team.end(Status::done);
            }
            return;
        }
        TreeWalk walk(problem, sums);
        if (Descent(engine, pass, walk, cut, budget, go_on).run()) {
            team.end(Status::done);
        }
    });
}

}  // namespace slp::exact
