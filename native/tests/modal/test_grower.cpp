// Modal trees: decisions against a plain pass over all splits, threads, budgets, stops.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "check.hpp"
#include "exact/engine.hpp"
#include "modal/grower.hpp"
#include "problem/geometry.hpp"
#include "problems.hpp"

using namespace slp;
using namespace slp::modal;
using slp::test::check;
using slp::test::growtree;

namespace {

const Poll kGoOn = [](const Progress&) { return true; };

struct Run {
    Ending ending;
    Grown tree;
};

Run grow(const Problem& problem, const Plan& plan, const Poll& poll = kGoOn) {
    const Geometry geometry(problem);
    Grower grower(problem, geometry, plan);
    const Ending ending = grower.run(poll);
    const bool found = ending == Ending::done || ending == Ending::stopped;
    return {ending, found ? grower.grown() : Grown{}};
}

using Rows = std::vector<std::uint32_t>;

double fit(const Problem& problem, const Rows& rows) {
    std::vector<double> sums(problem.leaf.n_statistics());
    problem.leaf.sum(rows, sums.data());
    return problem.leaf.log_marginal(sums.data());
}

// The distinct cuts of a set of rows: feature, lower code, rows of the left side.
struct OwnCut {
    std::uint32_t feature, low;
    Rows left, right;
};

std::vector<OwnCut> cuts_of(const Problem& problem, const Rows& rows) {
    std::vector<OwnCut> out;
    for (std::uint32_t f = 0; f < problem.table.features.size(); ++f) {
        const Feature& feature = problem.table.features[f];
        std::set<std::uint32_t> codes;
        for (const std::uint32_t row : rows) {
            codes.insert(feature.codes[row]);
        }
        const bool all_tests = feature.kind == FeatureKind::levels && codes.size() > 2;
        for (const std::uint32_t code : codes) {
            if (code == *codes.rbegin() && !all_tests) {
                continue;
            }
            OwnCut cut{f, code, {}, {}};
            for (const std::uint32_t row : rows) {
                const std::uint32_t own = feature.codes[row];
                const bool goes_left =
                    feature.kind == FeatureKind::levels ? own == code : own <= code;
                (goes_left ? cut.left : cut.right).push_back(row);
            }
            if (!cut.left.empty() && !cut.right.empty()) {
                out.push_back(std::move(cut));
            }
        }
    }
    return out;
}

// log of the label of stopping of `growtree` at a depth; of a side of one row, that it must stop.
double stops(std::size_t depth, const Rows& rows) {
    const bool splits = rows.size() >= 2 && depth < 4;
    return splits ? std::log1p(-std::pow(0.7, static_cast<double>(depth) + 1)) : 0.0;
}

struct Open {
    Rows rows;
    std::size_t depth;
};

}  // namespace

