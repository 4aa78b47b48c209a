// Split probabilities: those of tests/reference/test_measures.py, on a table that has its splits.

#include <cmath>
#include <cstdint>
#include <vector>

#include "arena.hpp"
#include "check.hpp"
#include "mcmc/local_process.hpp"
#include "problem/edges.hpp"
#include "problem/geometry.hpp"
#include "problem/split_measures.hpp"

using namespace slp;
using slp::test::check;

namespace {

// Features of a state weigh so much together under `range`; those without splits here are counted.
constexpr double kRangeTotal = 8;

// Feature 0 has gaps 1 and 3, feature 1 has one cut with gap 2, which parts the rows as the second
// of feature 0 does. Cells of feature 0: below 1, at 1, above; then the one of feature 1.
// lefts: left states of the three cuts.
Problem problem(Measure measure, const std::vector<std::int32_t>& lefts) {
    Problem out;
    out.table.n_rows = 3;
    out.table.counts.assign(3, 1);
    out.table.features = {
        {FeatureKind::values, 3, {0, 1, 4}, {1}, 0, {0, 1, 2}},
        {FeatureKind::values, 2, {0, 2}, {}, 3, {0, 0, 1}},
    };
    out.leaf = LeafModel("dirichlet", {1, 1}, {1, 0, 0, 1, 1, 0}, 2);
    out.grammar.feature_weights = {1, 3};
    Rule split{RuleKind::split, std::log(0.5), {}, -1, measure, {}, kRangeTotal};
    for (const std::int32_t left : {lefts[0], lefts[1], lefts[1], lefts[2]}) {
        split.transitions.insert(split.transitions.end(), {left, left});
    }
    const Rule leaf{RuleKind::leaf, std::log(0.5), {}, -1, Measure::each, {}};
    out.grammar.states.push_back({split, leaf});
    out.grammar.states.push_back({leaf});
    check_problem(out);
    return out;
}

struct Case {
    Measure measure;
    std::vector<std::int32_t> lefts;  // 1: valid
    std::vector<double> probabilities;
};

const std::vector<Case>& by_hand() {
    static const std::vector<Case> all{
        {Measure::feature_then_cut, {1, 1, 1}, {1.0 / 8, 1.0 / 8, 3.0 / 4}},
        {Measure::feature_then_cut, {1, 1, kOutside}, {1.0 / 2, 1.0 / 2, 0}},
        {Measure::all, {1, 1, 1}, {1.0 / 3, 1.0 / 3, 1.0 / 3}},
        {Measure::all, {kForbidden, 1, 1}, {0, 1.0 / 2, 1.0 / 2}},
        {Measure::gap, {1, 1, 1}, {1.0 / 16, 3.0 / 16, 3.0 / 4}},
        {Measure::gap, {kOutside, 1, 1}, {0, 1.0 / 4, 3.0 / 4}},
        {Measure::each, {1, kForbidden, 1}, {1, 0, 1}},
        {Measure::partition, {1, 1, 1}, {1, 1, 0}},
        {Measure::partition, {1, kOutside, 1}, {1, 0, 1}},
        {Measure::per_feature, {1, 1, 1}, {1.0 / 4, 1.0 / 4, 1.0 / 2}},
        {Measure::per_feature, {1, 1, kOutside}, {1.0 / 4, 1.0 / 4, 0}},
        {Measure::range, {1, 1, 1}, {1.0 / 32, 3.0 / 32, 3.0 / 8}},
        {Measure::range, {1, kForbidden, 1}, {1.0 / 32, 0, 3.0 / 8}},
        {Measure::all, {kOutside, kForbidden, kOutside}, {0, 0, 0}},
    };
    return all;
}

bool near(double have, double want) { return std::abs(have - want) <= 1e-13 * want; }

}  // namespace

