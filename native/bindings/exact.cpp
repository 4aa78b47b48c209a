// The exact engine for Python: passes that run without the interpreter lock, and look-ups.
// Called by slp.engines.exact through slp.kernels.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "exact/bounds.hpp"
#include "exact/engine.hpp"
#include "exact/estimate.hpp"
#include "exact/expected_uses.hpp"
#include "exact/interval_blocks/inner_feature.hpp"
#include "polling.hpp"

namespace nb = nanobind;
using namespace slp;
using namespace slp::exact;

namespace {

int run_pass(Pass& pass, const Report& progress) {
    return static_cast<int>(
        run_unlocked([&](const Poll& poll) { return pass.run(poll); }, progress));
}

auto statistics_of(const Pass& pass) {
    const Progress now = pass.progress();
    nb::typed<nb::dict, nb::str, std::uint64_t> out{nb::dict()};
    out["items"] = now.items;
    out["edges"] = now.edges;
    out["repeated"] = now.repeated;
    out["bytes"] = now.bytes;
    out["peak_bytes"] = now.peak_bytes;
    return out;
}

auto used_of(const Pass& pass) {
    const LevelSums* const sums = pass.level_sums();
    require(sums != nullptr && sums->root() != nullptr, "a finished pass by levels");
    std::vector<double> out;
    for (std::size_t f = 0; f < sums->layout().d; ++f) {
        out.push_back(sums->root()->numbers[sums->layout().used(f)]);
    }
    return to_numpy(std::move(out));
}

// (depth from which no node was split, log of a bound on the weight of the trees left out), or None
// where trees were followed to any depth.
auto depth_cut_of(const Pass& pass) {
    const std::optional<DepthCut> cut = pass.depth_cut();
    return cut ? std::optional(tuple_of(cut->depth, cut->log_left_out)) : std::nullopt;
}

// The choices at an item, as arrays with one entry for each, and the box's log likelihood.
auto scored_edges_of(const Engine& engine, const Pass& pass,
                          const Array<std::uint32_t>& rows, std::int32_t product) {
    const Problem& problem = engine.problem();
    require_rows(rows, problem.table.n_rows);
    require(
        rows.size() > 0 && product >= 0 &&
            static_cast<std::size_t>(product / problem.n_owed()) < problem.grammar.states.size(),
        "an item is rows in a state");
    double log_likelihood = 0;
    const std::vector<ScoredEdge> edges =
        engine.scored_edges(pass, span_of(rows), product, &log_likelihood);
    const std::size_t n = edges.size();
    std::vector<std::int32_t> rule(n), feature(n), low(n), high(n), left(n), right(n);
    std::vector<double> weight(n), below_left(n), below_right(n);
    for (std::size_t i = 0; i < n; ++i) {
        const ScoredEdge& edge = edges[i];
        rule[i] = edge.rule;
        feature[i] = edge.feature;
        low[i] = static_cast<std::int32_t>(edge.cut.number());
        high[i] = static_cast<std::int32_t>(edge.cut.rest());
        left[i] = edge.left_state;
        right[i] = edge.right_state;
        weight[i] = edge.log_weight;
        below_left[i] = edge.log_left;
        below_right[i] = edge.log_right;
    }
    return tuple_of(log_likelihood, to_numpy(std::move(rule)), to_numpy(std::move(feature)),
                          to_numpy(std::move(low)), to_numpy(std::move(high)),
                          to_numpy(std::move(left)), to_numpy(std::move(right)),
                          to_numpy(std::move(weight)), to_numpy(std::move(below_left)),
                          to_numpy(std::move(below_right)));
}

const Feature& ordered_feature(const Engine& engine, std::size_t f) {
    const auto& features = engine.problem().table.features;
    require(f < features.size() && features[f].looks_at_response(),
            "a feature with levels in the order of the responses");
    return features[f];
}

// The levels on the left and on the right of a cut, as codes.
auto sides_of_cut(const Engine& engine, std::size_t f, std::uint32_t number, std::uint32_t rest) {
    const Feature& feature = ordered_feature(engine, f);
    require(feature.orders->has(rest), "a cut of this problem");
    const Cut cut = Cut::written(number, rest);
    std::vector<std::uint32_t> left, right;
    for (const std::uint32_t code : feature.orders->at(rest).codes()) {
        (feature.test(cut).code_goes_left(code) ? left : right).push_back(code);
    }
    return tuple_of(std::move(left), std::move(right));
}

// The cut with these sides, the left one that with the least code; its two numbers.
auto cut_of_sides(const Engine& engine, std::size_t f, std::vector<std::uint32_t> left,
                  const std::vector<std::uint32_t>& right) {
    const Feature& feature = ordered_feature(engine, f);
    const auto n = static_cast<std::uint32_t>(left.size());
    left.insert(left.end(), right.begin(), right.end());
    require(n > 0 && n < left.size() &&
                std::ranges::all_of(left,
                                    [&](std::uint32_t code) {
                                        return code < static_cast<std::uint32_t>(feature.n_codes);
                                    }),
            "both sides have levels of the table");
    return tuple_of(n, feature.orders->number(left));
}

// Bounds on the root's value from a pass that was stopped: logs.
auto bounds_of(const Engine& engine, const Pass& pass, double work) {
    const Interval found = without_lock([&] { return bounds_on_root(engine, pass, work); });
    return tuple_of(found.low, found.high);
}

// (boxes, if there were no limits, relative standard error, states and splits for each box, whether
// boxes is a lower bound)
auto estimate_of(const Engine& engine, double work, std::uint64_t seed) {
    BoxEstimate found{};
    const auto estimate = [&](const Poll& poll) {
        found = estimate_boxes(engine.problem(), engine.geometry(), work, seed, &poll);
        return Status::done;
    };
    run_unlocked(estimate, Report(nb::none()));
    return tuple_of(found.boxes, found.unlimited, found.error, found.states, found.splits,
                          found.more);
}

// Status; then of every state the visits, of every rule the uses and the expectation of its
// weight, of every rule and feature the splits.
auto uses_of(const Engine& engine, const Pass& pass, std::size_t memory,
                  const Report& progress) {
    Uses found;
    const Status status = run_unlocked(
        [&](const Poll& poll) { return expected_uses(engine, pass, memory, poll, found); },
        progress);
    return tuple_of(static_cast<int>(status), to_numpy(std::move(found.visits)),
                          to_numpy(std::move(found.uses)), to_numpy(std::move(found.weights)),
                          to_numpy(std::move(found.splits)));
}

}  // namespace