// The measures: a probability is uniform over all splits (`all`), or over the features by their
// weights and then over the cuts of one.
TEST(modal_takes_the_best_of_all_options) {
    std::size_t splits = 0;
    for (const Measure measure : {Measure::all, Measure::feature_then_cut}) {
        for (std::uint64_t seed = 0; seed < 60; ++seed) {
            Problem problem = growtree(40, measure, seed);
            std::vector<double> statistics;  // classes in runs of the first feature, with noise
            for (std::uint64_t i = 0; i < 40; ++i) {
                const bool first = (i / 10 % 2 == 0) != (split_mix(seed + i) % 7 == 0);
                statistics.insert(statistics.end(), {first ? 1.0 : 0.0, first ? 0.0 : 1.0});
            }
            problem.leaf = LeafModel("dirichlet", {1.0, 0.5}, statistics, 2);
            const Run run = grow(problem, Plan{});
            check(run.ending == Ending::done);
            Rows all;
            for (std::uint32_t i = 0; i < 40; ++i) {
                all.push_back(i);
            }
            std::vector<Open> stack{{all, 0}};
            for (std::size_t node = 0; node < run.tree.feature.size(); ++node) {
                const Open at = stack.back();
                stack.pop_back();
                const std::vector<OwnCut> cuts =
                    at.depth < 4 ? cuts_of(problem, at.rows) : std::vector<OwnCut>{};
                std::vector<double> per_feature(3);
                for (const OwnCut& cut : cuts) {
                    per_feature[cut.feature] += 1;
                }
                double weights = 0;
                for (std::size_t f = 0; f < 3; ++f) {
                    weights += per_feature[f] > 0 ? problem.grammar.feature_weights[f] : 0.0;
                }
                const double own = fit(problem, at.rows) + stops(at.depth, at.rows);
                double best = -INFINITY;
                const OwnCut* taken = nullptr;
                for (const OwnCut& cut : cuts) {
                    const double probability =
                        measure == Measure::all
                            ? 1.0 / static_cast<double>(cuts.size())
                            : problem.grammar.feature_weights[cut.feature] / weights /
                                  per_feature[cut.feature];
                    const double score = (static_cast<double>(at.depth) + 1) * std::log(0.7) +
                                         std::log(probability) + fit(problem, cut.left) +
                                         stops(at.depth + 1, cut.left) + fit(problem, cut.right) +
                                         stops(at.depth + 1, cut.right);
                    if (score > best + kTie) {
                        best = score;
                        taken = &cut;
                    }
                }
                const bool split = best > own + kTie;
                check((run.tree.feature[node] >= 0) == split);
                if (split) {
                    ++splits;
                    check(run.tree.feature[node] == static_cast<std::int32_t>(taken->feature));
                    check(run.tree.low[node] == taken->low);
                    check(std::abs(run.tree.gain[node] - (best - own)) < 1e-9);
                    stack.push_back({taken->right, at.depth + 1});
                    stack.push_back({taken->left, at.depth + 1});
                }
            }
            check(stack.empty());
        }
    }
    check(splits >= 20);
}

TEST(modal_threads_grow_the_same_tree) {
    for (const Measure measure : {Measure::feature_then_cut, Measure::gap, Measure::partition}) {
        const Problem problem = growtree(20000, measure, 7);
        Plan plan;
        plan.further = 4;
        const Run one = grow(problem, plan);
        check(one.tree.feature.size() > 15);
        for (const std::size_t threads : {2, 5}) {
            plan.threads = threads;
            const Run other = grow(problem, plan);
            check(one.tree.feature == other.tree.feature && one.tree.low == other.tree.low);
            check(one.tree.gain == other.tree.gain && one.tree.statistics == other.tree.statistics);
        }
    }
}

TEST(modal_budgets_and_stops_end_a_growth) {
    const Problem problem = growtree(3000, Measure::all, 2);
    Plan plan;
    plan.further = 3;
    for (const std::size_t room : {1000, 100'000, 250'000}) {
        plan.room = room;
        check(grow(problem, plan).ending == Ending::out_of_budget);
    }
    plan.room = std::size_t{1} << 24;
    check(grow(problem, plan).ending == Ending::done);
    const Run stopped = grow(problem, plan, [](const Progress&) { return false; });
    check(stopped.ending == Ending::stopped);
    check(stopped.tree.feature == std::vector<std::int32_t>{-2});
    check(stopped.tree.log_stop[0] == std::log1p(-0.7));
}

// Two classes have a pass of their own over both sides; one leaf at a time is its specification.
TEST(both_sides_of_a_cut_have_their_likelihoods) {
    std::vector<double> rows(2 * 50, 1.0);
    const LeafModel two("dirichlet", {0.5, 2.0}, rows, 2);
    const LeafModel three("dirichlet", {0.5, 2.0, 1.0}, std::vector<double>(90, 1.0), 3);
    for (const LeafModel* leaf : {&two, &three}) {
        const std::vector<double> whole{20, 30, 7}, left{0, 0, 0, 20, 1, 3, 7, 30, 7};
        std::vector<double> have(3);
        leaf->log_of_sides(left.data(), 3, 3, whole.data(), have.data());
        for (std::size_t i = 0; i < 3; ++i) {
            std::vector<double> rest(3);
            for (std::size_t c = 0; c < 3; ++c) {
                rest[c] = whole[c] - left[3 * i + c];
            }
            const double want =
                leaf->log_marginal(left.data() + 3 * i) + leaf->log_marginal(rest.data());
            check(std::abs(have[i] - want) < 1e-12);
        }
    }
}
