// Passes by binary-feature blocks: against a plain recursion and passes item by item, by threads.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "check.hpp"
#include "exact/denison.hpp"
#include "exact/engine.hpp"

using namespace slp;
using namespace slp::exact;
using slp::test::bits;
using slp::test::check;
using slp::test::kPlenty;
using slp::test::sum_over_trees;
using slp::test::task;

TEST(binary_blocks_equal_a_plain_recursion) {
    for (const std::uint32_t n : {1U, 2U, 5U, 6U, 7U, 12U, 80U}) {
        const Engine engine(bits(n, 8, n));
        std::map<std::vector<std::uint32_t>, double> done;
        std::vector<std::uint32_t> all;
        for (std::uint32_t i = 0; i < n; ++i) {
            all.push_back(i);
        }
        const double want = std::log(sum_over_trees(engine.problem(), all, done));
        for (const std::size_t threads : {1U, 4U}) {
            const auto pass =
                engine.make_pass(task(Quantity::total, threads));
            check(pass->run([](const Progress&) { return true; }) == Status::done);
            check(std::abs(engine.log_root(*pass) - want) < 1e-12);
            for (const auto& [rows, value] : done) {  // large and small boxes alike
                const Box box = engine.geometry().box_of(rows);
                check(std::abs(pass->log_value(box, 0) - std::log(value)) < 1e-11);
            }
        }
    }
}

TEST(binary_blocks_do_not_depend_on_threads) {
    const Engine engine(bits(150, 10, 3));
    const auto go_on = [](const Progress&) { return true; };
    for (const Quantity quantity : {Quantity::total, Quantity::best, Quantity::count}) {
        const auto one = engine.make_pass(task(quantity));
        check(one->run(go_on) == Status::done);
        for (const std::size_t threads : {2U, 8U}) {
            const auto many = engine.make_pass(task(quantity, threads));
            check(many->run(go_on) == Status::done);
            check(engine.root_values(*many) == engine.root_values(*one));
            check(many->progress().items == one->progress().items);
            check(many->progress().edges == one->progress().edges);
        }
    }
}

TEST(binary_blocks_with_concentrations_that_leave_the_range_of_doubles) {
    Problem problem = bits(126, 8, 5);
    std::vector<double> statistics;
    for (std::uint32_t i = 0; i < 126; ++i) {
        const bool first = split_mix(i) % 2 == 0;
        statistics.push_back(first);
        statistics.push_back(!first);
    }
    problem.leaf = LeafModel("dirichlet", {6e4, 6e4}, statistics, 2);
    const Engine engine(problem);
    const auto go_on = [](const Progress&) { return true; };
    for (const Quantity quantity : {Quantity::total, Quantity::best}) {
        const auto blocks = engine.make_pass(task(quantity));
        const auto items = engine.make_pass(task(quantity, 1, true));
        check(blocks->run(go_on) == Status::done && items->run(go_on) == Status::done);
        check(std::abs(engine.log_root(*blocks) - engine.log_root(*items)) < 1e-9);
    }
}

TEST(binary_blocks_with_a_min_leaf_beyond_all_rows) {
    for (const std::int64_t least :
         {std::int64_t{81}, std::int64_t{1} << 32, (std::int64_t{1} << 32) + 1, INT64_MAX}) {
        Problem problem = bits(80, 8, 5);
        problem.grammar.min_leaf = least;
        const Engine engine(problem);
        std::vector<double> statistics(2);
        problem.leaf.sum(engine.geometry().root().rows, statistics.data());
        const double leaf = problem.leaf.log_marginal(statistics.data());
        for (const bool scaled : {false, true}) {
            const auto pass =
                engine.make_pass(task(Quantity::total, 1, scaled));
            check(pass->run([](const Progress&) { return true; }) == Status::done);
            check(std::abs(engine.log_root(*pass) - leaf) < 1e-12);
        }
    }
}
