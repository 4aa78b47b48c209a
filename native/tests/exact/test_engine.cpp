// The exact engine on small problems: against a plain recursion, by threads, and its budget.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "arena.hpp"
#include "budget.hpp"
#include "check.hpp"
#include "exact/block_grammar.hpp"
#include "exact/denison.hpp"
#include "exact/depth_cut.hpp"
#include "exact/engine.hpp"
#include "exact/expected_uses.hpp"
#include "exact/memo.hpp"
#include "exact/new_rows.hpp"
#include "problem/key.hpp"

using namespace slp;
using namespace slp::exact;
using slp::test::bits;
using slp::test::check;
using slp::test::denison;
using slp::test::kPlenty;
using slp::test::sum_over_trees;
using slp::test::task;

TEST(exact_sum_equals_a_plain_recursion) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        const Engine engine(denison(12, 3, 16, seed));
        std::map<std::vector<std::uint32_t>, double> done;
        std::vector<std::uint32_t> all;
        for (std::uint32_t i = 0; i < 12; ++i) {
            all.push_back(i);
        }
        const double want = std::log(sum_over_trees(engine.problem(), all, done));
        for (const bool scaled : {false, true}) {
            const auto pass =
                engine.make_pass(task(Quantity::total, 1, scaled));
            check(pass->run([](const Progress&) { return true; }) == Status::done);
            check(std::abs(engine.log_root(*pass) - want) < 1e-12);
            check(pass->progress().items == done.size());
        }
    }
}

TEST(exact_results_do_not_depend_on_threads) {
    const Engine engine(denison(22, 3, 22, 7));
    const auto go_on = [](const Progress&) { return true; };
    for (const Quantity quantity : {Quantity::total, Quantity::leaf_number}) {
        const auto one = engine.make_pass(task(quantity));
        check(one->run(go_on) == Status::done);
        for (const std::size_t threads : {2U, 8U}) {
            const auto many = engine.make_pass(task(quantity, threads));
            check(many->run(go_on) == Status::done);
            check(engine.log_root(*many) == engine.log_root(*one));
            check(engine.root_vector(*many) == engine.root_vector(*one));
            check(many->progress().items == one->progress().items);
            check(many->progress().edges == one->progress().edges);
        }
    }
}

TEST(exact_rows_end_in_leaves_with_probability_one) {
    const Engine engine(denison(20, 2, 32, 3));
    const auto go_on = [](const Progress&) { return true; };
    const auto pass = engine.make_pass(task(Quantity::total));
    check(pass->run(go_on) == Status::done);
    const std::vector<double> values{3.5, 7.0, 0.0, 40.0, 12.25, 1.5};
    const NewRows rows{values, 3};
    std::vector<LeafMass> leaves;
    std::vector<double> want, have;
    check(leaves_reached(engine, *pass, rows, {kPlenty, 2}, go_on, leaves) ==
          Status::done);
    for (const LeafMass& own : leaves) {
        double total = 0;
        double first = 0;
        for (std::size_t i = 0; i < own.probability.size(); ++i) {
            const double a = own.statistics[2 * i], b = own.statistics[2 * i + 1];
            total += own.probability[i];
            first += own.probability[i] * (a + 1) / (a + b + 2);
        }
        check(std::abs(total - 1.0) < 1e-12);
        want.push_back(first);
    }
    for (const std::size_t threads : {1U, 3U}) {
        check(predict_rows(engine, *pass, rows, {kPlenty, threads}, go_on,
                           have) == Status::done);
        for (std::size_t row = 0; row < 3; ++row) {
            check(std::abs(have[2 * row] - want[row]) < 1e-12);
            check(std::abs(have[2 * row] + have[2 * row + 1] - 1.0) < 1e-12);
        }
    }
    check(predict_rows(engine, *pass, rows, {1000, 2}, go_on, have) ==
          Status::out_of_budget);
    const auto stop = [](const Progress&) { return false; };
    check(predict_rows(engine, *pass, rows, {kPlenty, 2}, stop, have) ==
          Status::stopped);
}

TEST(exact_trees_have_one_leaf_more_than_splits) {
    const Engine engine(denison(20, 2, 32, 3));
    const auto go_on = [](const Progress&) { return true; };
    const auto pass = engine.make_pass(task(Quantity::total));
    check(pass->run(go_on) == Status::done);
    Uses uses;
    check(expected_uses(engine, *pass, kPlenty, go_on, uses) == Status::done);
    // rule 0 splits, rule 1 is a leaf
    check(std::abs(uses.uses[1] - uses.uses[0] - 1.0) < 1e-9);
    check(std::abs(uses.visits[0] - uses.uses[0] - uses.uses[1]) < 1e-9);
    check(std::abs(uses.splits[0] + uses.splits[1] - uses.uses[0]) < 1e-9);
    check(expected_uses(engine, *pass, 1000, go_on, uses) == Status::out_of_budget);
}

