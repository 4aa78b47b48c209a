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

// Follows rows by `kFollow` (predict_rows, leaves_reached): along a pass, or without one along
// families, which are gone through here first.
template <auto kFollow, typename Out>
Status follow(const Engine& engine, const Pass* pass, bool likelihood, const Matrix<double>& array,
              std::size_t memory, std::size_t threads, const nb::object& progress, Out& out) {
    require(array.shape(1) == engine.problem().table.features.size(),
            "rows have a number for each feature");
    const NewRows rows{span_of(array), array.shape(0)};
    return run_unlocked(
        [&](const Poll& poll) {
            const auto along = [&](const Totals& totals) {
                return kFollow(engine, totals, rows, {memory, threads}, poll, out);
            };
            if (pass != nullptr) {
                return along({pass, nullptr});
            }
            const auto families = engine.make_families(likelihood, memory, threads);
            if (families == nullptr) {
                throw nb::value_error("there are no families to follow rows along");
            }
            const Status status = families->run(poll);
            return status == Status::done ? along({nullptr, families.get()}) : status;
        },
        progress);
}

// Status, and the predictions (m * q,).
nb::tuple predictions_of(const Engine& engine, const Pass* pass, bool likelihood,
                         const Matrix<double>& rows, std::size_t memory, std::size_t threads,
                         const nb::object& progress) {
    std::vector<double> out;
    const Status status =
        follow<predict_rows>(engine, pass, likelihood, rows, memory, threads, progress, out);
    return nb::make_tuple(static_cast<int>(status), to_numpy(std::move(out)));
}

// Status, and for each row the leaves it may end in: probabilities (J,), statistics (J * k,).
nb::tuple leaves_of(const Engine& engine, const Pass* pass, bool likelihood,
                    const Matrix<double>& rows, std::size_t memory, std::size_t threads,
                    const nb::object& progress) {
    std::vector<LeafMass> found;
    const Status status =
        follow<leaves_reached>(engine, pass, likelihood, rows, memory, threads, progress, found);
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
    const auto define = [&](const char* name, auto function) {
        engine.def(name, function, nb::arg("run").none(), nb::arg("likelihood"),
                   nb::arg("rows").noconvert(), nb::arg("memory"), nb::arg("threads"),
                   nb::arg("progress").none());
    };
    define("predict_rows", &predictions_of);
    define("leaves_reached", &leaves_of);
    engine.def("expected_uses", &uses_of, nb::arg("run"), nb::arg("least"), nb::arg("memory"),
             nb::arg("progress").none());
}