TEST(split_probabilities_are_those_of_the_specification) {
    for (const Case& one : by_hand()) {
        const Problem given = problem(one.measure, one.lefts);
        const Geometry geometry(given);
        const SplitMeasure measure(given.grammar, one.measure);
        const std::vector<double> gaps{measure.weight(geometry, 0, Cut::between(0, 1), false),
                                       measure.weight(geometry, 0, Cut::between(1, 2), false),
                                       measure.weight(geometry, 1, Cut::between(0, 1), false)};
        std::vector<double> sums(2), masses(2);
        for (std::size_t i = 0; i < 3; ++i) {
            sums[i / 2] += one.probabilities[i] > 0 ? gaps[i] : 0.0;
        }
        for (std::size_t f = 0; f < 2; ++f) {
            masses[f] = sums[f] > 0 ? measure.mass(f, sums[f]) : 0.0;
        }
        const double total = measure.total(masses[0] + masses[1], kRangeTotal);
        for (std::size_t i = 0; i < 3; ++i) {
            if (one.probabilities[i] > 0) {
                const std::size_t f = i / 2;
                check(near(gaps[i] * measure.probability(f, sums[f], total), one.probabilities[i]));
                check(near(gaps[i] * measure.probability(f, sums[f], 1.0) / total,
                           one.probabilities[i]));
                check(near(gaps[i] * masses[f] / total / sums[f], one.probabilities[i]));
            }
        }
    }
}

TEST(edges_and_the_local_process_have_the_same_probabilities) {
    for (const Case& one : by_hand()) {
        const Problem given = problem(one.measure, one.lefts);
        const Geometry geometry(given);
        Splitter splitter(geometry);
        EdgeBuilder builder(given, geometry);
        Arena arena;
        const Box root = geometry.root();
        const std::span<BoxSplit> splits = splitter.splits(root, arena);
        check(splits.size() == 3);
        const ItemEdges item = builder.edges(root, splits, 0, arena);
        std::vector<double> by_edge(3);
        for (const RuleEdges& rule : item.rules) {
            for (const Edge& edge : rule.edges) {
                by_edge[edge.split] = edge.probability() * std::exp(rule.log_factor);
            }
        }
        mcmc::LocalProcess process(given, geometry);
        const double of_rule = one.probabilities == std::vector<double>(3) ? 0.0 : 0.5;
        for (std::size_t i = 0; i < 3; ++i) {
            check(near(by_edge[i], of_rule * one.probabilities[i]));
            mcmc::Choice choice;
            const bool can = process.find(
                root.rows, 0,
                {0, static_cast<std::int32_t>(splits[i].feature), splits[i].cut},
                choice);
            check(can == (one.probabilities[i] > 0));
            check(!can || near(std::exp(choice.log_draw + choice.log_excess), by_edge[i]));
        }
    }
}

// One feature with a gap that is 2^-2094 of its range, and one of two values: the log probabilities
// by hand.
TEST(probabilities_below_the_doubles_keep_their_logs) {
    for (const Measure measure : {Measure::gap, Measure::range}) {
        Problem given = problem(measure, {1, 1, 1});
        given.table.features[0].numbers = {0, 0x1p-1074, 0x1p1020};
        given.table.features[1].numbers = {-0x1p1023, 0x1p1023};
        given.table.features[0].breakpoints = {1};
        const Geometry geometry(given);
        Splitter splitter(geometry);
        EdgeBuilder builder(given, geometry);
        Arena arena;
        const Box root = geometry.root();
        const std::span<BoxSplit> splits = splitter.splits(root, arena);
        const ItemEdges item = builder.edges(root, splits, 0, arena);
        const double all = measure == Measure::gap ? 4 : kRangeTotal;
        const std::vector<double> want{std::log(1 / all) - 2094 * std::log(2.0), std::log(1 / all),
                                       std::log(3 / all)};
        for (const Edge& edge : item.rules[0].edges) {
            const double have = edge.log_probability();
            check(std::abs(have - want[edge.split]) < 1e-12 * (1 - want[edge.split]));
            check(edge.split > 0 ? edge.probability() > 0 : edge.probability() == 0);
        }
        check(item.rules[0].edges.size() == 3);
    }
}
