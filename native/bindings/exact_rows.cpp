// Questions about rows for Python, by descents along a pass of the exact engine: predictions,
// leaves, features asked, proximity, pairs of rows, each row without itself. Called by
// slp.engines.exact through slp.kernels.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "exact/engine.hpp"
#include "exact/features_asked.hpp"
#include "exact/leave_one_out.hpp"
#include "exact/new_rows.hpp"
#include "exact/proximity.hpp"
#include "exact/row_pairs.hpp"
#include "polling.hpp"

namespace nb = nanobind;
using namespace slp;
using namespace slp::exact;

namespace {

// Follows rows along a pass by `kFollow` (predict_rows, leaves_reached).
template <auto kFollow, typename Out>
Status follow(const Engine& engine, const Pass& pass, const Matrix<double>& array,
              std::size_t memory, std::size_t threads, const Report& progress, Out& out) {
    require(array.shape(1) == engine.problem().table.features.size(),
            "rows have a number for each feature");
    const NewRows rows{span_of(array), array.shape(0)};
    return run_unlocked(
        [&](const Poll& poll) {
            return kFollow(engine, pass, rows, {memory, threads}, poll, out);
        },
        progress);
}

// Status, and the predictions (m * q,).
auto predictions_of(const Engine& engine, const Pass& pass, const Matrix<double>& rows,
                         std::size_t memory, std::size_t threads, const Report& progress) {
    std::vector<double> out;
    const Status status =
        follow<predict_rows>(engine, pass, rows, memory, threads, progress, out);
    return tuple_of(static_cast<int>(status), to_numpy(std::move(out)));
}

// Status, and for each row the leaves it may end in: probabilities (J,), statistics (J * k,).
auto leaves_of(const Engine& engine, const Pass& pass, const Matrix<double>& rows,
                    std::size_t memory, std::size_t threads, const Report& progress) {
    std::vector<LeafMass> found;
    const Status status =
        follow<leaves_reached>(engine, pass, rows, memory, threads, progress, found);
    const auto arrays_of = [](LeafMass& own) {
        return tuple_of(to_numpy(std::move(own.probability)), to_numpy(std::move(own.statistics)));
    };
    nb::typed<nb::list, decltype(arrays_of(found.front()))> out{nb::list()};
    for (LeafMass& own : found) {
        out.append(arrays_of(own));
    }
    return tuple_of(static_cast<int>(status), out);
}

// Status, and for each row and feature the probability that its path splits on it, and the expected
// number of these splits: (m * d,) each.
auto features_of(const Engine& engine, const Pass& pass, const Matrix<double>& rows,
                 std::size_t memory, const Report& progress) {
    require(rows.shape(1) == engine.problem().table.features.size(),
            "rows have a number for each feature");
    FeaturesAsked found;
    const Status status = run_unlocked(
        [&](const Poll& poll) {
            return features_asked(engine, pass, {span_of(rows), rows.shape(0)}, memory, poll,
                                  found);
        },
        progress);
    return tuple_of(static_cast<int>(status), to_numpy(std::move(found.asked)),
                    to_numpy(std::move(found.splits)));
}

// Status, for each pair of rows the probability that they share a leaf, (m * m,), and whether a row
// goes to both sides of a split, so that these are not told.
auto proximity_of(const Engine& engine, const Pass& pass, const Matrix<double>& rows,
                  std::size_t memory, const Report& progress) {
    require(rows.shape(1) == engine.problem().table.features.size(),
            "rows have a number for each feature");
    Proximity found;
    const Status status = run_unlocked(
        [&](const Poll& poll) {
            return proximity(engine, pass, {span_of(rows), rows.shape(0)}, memory, poll, found);
        },
        progress);
    return tuple_of(static_cast<int>(status), to_numpy(std::move(found.shared)), found.parted);
}

// The same on average over the rows of the table: (d,) each.
auto features_of_table(const Engine& engine, const Pass& pass, std::size_t memory,
                       const Report& progress) {
    FeaturesAsked found;
    const Status status = run_unlocked(
        [&](const Poll& poll) {
            return features_asked_of_table(engine, pass, memory, poll, found);
        },
        progress);
    return tuple_of(static_cast<int>(status), to_numpy(std::move(found.asked)),
                    to_numpy(std::move(found.splits)));
}

// Status, and of each row the log of the sum of probability / q over leaves, and the least log q
// (LeftOutRows). row: distinct rows, ascending; kind: the row of `statistics` that has those of the
// row.
auto leave_one_out_of(const Engine& engine, const Pass& pass, const Array<std::uint32_t>& row,
                      const Array<std::uint32_t>& kind, const Matrix<double>& statistics,
                      std::size_t memory, const Report& progress) {
    const Problem& problem = engine.problem();
    require_rows(row, problem.table.n_rows);
    require(statistics.shape(1) == problem.leaf.n_statistics() && row.size() == kind.size() &&
                std::ranges::is_sorted(span_of(row)) &&
                std::ranges::all_of(span_of(kind),
                                    [&](std::uint32_t k) { return k < statistics.shape(0); }),
            "rows ascend, and each has a kind");
    LeftOutRows out;
    const Status status = run_unlocked(
        [&](const Poll& poll) {
            return leave_one_out(engine, pass,
                                 {span_of(row), span_of(kind), span_of(statistics)}, memory, poll,
                                 out);
        },
        progress);
    return tuple_of(static_cast<int>(status), to_numpy(std::move(out.log_sum)),
                    to_numpy(std::move(out.least)));
}

void make_row_pairs(RowPairs* self, const Engine& engine, const Pass& pass,
                    const Matrix<double>& ones, const Matrix<double>& zeros, std::size_t memory) {
    const std::size_t d = engine.problem().table.features.size();
    require(ones.shape(1) == d && zeros.shape(1) == d && ones.shape(0) == zeros.shape(0) &&
                ones.shape(0) >= 1 && ones.shape(0) <= kMostPairs,
            "pairs have two rows, with a number for each feature");
    without_lock([&] {
        return new (self)
            RowPairs(engine, pass, span_of(ones), span_of(zeros), ones.shape(0), memory);
    });
}

// Status; then the mean of the difference of each pair and that of its square.
auto differences_of(RowPairs& pairs, const Matrix<double>& first, const Array<double>& second,
                    const Matrix<double>& ones, const Matrix<double>& zeros,
                    const Report& progress) {
    const std::size_t n_leaves = first.shape(0), width = first.shape(1);
    const bool designed = ones.size() > 0;
    require(second.size() == n_leaves * width * (designed ? width : 1) &&
                ones.size() == zeros.size(),
            "leaves have moments of each of their numbers");
    const LeafMoments moments{width, span_of(first), span_of(second), span_of(ones),
                              span_of(zeros)};
    std::vector<double> mean, square;
    const Status status = run_unlocked(
        [&](const Poll& poll) { return pairs.up(moments, poll, mean, square); }, progress);
    return tuple_of(static_cast<int>(status), to_numpy(std::move(mean)),
                    to_numpy(std::move(square)));
}

void bind_row_pairs(nb::module_& m) {
    nb::class_<RowPairs>(m, "RowPairs", "Differences of what is predicted of pairs of rows.")
        .def("__init__", &make_row_pairs, nb::arg("engine"), nb::arg("run"),
             nb::arg("ones").noconvert(), nb::arg("zeros").noconvert(), nb::arg("memory"),
             nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
        .def(
            "down",
            [](RowPairs& pairs, const Report& progress) {
                return static_cast<int>(
                    run_unlocked([&](const Poll& poll) { return pairs.down(poll); }, progress));
            },
            nb::arg("progress").none())
        .def("statistics",
             [](const RowPairs& pairs) {
                 return to_numpy(std::vector<double>(pairs.statistics()));
             })
        .def("up", &differences_of, nb::arg("first").noconvert(), nb::arg("second").noconvert(),
             nb::arg("ones").noconvert(), nb::arg("zeros").noconvert(),
             nb::arg("progress").none());
}

}  // namespace

void bind_rows(nb::module_& m, nb::class_<Engine>& exact_engine) {
    m.attr("CONSTANTS")["most_pairs"] = kMostPairs;
    const auto define = [&](const char* name, auto function) {
        exact_engine.def(name, function, nb::arg("run"), nb::arg("rows").noconvert(),
                         nb::arg("memory"), nb::arg("threads"), nb::arg("progress").none());
    };
    define("predict_rows", &predictions_of);
    exact_engine.def(
        "seconds_of_new_rows",
        [](const Engine& engine, const Pass& pass, const Matrix<double>& rows) {
            return without_lock([&] {
                return seconds_of_new_rows(engine, pass, {span_of(rows), rows.shape(0)});
            });
        },
        nb::arg("run"), nb::arg("rows").noconvert());
    define("leaves_reached", &leaves_of);
    exact_engine.def("features_asked", &features_of, nb::arg("run"), nb::arg("rows").noconvert(),
                     nb::arg("memory"), nb::arg("progress").none());
    exact_engine.def("proximity", &proximity_of, nb::arg("run"), nb::arg("rows").noconvert(),
                     nb::arg("memory"), nb::arg("progress").none());
    exact_engine.def(
        "seconds_of_features",
        [](const Engine& engine, const Pass& pass, std::size_t n_rows) {
            return seconds_of_features(engine, pass, n_rows);
        },
        nb::arg("run"), nb::arg("rows"));
    exact_engine.def("features_asked_of_table", &features_of_table, nb::arg("run"),
                     nb::arg("memory"), nb::arg("progress").none());
    exact_engine.def(
        "seconds_of_pairs",
        [](const Engine& engine, const Pass& pass, std::size_t n) {
            return without_lock([&] { return seconds_of_pairs(engine, pass, n); });
        },
        nb::arg("run"), nb::arg("n"));
    bind_row_pairs(m);
    exact_engine.def("leave_one_out", &leave_one_out_of, nb::arg("run"), nb::arg("row").noconvert(),
                     nb::arg("kind").noconvert(), nb::arg("statistics").noconvert(),
                     nb::arg("memory"), nb::arg("progress").none());
}
