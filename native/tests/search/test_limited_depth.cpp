// Boxes in states of few levels: the best tree is that of all trees, and the bounds that hold for
// more rows do hold for them.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "exact/engine.hpp"
#include "problem/edges.hpp"
#include "problems.hpp"
#include "search/limited_depth.hpp"

using namespace slp;
using namespace slp::search;
using slp::test::check;

namespace {

constexpr double kRounding = 1e-9;

struct AllTrees {
    explicit AllTrees(const Problem& of)
        : geometry(of), splitter(geometry), builder(of, geometry) {}

    double best(std::span<const std::uint32_t> rows, std::int32_t state) {
        return best(geometry.box_of(rows), state);
    }
    double best(const Box& box, std::int32_t state) {
        const Arena::Mark mark = arena.mark();
        const std::span<const BoxSplit> splits = splitter.splits(box, arena);
        const ItemEdges item = builder.edges(box, splits, state, arena);
        double out = -INFINITY;
        for (const RuleEdges& rule : item.rules) {
            if (rule.kind == RuleKind::leaf) {
                out = std::max(out, rule.log_factor + item.log_likelihood);
            }
            for (const Edge& edge : rule.edges) {
                const BoxSplit& split = splits[edge.split];
                out = std::max(out, rule.log_factor + edge.log_probability() +
                                        best(geometry.side(box, split, true, arena),
                                             edge.left_state) +
                                        best(geometry.side(box, split, false, arena),
                                             edge.right_state));
            }
        }
        arena.release(mark);
        return out;
    }

    Geometry geometry;
    Splitter splitter;
    EdgeBuilder builder;
    Arena arena;
};

bool near(double a, double b) { return a == b || std::abs(a - b) < kRounding; }

// Every third to every row.
std::vector<std::uint32_t> some_rows(std::uint32_t n, std::uint64_t seed) {
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < n; ++i) {
        if (split_mix(seed * 100 + i) % 3 <= seed % 3) {
            out.push_back(i);
        }
    }
    return out;
}

// The same with leaves that expect one class, and splits that are likelier than leaves: then a set
// of rows of the other class is worth most where it stays whole.
void expect_one_class(Problem& problem) {
    std::vector<double> statistics;
    for (std::uint32_t row = 0; row < problem.table.n_rows; ++row) {
        double own[2] = {0, 0};
        problem.leaf.add(row, own);
        statistics.insert(statistics.end(), own, own + 2);
    }
    problem.leaf = LeafModel("dirichlet", {10.0, 0.1}, statistics, 2);
    for (std::size_t state = 0; state + 1 < problem.grammar.states.size(); ++state) {
        problem.grammar.states[state][0].log_weight = std::log(0.98);
        problem.grammar.states[state][1].log_weight = std::log(0.02);
    }
}

void compare(const Problem& problem, std::uint64_t seed, std::int32_t first) {
    AllTrees all(problem);
    Budget budget(1 << 24);
    bool go_on = true;
    LimitedDepth limited(problem, true, budget);
    const auto solve = [&](std::span<const std::uint32_t> rows, std::int32_t state, double known) {
        return limited.solve(rows, state, {known, false, [&] { return go_on; }, {}});
    };
    const auto rows = some_rows(problem.table.n_rows, seed);
    for (std::int32_t state = first; state < 5 && !rows.empty(); ++state) {
        const double want = all.best(rows, state);
        if (state < 4) {  // at the last there are leaves alone
            check(limited.takes(state, rows.size(), true));
            check(limited.takes(state, rows.size(), false) == (state > 1));
        }
        const auto found = solve(rows, state, -INFINITY);
        check(near(found.low, want) && found.high == found.low);
        // Of trees at most a known one the bound is that.
        const auto other = solve(rows, state, want + 0.5);
        check(other.high >= want - kRounding && other.high <= want + 0.5);
        go_on = false;
        const auto stopped = solve(rows, state, -INFINITY);
        check(stopped.low <= want + kRounding && stopped.high >= want - kRounding);
        go_on = true;
    }
}