void bind_rows(nb::module_& m, nb::class_<Engine>& exact_engine);  // in exact_rows.cpp

void bind_exact(nb::module_& m) {
    const nb::object constants = m.attr("CONSTANTS");
    constants["most_inner_codes"] = kMostInnerCodes;
    constants["done"] = static_cast<int>(Status::done);
    constants["stopped"] = static_cast<int>(Status::stopped);
    constants["out_of_budget"] = static_cast<int>(Status::out_of_budget);
    constants["out_of_range"] = static_cast<int>(Status::out_of_range);
    nb::class_<Pass>(m, "ExactPass",
                     "One quantity of every item.")
        .def("run", &run_pass, nb::arg("progress").none())
        .def("likelihood", &Pass::likelihood)
        .def("statistics", &statistics_of)
        .def("by_interval_blocks", &Pass::by_interval_blocks)
        .def("depth_cut", &depth_cut_of)
        .def("by_levels", [](const Pass& pass) { return pass.level_sums() != nullptr; })
        .def(
            "other",
            [](const Pass& pass, int quantity) {
                require(pass.level_sums() != nullptr, "a pass by levels");
                return pass.other(static_cast<Quantity>(quantity));
            },
            nb::arg("quantity"), nb::keep_alive<0, 1>(),
            "Another quantity of the same run, of a pass by levels.")
        .def("used", &used_of,
             "Of a pass by levels: by feature the probability that some split is on it.");
    auto exact_engine =
        nb::class_<Engine>(m, "ExactEngine",
                     "A problem ready for passes.")
            .def(
                "__init__",
                [](Engine* self, const Problem& problem) {
                    without_lock([&] { return new (self) Engine(problem); });
                },
                nb::arg("problem"))
            .def(
                "make_pass",
                [](const Engine& engine, int quantity, bool likelihood, bool scaled,
                   std::size_t length, int keep, std::size_t memory, std::size_t threads,
                   int excluded) {
                    return without_lock([&] {
                        return engine.make_pass({static_cast<Quantity>(quantity), likelihood,
                                                 scaled, length, static_cast<Keep>(keep), memory,
                                                 threads, excluded});
                    });
                },
                nb::arg("quantity"), nb::arg("likelihood"), nb::arg("scaled"), nb::arg("length"),
                nb::arg("keep"), nb::arg("memory"), nb::arg("threads"), nb::arg("excluded") = -1,
                nb::keep_alive<0, 1>())
            .def(
                "root_values",
                [](const Engine& engine, const Pass& run) {
                    return to_numpy(engine.root_values(run));
                },
                nb::arg("run"))
            .def(
                "root_counts",
                [](const Engine& engine, const Pass& run) {
                    return to_numpy(engine.root_counts(run));
                },
                nb::arg("run"))
            .def(
                "root_vector",
                [](const Engine& engine, const Pass& run) {
                    return to_numpy(engine.root_vector(run));
                },
                nb::arg("run"))
            .def("sides_of_cut", &sides_of_cut, nb::arg("feature"), nb::arg("number"),
                 nb::arg("rest"))
            .def("cut_of_sides", &cut_of_sides, nb::arg("feature"), nb::arg("left"),
                 nb::arg("right"))
            .def("bytes_of_orders",
                 [](const Engine& engine) { return engine.problem().table.bytes_of_orders(); })
            .def(
                "limit_orders",
                [](const Engine& engine, std::size_t bytes) {
                    for (const Feature& feature : engine.problem().table.features) {
                        if (feature.looks_at_response()) {
                            feature.orders->limit(bytes);
                        }
                    }
                },
                nb::arg("bytes"))
            .def("orders_are_full",
                 [](const Engine& engine) {
                     const auto& features = engine.problem().table.features;
                     return std::ranges::any_of(features, [](const Feature& feature) {
                         return feature.looks_at_response() && feature.orders->full();
                     });
                 })
            .def("estimate_boxes", &estimate_of, nb::arg("work"), nb::arg("seed"))
            .def("values_per_box", &Engine::values_per_box,
                 nb::call_guard<ReleasedLock>())
            .def("uses_interval_blocks", &Engine::uses_interval_blocks,
                 nb::call_guard<ReleasedLock>())
            .def(
                "looks",
                [](const Engine& engine) {
                    const auto found = without_lock([&] { return engine.looks(); });
                    return found ? std::optional(tuple_of(found->looks, found->visits, found->bytes))
                                 : std::nullopt;
                },
                "What passes by levels take: looks, visits of rows, bytes; None for others.")
            .def(
                "obstacle",
                [](const Engine& engine) { return static_cast<int>(engine.obstacle()); },
                nb::call_guard<ReleasedLock>())
            .def("most_boxes",
                 [](const Engine& engine) {
                     return without_lock([&] { return most_boxes(engine.problem()); });
                 })
            .def("bounds", &bounds_of, nb::arg("run"), nb::arg("work"))
            .def("scored_edges", &scored_edges_of, nb::arg("run"), nb::arg("rows").noconvert(),
                 nb::arg("product"));
    exact_engine.def("expected_uses", &uses_of, nb::arg("run"), nb::arg("memory"),
                     nb::arg("progress").none());
    bind_rows(m, exact_engine);
}
