// Which rules of a state apply at a box, and what their weights are divided by.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "arena.hpp"
#include "check.hpp"
#include "exact/block_grammar.hpp"
#include "mcmc/local_process.hpp"
#include "problem/applicable_rules.hpp"
#include "problem/edges.hpp"
#include "problem/geometry.hpp"

using namespace slp;
using slp::test::check;

namespace {

bool near(double have, double want) { return std::abs(have - want) <= 1e-13; }

Rule leaf(double weight, std::vector<std::int32_t> majority = {}) {
    return {RuleKind::leaf, std::log(weight), std::move(majority), -1, Measure::each, {}};
}

Rule call(double weight, std::int32_t state) {
    return {RuleKind::call, std::log(weight), {}, state, Measure::each, {}};
}

Rule split(double weight, std::int32_t to) {
    return {RuleKind::split, std::log(weight), {}, -1, Measure::all, {to, to}};
}

Grammar grammar(bool normalise, bool condition) {
    Grammar out;
    out.normalise = normalise;
    out.condition = condition;
    return out;
}

// Three rows of one feature with two values: two of the first class, one of the second.
Problem problem(Rules rules, bool normalise, bool condition) {
    Problem out;
    out.table.n_rows = 3;
    out.table.counts.assign(3, 1);
    out.table.features = {{FeatureKind::values, 2, {0, 1}, {}, 0, {0, 0, 1}}};
    out.leaf = LeafModel("dirichlet", {1, 1}, {1, 0, 1, 0, 0, 1}, 2);
    out.grammar = grammar(normalise, condition);
    out.grammar.feature_weights = {1};
    out.grammar.states = {std::move(rules), {leaf(1)}};
    check_problem(out);
    return out;
}

// What is left of a rule at a box: its number, and the log of its weight after the division.
using Open = std::vector<std::pair<std::int32_t, double>>;

Open open_by_edges(const Problem& given, const std::vector<std::uint32_t>& rows) {
    const Geometry geometry(given);
    EdgeBuilder builder(given, geometry);
    Splitter splitter(geometry);
    Arena arena;
    const Box box = geometry.box_of(rows);
    Open out;
    for (const RuleEdges& rule : builder.edges(box, splitter.splits(box, arena), 0, arena).rules) {
        if (rule.kind != RuleKind::split || !rule.edges.empty()) {
            out.emplace_back(rule.rule, rule.log_factor);
        }
    }
    return out;
}

Open open_by_process(const Problem& given, const std::vector<std::uint32_t>& rows) {
    const Geometry geometry(given);
    mcmc::LocalProcess process(given, geometry);
    Open out;
    if (process.enter(rows, 0)) {
        for (const auto& rule : process.alternatives()) {
            out.emplace_back(rule.rule, rule.log_weight);
        }
    }
    return out;
}

bool alike(const Open& have, const Open& want) {
    if (have.size() != want.size()) {
        return false;
    }
    for (std::size_t i = 0; i < have.size(); ++i) {
        if (have[i].first != want[i].first || !near(have[i].second, want[i].second)) {
            return false;
        }
    }
    return true;
}

}  // namespace

TEST(a_majority_is_of_classes_that_no_other_outnumbers) {
    const std::vector<double> tied{2, 2, 1};
    check(has_majority(std::vector<std::int32_t>{}, tied));
    check(has_majority(std::vector<std::int32_t>{0}, tied));
    check(has_majority(std::vector<std::int32_t>{0, 1}, tied));
    check(!has_majority(std::vector<std::int32_t>{0, 2}, tied));
    check(!has_majority(std::vector<std::int32_t>{-1}, tied));
    check(has_majority(std::vector<std::int32_t>{-1, 2}, std::vector<double>{0, 0, 0}));
    check(has_majority(std::vector<std::int32_t>{1}, std::vector<double>{0.3, 0.1 + 0.2}));
    check(has_majority(std::vector<std::int32_t>{0}, std::vector<double>{0.3, 0.1 + 0.2}));
}

TEST(a_rule_applies_by_its_kind_and_by_what_the_box_has) {
    for (const bool condition : {false, true}) {
        const Grammar given = grammar(true, condition);
        for (const bool majority : {false, true}) {
            for (const bool splits : {false, true}) {
                const PlainBox box{majority, splits};
                const auto is = [&](const Rule& rule, bool applies, bool open) {
                    const RuleReach found = box.reach(given, rule);
                    check(found.applies == applies && found.open == open);
                };
                is(leaf(0.5), true, true);
                is(leaf(0.5, {0}), majority || condition, majority);
                is(call(0.5, 1), true, true);
                is(split(0.5, 1), splits, splits);
                is(leaf(0), false, false);
                is(call(0, 1), false, false);
                is(split(0, 1), false, false);
            }
        }
    }
}

