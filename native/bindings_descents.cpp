// Descents of the exact engine for Python: predictions of new rows, and expected uses of rules.

#include <nanobind/nanobind.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "bindings_exact.hpp"
#include "exact/outside.hpp"
#include "exact/reach.hpp"

namespace nb = nanobind;
using namespace slp::exact;

namespace {

NewRows rows_of(const Matrix<double>& array) { return {span_of(array), array.shape(0)}; }

// What rows are followed by: a pass, or without one families, which are gone through here first.
template <typename Follow>
Status follow(const Engine& engine, const Pass* pass, bool likelihood, std::size_t memory,
              std::size_t threads, const nb::object& progress, const Follow& follow_rows) {
    return run_unlocked(
        [&](const Poll& poll) {
            if (pass != nullptr) {
                return follow_rows(Totals{pass, nullptr}, poll);
            }
            const auto families = engine.make_families(likelihood, memory, threads);
            const Status status = families->run(poll);
            return status == Status::done ? follow_rows(Totals{nullptr, families.get()}, poll)
                                          : status;
        },
        progress);
}

// Status, and the predictions (m * q,).
nb::tuple predictions_of(const Engine& engine, const Pass* pass, bool likelihood, const Matrix<double>& rows,
                         std::size_t memory, std::size_t threads, const nb::object& progress) {
    std::vector<double> out;
    const Status status = follow(engine, pass, likelihood, memory, threads, progress,
                                 [&](const Totals& totals, const Poll& poll) {
                                     return predict_rows(engine, totals, rows_of(rows),
                                                         {memory, threads}, poll, out);
                                 });
    return nb::make_tuple(static_cast<int>(status), to_numpy(std::move(out)));
}

// Status, and for each row the leaves it may end in: probabilities (J,), statistics (J * k,).
nb::tuple leaves_of(const Engine& engine, const Pass* pass, bool likelihood, const Matrix<double>& rows,
                    std::size_t memory, std::size_t threads, const nb::object& progress) {
    std::vector<LeafMass> found;
    const Status status = follow(engine, pass, likelihood, memory, threads, progress,
                                 [&](const Totals& totals, const Poll& poll) {
                                     return leaves_reached(engine, totals, rows_of(rows),
                                                           {memory, threads}, poll, found);
                                 });
    nb::list out;
    for (LeafMass& own : found) {
        out.append(nb::make_tuple(to_numpy(std::move(own.probability)),
                                  to_numpy(std::move(own.statistics))));
    }
    return nb::make_tuple(static_cast<int>(status), out);
}

// Status; then of every state the visits, of every rule the uses and the expectation of its
// weight, of every rule and feature the splits; then of the items found the product states, the
// rows (one below the other, each as many as `sizes` says) and the probabilities.
nb::tuple uses_of(const Engine& engine, const Pass& pass, double least, std::size_t memory,
                  const nb::object& progress) {
    Uses found;
    const Status status = run_unlocked(
        [&](const Poll& poll) { return expected_uses(engine, pass, least, memory, poll, found); },
        progress);
    return nb::make_tuple(
        static_cast<int>(status), to_numpy(std::move(found.visits)),
        to_numpy(std::move(found.uses)), to_numpy(std::move(found.weights)),
        to_numpy(std::move(found.splits)), to_numpy(std::move(found.products)),
        to_numpy(std::move(found.sizes)), to_numpy(std::move(found.rows)),
        to_numpy(std::move(found.probability)));
}

}  // namespace

void bind_descents(nb::class_<Engine>& engine) {
    engine
        .def("predict_rows", &predictions_of, nb::arg("run").none(), nb::arg("likelihood"),
             nb::arg("rows").noconvert(), nb::arg("memory"), nb::arg("threads"),
             nb::arg("progress").none())
        .def("leaves_reached", &leaves_of, nb::arg("run").none(), nb::arg("likelihood"),
             nb::arg("rows").noconvert(), nb::arg("memory"), nb::arg("threads"),
             nb::arg("progress").none())
        .def("expected_uses", &uses_of, nb::arg("run"), nb::arg("least"), nb::arg("memory"),
             nb::arg("progress").none());
}
