// Modal trees for Python: grown without the interpreter lock. Called by slp.engines.modal.

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "exact/engine.hpp"
#include "modal/grower.hpp"
#include "polling.hpp"

namespace nb = nanobind;
using namespace slp;
using namespace slp::modal;

namespace {

// How it ended; the nodes in preorder: features (-1: a leaf, -2: not decided in time) and codes,
// one for each node; logs of the weight of stopping, of the likelihood, of the weight of the
// split, and gains; statistics and what smoothing has added, k for each node; the best score of a
// split of the root by feature; and whether Ctrl-C ended it, which keeps what was grown.
auto grow(const exact::Engine& engine, const Plan& plan, const Report& progress) {
    require(!engine.problem().counted(), "leaves are not counted");
    Grower grower(engine.problem(), engine.geometry(), plan);
    Ending ending{};
    bool interrupted = false;
    try {
        run_unlocked([&](const Poll& poll) { return ending = grower.run(poll); }, progress);
    } catch (const nb::python_error& error) {
        if (!error.matches(PyExc_KeyboardInterrupt)) {
            throw;
        }
        interrupted = true;
    }
    Grown found;
    if (ending == Ending::done || ending == Ending::stopped) {
        found = without_lock([&] { return grower.grown(); });
    }
    return tuple_of(static_cast<int>(ending), to_numpy(std::move(found.feature)),
                          to_numpy(std::move(found.low)), to_numpy(std::move(found.high)),
                          to_numpy(std::move(found.log_stop)),
                          to_numpy(std::move(found.log_likelihood)),
                          to_numpy(std::move(found.log_split)), to_numpy(std::move(found.gain)),
                          to_numpy(std::move(found.statistics)), to_numpy(std::move(found.added)),
                          to_numpy(std::vector<double>(grower.root_scores())), interrupted);
}

}  // namespace

void bind_modal(nb::module_& m) {
    const nb::object constants = m.attr("CONSTANTS");
    constants["modal_tie"] = kTie;
    constants["modal_most_undone"] = kMostUndone;
    constants["modal_many_states"] = kManyStates;
    m.def(
        "grow_modal_tree",
        [](const exact::Engine& engine, bool likelihood, bool stop_labels, double smoothing,
           std::uint32_t look_ahead, std::uint32_t further, std::uint32_t drawn_levels,
           double temperature, std::uint64_t seed, std::int32_t root_feature, std::size_t room,
           std::size_t threads, const Report& progress) {
            const Plan plan{likelihood,  stop_labels,  smoothing, look_ahead,
                            further,     drawn_levels, temperature, seed,
                            root_feature, room,        threads};
            return grow(engine, plan, progress);
        },
        nb::arg("engine"), nb::arg("likelihood"), nb::arg("stop_labels"),
        nb::arg("smoothing"), nb::arg("look_ahead"), nb::arg("further"), nb::arg("drawn_levels"),
        nb::arg("temperature"), nb::arg("seed"), nb::arg("root_feature"), nb::arg("room"),
        nb::arg("threads"), nb::arg("progress").none());
}
