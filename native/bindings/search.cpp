// Best-first search for Python, without the interpreter lock. Called by slp.engines.search.

#include <nanobind/nanobind.h>

#include <cstdint>
#include <utility>

#include "arrays.hpp"
#include "exact/engine.hpp"
#include "polling.hpp"
#include "search/ranking.hpp"
#include "search/search.hpp"

namespace nb = nanobind;
using namespace slp;
using namespace slp::search;

namespace {

// The nodes of the best tree in preorder (feature, -1 for a leaf, and codes), its value, the bound
// on all values, and items in the table, items that made way, items opened, and most bytes.
auto found_of(const BestFirstSearch& search) {
    FoundTree found = without_lock([&] { return search.found(); });
    return tuple_of(to_numpy(std::move(found.tree.feature)),
                          to_numpy(std::move(found.tree.low)),
                          to_numpy(std::move(found.tree.high)), found.low, found.high, found.items,
                          found.lost, found.steps, found.peak_bytes);
}

}  // namespace

void bind_search(nb::module_& m) {
    nb::class_<BestFirstSearch>(m, "BestFirstSearch",
                     "A search for the best derivation; see `slp.engines.search.compiled`.")
        .def(
            "__init__",
            [](BestFirstSearch* self, const exact::Engine& engine, bool likelihood,
               std::size_t room, std::uint64_t most_steps) {
                without_lock([&] {
                    return new (self) BestFirstSearch(engine.problem(), engine.geometry(),
                                                      SearchPlan{likelihood, room, most_steps});
                });
            },
            nb::arg("engine"), nb::arg("likelihood"), nb::arg("room"), nb::arg("most_steps"),
            nb::keep_alive<1, 2>())
        .def(
            "seed",
            [](BestFirstSearch& search, const Array<std::int32_t>& feature,
               const Array<std::uint32_t>& low, const Array<std::uint32_t>& high,
               const Report& progress) {
                require(feature.size() == low.size() && low.size() == high.size(),
                        "each node has codes");
                const TreeNodes tree{vector_of(feature), vector_of(low), vector_of(high)};
                return run_unlocked([&](const Poll& poll) { return search.seed(tree, poll); },
                                    progress);
            },
            nb::arg("feature"), nb::arg("low"), nb::arg("high"), nb::arg("progress").none())
        .def(
            "run",
            [](BestFirstSearch& search, const Report& progress, double most_searched) {
                return static_cast<int>(run_unlocked(
                    [&](const Poll& poll) { return search.run(poll, most_searched); }, progress));
            },
            nb::arg("progress").none(), nb::arg("most_searched"))
        .def("is_shallow", &BestFirstSearch::is_shallow)
        .def("found", &found_of);

    // The next derivation: how the search for it ended, its nodes (none: there is no other), its
    // value, and the bound on those that were not given out.
    nb::class_<Ranking>(m, "Ranking",
                     "The derivations from the best on; see `slp.engines.search.compiled`.")
        .def(nb::init<BestFirstSearch&, bool, std::uint64_t>(), nb::arg("search"), nb::arg("known"),
             nb::arg("most_steps"), nb::keep_alive<1, 2>())
        .def(
            "next",
            [](Ranking& ranking, const Report& progress) {
                const Status status =
                    run_unlocked([&](const Poll& poll) { return ranking.next(poll); }, progress);
                TreeNodes tree = ranking.tree();
                return tuple_of(static_cast<int>(status), to_numpy(std::move(tree.feature)),
                                      to_numpy(std::move(tree.low)), to_numpy(std::move(tree.high)),
                                      ranking.value(), ranking.bound(), ranking.steps());
            },
            nb::arg("progress").none());
}