TEST(exact_search_keeps_its_budget) {
    const std::size_t budget = 500'000;  // four threads have room for one box each
    for (const Engine& engine : {Engine(denison(60, 3, 60, 1)), Engine(bits(250, 12, 3))}) {
        for (const std::size_t threads : {1U, 4U}) {
            const auto pass =
                engine.make_pass(task(Quantity::total, threads, false, budget));
            check(pass->run([](const Progress&) { return true; }) == Status::out_of_budget);
            check(pass->progress().peak_bytes <= budget);
            check(pass->progress().items > 0);
        }
    }
}

TEST(exact_search_stops_when_told) {
    for (const Engine& engine : {Engine(denison(60, 3, 60, 1)), Engine(bits(250, 12, 3))}) {
        const auto pass = engine.make_pass(task(Quantity::total, 2));
        check(pass->run([](const Progress&) { return false; }) == Status::stopped);
    }
}

TEST(exact_search_says_so_where_there_is_hardly_any_memory) {
    const Engine items(denison(30, 3, 30, 1)), binary(bits(60, 8, 3));
    for (const Engine* const engine : {&items, &binary}) {
        for (const Quantity quantity : {Quantity::total, Quantity::best, Quantity::count,
                                        Quantity::leaf_number, Quantity::tree_depth}) {
            for (const bool scaled : {false, true}) {
                const auto pass = engine->make_pass(task(quantity, 2, scaled, 1000));
                check(pass->run([](const Progress&) { return true; }) == Status::out_of_budget);
                check(pass->progress().bytes <= 1000);
                check(pass->log_value(engine->geometry().root(), 0) == -INFINITY);
            }
        }
    }
}

TEST(exact_memory_is_counted_before_it_is_taken) {
    constexpr std::size_t kLimit = std::size_t{1} << 20;
    Budget budget(kLimit);
    {
        Arena arena(budget);
        bool refused = false;
        try {
            arena.allocate<std::byte>(kLimit + 1);
        } catch (const OutOfBudget&) {
            refused = true;
        }
        check(refused);
        check(budget.peak() == 0);
        arena.allocate<std::byte>(kLimit / 2);
        check(budget.used() >= kLimit / 2);
    }
    check(budget.used() == 0);
}

// Of 61 to 63 rows Gamma(A + n) / Gamma(A) is beyond the doubles that sums on binary features are
// made of: the seventh bit leaves 62.
// The search for it visits the splits of a large box, and not the rows of each split. The limit is
// that of a sanitizer without optimisation.
TEST(exact_depth_cut_of_a_long_table_takes_no_time) {
    constexpr std::uint32_t kRows = 20'000;
    Problem problem = denison(kRows, 5, kRows, 2);
    problem.grammar.states.clear();
    double p = 0.5;
    for (std::int32_t depth = 0; depth < 260; ++depth, p *= 0.5) {
        problem.grammar.states.push_back(
            {{RuleKind::split,
              std::log(p),
              {},
              -1,
              Measure::all,
              std::vector<std::int32_t>(10, depth + 1)},
             {RuleKind::leaf, std::log1p(-p), {}, -1, Measure::each, {}}});
    }
    problem.grammar.states.push_back({{RuleKind::leaf, 0.0, {}, -1, Measure::each, {}}});
    problem.grammar.normalise = true;
    const Geometry geometry(problem);
    const std::clock_t begun = std::clock();
    check(depth_cut(problem, geometry, *block_grammar_of(problem), true).has_value());
    check(static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC < 60.0);
}

TEST(exact_memo_tells_keys_apart_by_both_halves) {
    constexpr std::uint64_t kHalves[] = {0, 2, ~std::uint64_t{0}};
    constexpr std::uint64_t kMany = 3000;
    const auto key_of = [&](std::uint64_t i) { return Key{kHalves[i % 3], split_mix(i / 3)}; };
    Budget budget(std::size_t{1} << 24);
    Memo memo(1, 1, budget);
    for (std::uint64_t i = 0; i < kMany; ++i) {
        check(memo.insert(key_of(i), &i));
        check(!memo.insert(key_of(i), &i));
    }
    check(memo.size() == kMany);
    const Memo::Reading reading(memo, 0);
    for (std::uint64_t i = 0; i < kMany; ++i) {
        const std::uint64_t* const found = memo.find(key_of(i));
        check(found != nullptr && *found == i);
    }
    check(memo.find({3, split_mix(0)}) == nullptr);
}
