// Metropolis-Hastings over edits of a given tree for Python. Called by slp.engines.mcmc through
// slp.kernels.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "exact/engine.hpp"
#include "mcmc/edit_sampler.hpp"
#include "samplers.hpp"

namespace nb = nanobind;
using namespace slp;
using namespace slp::mcmc;

namespace {

// Three numbers for each edit: kind, place, position of its split (-1 when pruning).
auto edits_of(const EditState& state, EditSampler& sampler) {
    std::vector<std::int32_t> out;
    for (const auto& edit : sampler.write(state.edits)) {
        out.insert(out.end(), {edit.kind, edit.place, edit.split});
    }
    return to_numpy(std::move(out));
}

// Three numbers for each node of the last tree in preorder: feature (-1: a leaf), and the codes
// that are neighbours.
auto preorder_of(const EditState& state) {
    std::vector<std::int32_t> out;
    for (const ProofNode& node : state.edits.tree().proof.nodes) {
        const Taken& t = node.taken;
        out.insert(out.end(), {t.feature, static_cast<std::int32_t>(t.cut.number()),
                               static_cast<std::int32_t>(t.cut.rest())});
    }
    return to_numpy(std::move(out));
}

std::optional<EditState> restore_edits(EditSampler& sampler, const Array<std::int32_t>& edits,
                         std::vector<std::uint32_t> turns) {
    std::vector<EditTransitions::Written> all;
    for (std::size_t i = 0; i + 2 < edits.size(); i += 3) {
        all.push_back({edits.data()[i], edits.data()[i + 1], edits.data()[i + 2]});
    }
    EditState out;
    const bool made = without_lock([&] { return sampler.restore(all, std::move(turns), out); });
    return made ? std::optional(std::move(out)) : std::nullopt;
}

// A state of a sequence in the support, or None if this try of the search finds none.
std::optional<EditState> start_edits(EditSampler& sampler, const Seeds& seeds,
                                     std::uint32_t number) {
    SeededRandomness random = randomness_of(seeds);
    EditState out;
    const bool made = without_lock([&] { return sampler.start(random, number, out); });
    return made ? std::optional(std::move(out)) : std::nullopt;
}

auto advance_edits(EditSampler& sampler, const EditState& state, const Seeds& seeds,
                        double power, std::uint64_t n) {
    SeededRandomness random = randomness_of(seeds);
    Tally tally;
    EditState out = without_lock([&] { return sampler.advance(state, random, power, n, tally); });
    return tuple_of(std::move(out), to_numpy(flat<std::uint64_t>(tally)));
}

// One transition in which a script stands in for randomness; what it took and could have taken.
auto scripted_edits(EditSampler& sampler, const EditState& state,
                         std::vector<std::uint32_t> script, double power) {
    ScriptedRandomness random(std::move(script));
    Tally tally;
    EditState out = sampler.advance(state, random, power, 1, tally);
    return tuple_of(std::move(out), random.taken(), random.probabilities());
}

auto scan_edits(EditSampler& sampler, const Ladder<EditState>& ladder,
                     const Array<double>& powers, const Array<double>& centres,
                     const Seeds& seeds, std::uint64_t n_scans, std::uint32_t n_steps,
                     std::uint32_t tries, std::size_t threads) {
    const ScanPlan plan = plan_of(ladder, powers, centres, n_scans, n_steps, tries, threads);
    return after_scans(ladder, seeds, [&](auto& out, const auto& randoms) {
        return sampler.scan(out, plan, randoms);
    });
}

using Given = std::vector<std::pair<std::int32_t, double>>;

void make_edit_sampler(EditSampler* self, const exact::Engine& engine, const Given& given,
                       double p, int measure, std::uint32_t max_depth, std::uint32_t most_edits,
                       bool constrained, std::uint32_t max_leaves, std::uint32_t most_features,
                       const Monotones& monotone, const Mixture& mixture) {
    EditProcess process{p, {static_cast<Measure>(measure), max_depth}, most_edits, {}};
    for (const auto& [feature, threshold] : given) {
        process.given.push_back({feature, threshold});
    }
    new (self) EditSampler(engine.problem(), engine.geometry(), std::move(process),
                           tests_of(max_leaves, most_features, monotone), constrained,
                           mixture_of(mixture));
}

}  // namespace

void bind_edits(nb::module_& m) {
    m.attr("CONSTANTS")["edit_tries"] = EditTransitions::kTries;
    nb::class_<EditState>(m, "EditState",
                     "A sequence of edits and the turns of the proposals; never changed.")
        .def("edits", &edits_of, nb::arg("sampler"))
        .def("preorder", &preorder_of)
        .def(
            "leaf_statistics",
            [](const EditState& state, const EditSampler& sampler) {
                return to_numpy(
                    leaf_statistics_of(state.edits.tree().proof, sampler.problem()));
            },
            nb::arg("sampler"))
        .def_ro("turns", &EditState::turns)
        .def_prop_ro("n_points", [](const EditState& s) { return s.edits.n_points; })
        .def_prop_ro("log_draw", [](const EditState& s) { return s.edits.log_draw; })
        .def_prop_ro("log_likelihood", [](const EditState& s) {
            return s.edits.tree().proof.all().log_likelihood;
        });
    bind_ladder<EditState>(m, "EditLadder");
    nb::class_<EditSampler>(m, "EditSampler",
                     "Metropolis-Hastings over sequences of edits of a given tree: its nodes in preorder, each a\n"
                     "feature (-1: a leaf) and a threshold or the code of a level. `constrained`: whether the last\n"
                     "tree must have a derivation in the problem's grammar.")
        .def("__init__", &make_edit_sampler, nb::arg("engine"), nb::arg("given"), nb::arg("p"),
             nb::arg("measure"), nb::arg("max_depth"), nb::arg("most_edits"),
             nb::arg("constrained"), nb::arg("max_leaves"), nb::arg("most_features"),
             nb::arg("monotone"), nb::arg("mixture"), nb::keep_alive<1, 2>())
        .def("advance", &advance_edits, nb::arg("state"), nb::arg("seeds").noconvert(),
             nb::arg("power"), nb::arg("n"))
        .def("scripted", &scripted_edits, nb::arg("state"), nb::arg("script"), nb::arg("power"))
        .def("scan", &scan_edits, nb::arg("ladder"), nb::arg("powers").noconvert(),
             nb::arg("centres").noconvert(), nb::arg("seeds").noconvert(), nb::arg("n_scans"),
             nb::arg("n_steps"), nb::arg("tries"), nb::arg("threads"))
        .def_prop_ro("tries", [](const EditSampler&) { return EditTransitions::kEnd; })
        .def("start", &start_edits, nb::arg("seeds").noconvert(), nb::arg("number"))
        .def("holds", &EditSampler::holds, nb::arg("state"))
        .def("restore", &restore_edits, nb::arg("edits").noconvert(), nb::arg("turns"))
        .def("free_buffers", &free_buffers<EditSampler>);
}
