// Passes by blocks on problems written down: against passes box by box, by threads, in their
// budget; bounds and estimates of the same problems; what is left out of deep trees.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "check.hpp"
#include "dumped.hpp"
#include "exact/bounds.hpp"
#include "exact/depth_cut.hpp"
#include "exact/engine.hpp"
#include "exact/denison.hpp"
#include "exact/expected_uses.hpp"
#include "exact/estimate.hpp"
#include "exact/interval_blocks/inner_feature.hpp"
#include "exact/interval_blocks/search.hpp"
#include "exact/new_rows.hpp"

using namespace slp;
using namespace slp::exact;
using slp::test::check;
using slp::test::Dumped;
using slp::test::kPlenty;
using slp::test::read_problem;
using slp::test::task;

namespace {

const std::string kProblems[] = {"denison", "denison_min_leaf", "growtree",
                                 "growtree_all_max_depth", "gmt_normal"};

bool go_on(const Progress&) {
    return true;
}

std::unique_ptr<Pass> run(const Engine& engine, Quantity quantity, bool by_interval_blocks,
                          bool keep, std::size_t threads, std::int32_t excluded = -1) {
    PassTask own = task(quantity, threads, !by_interval_blocks);
    own.keep = keep ? Keep::items : Keep::root;
    own.excluded = excluded;
    auto pass = engine.make_pass(own);
    check(pass->run(go_on) == Status::done);
    return pass;
}

}  // namespace

TEST(families_give_the_total_of_the_plain_chart) {
    for (const std::string& name : kProblems) {
        const Dumped dumped = read_problem(name);
        const Engine engine(dumped.problem);
        for (const bool keep : {false, true}) {
            const auto pass = run(engine, Quantity::total, true, keep, 1);
            check(pass->by_interval_blocks());
            check(std::abs(engine.log_root(*pass) - dumped.log_total) < 1e-9);
        }
        check(!run(engine, Quantity::total, false, true, 1)->by_interval_blocks());
    }
}

TEST(families_equal_passes_box_by_box) {
    for (const std::string& name : kProblems) {
        const Engine engine(read_problem(name).problem);
        for (const Quantity quantity : {Quantity::total, Quantity::best}) {
            const auto have = run(engine, quantity, true, true, 4);
            const auto want = run(engine, quantity, false, true, 1);
            check(std::abs(engine.log_root(*have) - engine.log_root(*want)) < 1e-10);
            // Every edge of the root, so that boxes below it are looked up too.
            const auto edges = [&](const Pass& pass) {
                double log_likelihood = 0;
                return engine.scored_edges(pass, engine.geometry().root().rows,
                                           engine.problem().root_product(0), &log_likelihood);
            };
            const std::vector<ScoredEdge> have_edges = edges(*have), want_edges = edges(*want);
            check(have_edges.size() > 10 && have_edges.size() == want_edges.size());
            for (std::size_t i = 0; i < have_edges.size(); ++i) {
                check(std::abs(have_edges[i].log_left - want_edges[i].log_left) < 1e-9);
                check(std::abs(have_edges[i].log_right - want_edges[i].log_right) < 1e-9);
            }
        }
    }
}

TEST(families_do_not_depend_on_threads) {
    for (const std::string& name : kProblems) {
        const Engine engine(read_problem(name).problem);
        for (const Quantity quantity : {Quantity::total, Quantity::best, Quantity::count}) {
            const auto one = run(engine, quantity, true, false, 1);
            for (const std::size_t threads : {2U, 8U}) {
                const auto many = run(engine, quantity, true, false, threads);
                check(engine.root_values(*many) == engine.root_values(*one));
                check(engine.root_counts(*many) == engine.root_counts(*one));
                check(many->progress().items == one->progress().items);
                check(many->progress().edges == one->progress().edges);
            }
        }
    }
}

TEST(families_keep_their_budget_and_bounds_hold) {
    for (const std::string& name : {std::string("denison"), std::string("growtree")}) {
        const Dumped dumped = read_problem(name);
        const Engine engine(dumped.problem);
        const std::size_t needed =
            run(engine, Quantity::total, true, true, 1)->progress().peak_bytes;
        for (const std::size_t threads : {1U, 4U}) {
            const std::size_t budget = needed * 9 / 10;
            const auto pass =
                engine.make_pass(task(Quantity::total, threads, false, budget));
            check(pass->run(go_on) == Status::out_of_budget);
            check(pass->progress().peak_bytes <= budget);
            const Interval bounds = bounds_on_root(engine, *pass, 1e4);
            check(bounds.low <= dumped.log_total);
            check(bounds.high >= dumped.log_total);
            check(bounds.low < bounds.high);
        }
    }
}

TEST(families_stop_when_told) {
    const Engine engine(read_problem("growtree").problem);
    const auto pass = engine.make_pass(task(Quantity::total));
    check(pass->run([](const Progress&) { return false; }) == Status::stopped);
}

TEST(estimates_are_near_the_number_of_boxes) {
    const Engine engine(read_problem("denison").problem);
    const auto pass = run(engine, Quantity::total, true, false, 1);
    const auto boxes = static_cast<double>(pass->progress().items);
    const BoxEstimate found = estimate_boxes(engine.problem(), engine.geometry(), 1e6, 1);
    check(found.boxes > 0.8 * boxes && found.boxes < 1.2 * boxes);
}