TEST(weights_are_divided_by_their_sum_over_the_rules_that_apply) {
    const std::array<double, 4> logs{-800.0, 900.0, 899.0, -1e5};
    for (const bool normalise : {false, true}) {
        const Grammar given = grammar(normalise, false);
        ApplicableRules none(given), all(given), some(given);
        none.add({false, false}, 3.0);
        check(none.log_divisor() == 0.0 && none.share(3.0) == 0.0);
        for (std::size_t i = 0; i < logs.size(); ++i) {
            all.add({true, i % 2 == 0}, logs[i]);
            some.add({i != 1, i != 1}, logs[i]);
        }
        const double sum = 1 + std::exp(-1.0);
        check(near(all.log_divisor(), normalise ? 900 + std::log(sum) : 0.0));
        check(near(some.log_divisor(), normalise ? 899.0 : 0.0));
        check(near(all.share(900), normalise ? 1 / sum : 0.0));
        check(near(all.share(899), normalise ? std::exp(-1.0) / sum : 0.0));
    }
}

TEST(boxes_of_which_two_things_are_known_have_these_divisors) {
    const Rules rules{split(0.5, 1), leaf(0.3, {0}), call(0.1, 1), leaf(0)};
    const auto is = [&](const PlainBox& box, bool condition, double want) {
        check(near(box.divisor(grammar(true, condition), rules), want));
        check(box.divisor(grammar(false, condition), rules) == 1.0);
    };
    is({.majority = true, .splits = true}, false, 0.9);
    is({.majority = true, .splits = false}, false, 0.4);
    is({.majority = false, .splits = true}, false, 0.6);
    is({.majority = false, .splits = false}, false, 0.1);
    is({.majority = false, .splits = true}, true, 0.9);
    is({.majority = false, .splits = false}, true, 0.4);
    check((PlainBox{false, false}.divisor(grammar(true, false), {split(0.5, 1)})) == 1.0);
}

TEST(edges_and_the_local_process_choose_among_the_same_rules) {
    const double p = 0.6, q = 0.3, c = 0.2;  // of a split, a leaf and a call
    const Rules rules{split(p, 1), leaf(q, {1}), call(c, 1)};
    const auto is = [](const Problem& given, const std::vector<std::uint32_t>& rows,
                       const Open& want) {
        check(alike(open_by_edges(given, rows), want));
        check(alike(open_by_process(given, rows), want));
    };
    const std::vector<std::uint32_t> all{0, 1, 2}, first{0, 1}, last{2};
    const auto over = [](std::vector<std::pair<std::int32_t, double>> weights, double sum) {
        for (auto& [rule, weight] : weights) {
            weight = std::log(weight / sum);
        }
        return weights;
    };
    const Problem refuses = problem(rules, true, false);
    is(refuses, all, over({{0, p}, {2, c}}, p + c));
    is(refuses, first, over({{2, c}}, c));
    is(refuses, last, over({{1, q}, {2, c}}, q + c));
    const Problem keeps = problem(rules, true, true);
    is(keeps, all, over({{0, p}, {2, c}}, p + q + c));
    is(keeps, first, over({{2, c}}, q + c));
    is(keeps, last, over({{1, q}, {2, c}}, q + c));
    const Problem plain = problem(rules, false, false);
    is(plain, all, over({{0, p}, {2, c}}, 1));
    is(plain, first, over({{2, c}}, 1));
    is(plain, last, over({{1, q}, {2, c}}, 1));
}

TEST(blocks_weigh_leaves_and_splits_as_edges_do) {
    const double p = 0.6, q = 0.3;
    for (const bool condition : {false, true}) {
        const Problem given = problem({split(p, 1), leaf(q, {1})}, true, condition);
        const auto blocks = exact::block_grammar_of(given);
        check(blocks.has_value());
        const exact::BlockGrammar::StateWeights& root = blocks->nodes.front();
        check(near(root.leaf_alone, 1.0) && near(root.leaf, q / (p + q)));
        check(near(root.split, p / (p + q)));
        check(near(root.split_only, condition ? p / (p + q) : 1.0));
        const Open edges = open_by_edges(given, {0, 1, 2});
        check(edges.size() == 1 && near(edges[0].second, std::log(root.split_only)));
    }
}