// What is told of both sides of each cut holds, and is exact where the cut may be worth the best
// less `slack`.
void compare_told(const Problem& problem, std::int32_t state, double slack) {
    AllTrees all(problem);
    Budget budget(1 << 24);
    LimitedDepth limited(problem, true, budget);
    const Box root = all.geometry.root();
    check(limited.takes(state, root.rows.size(), true));
    const double best = all.best(root, state);
    std::vector<LimitedDepth::CutSides> told;
    limited.solve(root.rows, state, {best - slack, true, [] { return true; },
                                     [&](const auto& sides) { told.push_back(sides); }});
    const std::span<const BoxSplit> splits = all.splitter.splits(root, all.arena);
    const ItemEdges item = all.builder.edges(root, splits, state, all.arena);
    std::size_t exact = 0, bounded = 0;
    for (const RuleEdges& rule : item.rules) {
        for (const Edge& edge : rule.edges) {
            const BoxSplit& split = splits[edge.split];
            const double sides[2] = {
                all.best(all.geometry.side(root, split, true, all.arena), edge.left_state),
                all.best(all.geometry.side(root, split, false, all.arena), edge.right_state)};
            const double value = rule.log_factor + edge.log_probability() + sides[0] + sides[1];
            int times = 0;
            for (const LimitedDepth::CutSides& of : told) {
                if (of.feature != split.feature || split.cut.number() < of.first ||
                    split.cut.number() > of.last) {
                    continue;
                }
                ++times;
                for (std::size_t side = 0; side < 2; ++side) {
                    check(of.low[side] <= sides[side] + kRounding);
                    check(of.high[side] >= sides[side] - kRounding);
                    check(value < best - slack + kRounding || of.low[side] == of.high[side]);
                }
                exact += of.low[0] == of.high[0] && of.low[1] == of.high[1];
                bounded += of.low[0] == -INFINITY;
            }
            check(times == 1);
        }
    }
    check(exact > 0 && (slack < INFINITY || bounded == 0));
}

// For rows on one side of any split of more rows.
void compare_caps(const Problem& problem, std::uint64_t seed) {
    AllTrees all(problem);
    LimitedStates states(problem);
    SideCuts cuts(problem, states, true);
    const auto rows = some_rows(problem.table.n_rows, 3 * seed + 2);
    SortedBox box;
    box.fill(problem, rows);
    for (std::int32_t state = 3; state < 5; ++state) {
        const double of_all = all.best(rows, state);
        for (std::uint64_t part = 0; part < 20; ++part) {
            std::vector<std::uint8_t> right(rows.size());
            std::vector<std::uint32_t> sides[2];
            for (std::size_t i = 0; i < rows.size(); ++i) {
                right[i] = split_mix(seed + 50 * part + i) % 20 < part;
                sides[right[i]].push_back(rows[i]);
            }
            cuts.find(box, right);
            for (const bool is_right : {false, true}) {
                if (sides[is_right].empty()) {
                    continue;
                }
                BestCut cut;
                const Solved found = cuts.best(is_right, state, cut);
                check(near(found.low, all.best(sides[is_right], state)));
                check(found.high == found.low && found.cap >= found.low);
                check(found.cap >= of_all - kRounding);
            }
        }
    }
}

}  // namespace

TEST(boxes_of_few_levels_have_the_best_of_all_trees) {
    for (const Measure measure :
         {Measure::all, Measure::feature_then_cut, Measure::per_feature, Measure::each}) {
        for (std::uint64_t seed = 0; seed < 6; ++seed) {
            Problem problem = slp::test::growtree(13, measure, seed);
            problem.grammar.min_leaf = 1 + static_cast<std::int64_t>(seed % 3);
            compare(problem, seed, 1);
        }
    }
}

TEST(cuts_between_two_that_were_solved_are_left_out_rightly) {
    for (const Measure measure : {Measure::all, Measure::each}) {
        for (std::uint64_t seed = 0; seed < 30; ++seed) {
            Problem problem = slp::test::growtree(40, measure, seed);
            if (seed % 2 == 1) {
                expect_one_class(problem);
            }
            compare(problem, seed, 2);
        }
    }
}

TEST(what_is_told_of_the_sides_of_cuts_holds) {
    for (const Measure measure : {Measure::all, Measure::feature_then_cut}) {
        for (std::uint64_t seed = 0; seed < 8; ++seed) {
            Problem problem = slp::test::growtree(seed % 2 == 0 ? 12 : 30, measure, seed);
            problem.grammar.min_leaf = 1 + static_cast<std::int64_t>(seed % 3);
            if (seed % 4 == 1) {
                expect_one_class(problem);
            }
            for (const double slack : {0.5, 3.0, static_cast<double>(INFINITY)}) {
                compare_told(problem, seed % 2 == 0 ? 1 : 2, slack);
            }
        }
    }
}

TEST(bounds_for_more_rows_hold) {
    for (const Measure measure :
         {Measure::all, Measure::feature_then_cut, Measure::per_feature, Measure::each}) {
        for (std::uint64_t seed = 0; seed < 12; ++seed) {
            Problem problem = slp::test::growtree(12, measure, seed);
            problem.grammar.min_leaf = 1 + static_cast<std::int64_t>(seed % 3);
            if (seed % 2 == 1) {
                expect_one_class(problem);
            }
            compare_caps(problem, seed);
        }
    }
}