TEST(trees_deeper_than_a_depth_weigh_at_most_what_is_said) {
    const Problem problem = read_problem("growtree").problem;
    const Geometry geometry(problem);
    const BlockGrammar grammar = *block_grammar_of(problem);
    const std::uint32_t inner = *inner_feature(problem, grammar);
    for (const bool likelihood : {true, false}) {
        BlockTask task{Sum::total, likelihood, false, kPlenty, 1};
        task.root = geometry.root();
        const auto total = [&](const BlockGrammar& of) {
            const auto search = make_interval_block_search(problem, geometry, of, inner, task);
            check(search->run(go_on) == Status::done);
            return std::exp(search->log_value(geometry.root(), 0));
        };
        const double all = total(grammar);
        const auto bounds = log_left_out(problem, geometry, grammar, likelihood);
        for (const std::size_t depth : {0U, 1U, 2U, 3U, 5U, 7U}) {
            const double left_out = all - total(*block_grammar_of(problem, Sum::total, depth));
            check(left_out > 0);
            check(std::log(left_out) <= bounds[depth]);
        }
        check(bounds[12] < bounds[6] - 10);
    }
}

TEST(trees_are_followed_to_any_depth_where_nothing_bounds_them) {
    for (const std::string& name : {std::string("denison"), std::string("gmt_normal")}) {
        const Engine engine(read_problem(name).problem);
        check(!run(engine, Quantity::total, true, false, 1)->depth_cut());
    }
    const Engine engine(read_problem("growtree").problem);
    check(run(engine, Quantity::total, true, false, 1)->depth_cut().has_value());
    check(!run(engine, Quantity::count, true, false, 1)->depth_cut());
}

TEST(families_tell_how_rules_and_features_are_used) {
    for (const std::string& name : kProblems) {
        const Engine engine(read_problem(name).problem);
        const auto items = run(engine, Quantity::total, false, true, 1);
        const auto blocks = run(engine, Quantity::total, true, true, 2);
        check(items->blocks() == nullptr && blocks->blocks() != nullptr);
        Uses want, have;
        check(expected_uses(engine, *items, kPlenty, go_on, want) == Status::done);
        check(expected_uses(engine, *blocks, kPlenty, go_on, have) == Status::done);
        for (const auto member : {&Uses::visits, &Uses::uses, &Uses::weights, &Uses::splits}) {
            check((have.*member).size() == (want.*member).size());
            for (std::size_t i = 0; i < (want.*member).size(); ++i) {
                check(std::abs((have.*member)[i] - (want.*member)[i]) < 1e-10);
            }
        }
        for (const std::size_t memory : {std::size_t{1}, std::size_t{1000}}) {
            check(expected_uses(engine, *blocks, memory, go_on, have) == Status::out_of_budget);
        }
        const auto stop = [](const Progress&) { return false; };
        check(expected_uses(engine, *blocks, kPlenty, stop, have) == Status::stopped);
        const auto d = static_cast<std::int32_t>(engine.problem().table.features.size());
        for (std::int32_t f = 0; f < d; ++f) {
            const double all = engine.log_root(*items);
            const double without =
                engine.log_root(*run(engine, Quantity::total, false, false, 1, f)) - all;
            for (const std::size_t threads : {1U, 4U}) {
                const auto own = run(engine, Quantity::total, true, false, threads, f);
                check(own->by_interval_blocks());
                check(std::abs(engine.log_root(*own) - all - without) < 1e-10);
            }
        }
    }
}

TEST(families_predict_what_boxes_predict) {
    for (const std::string& name : kProblems) {
        const Engine engine(read_problem(name).problem);
        const auto& features = engine.problem().table.features;
        std::vector<double> values;
        for (std::uint64_t i = 0; values.size() < 9 * features.size(); ++i) {
            const Feature& feature = features[i % features.size()];
            // Between the values, at them and beyond them; of levels one more than there are.
            const auto n = static_cast<std::uint64_t>(2 * feature.n_codes + 2);
            const double place = static_cast<double>(split_mix(i) % n) / 2;
            const auto code = static_cast<std::size_t>(place);
            const bool level = feature.kind == FeatureKind::levels;
            const double value = level || code >= feature.numbers.size()
                                     ? static_cast<double>(code)
                                     : feature.numbers[code];
            values.push_back(level ? value : value + (place - static_cast<double>(code)) / 2);
        }
        const NewRows rows{values, 9};
        const auto items = run(engine, Quantity::total, false, true, 1);
        const auto blocks = run(engine, Quantity::total, true, true, 2);
        std::vector<double> want, have;
        check(predict_rows(engine, *items, rows, {kPlenty, 1}, go_on, want) == Status::done);
        for (const std::size_t threads : {1U, 4U}) {
            check(predict_rows(engine, *blocks, rows, {kPlenty, threads}, go_on, have) ==
                  Status::done);
            check(have.size() == want.size());
            for (std::size_t i = 0; i < want.size(); ++i) {
                check(std::abs(have[i] - want[i]) < 1e-10 * (1 + std::abs(want[i])));
            }
        }
    }
}
