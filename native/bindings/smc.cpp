// The particle filter for Python: islands that are never changed, runs of steps without the
// interpreter lock. Called by slp.engines.smc through slp.kernels.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "budget.hpp"
#include "exact/engine.hpp"
#include "samplers.hpp"
#include "smc/resampling.hpp"
#include "smc/sampler.hpp"

namespace nb = nanobind;
using namespace slp;
using namespace slp::smc;

namespace {

// The names of proposal, order and scheme are those of slp.engines.smc, as numbers.
FilterPlan plan_of(std::uint32_t n, std::uint32_t kept, const std::vector<int>& how, double ess,
                   double power, std::uint32_t max_leaves, std::uint32_t most_features,
                   std::uint64_t room) {
    FilterPlan out = mcmc::filter_of({n, how, ess});
    out.kept = kept;
    out.power = power;
    out.max_leaves = max_leaves;
    out.most_features = most_features;
    out.room = room;
    return out;
}

// Four numbers for each goal in preorder, as MHState::choices.
auto choices_of(const Island& island, std::size_t particle) {
    require(particle < island.particles.size() && island.particles[particle].whole(),
            "a particle that is whole");
    std::vector<std::int32_t> out;
    for (const mcmc::Taken& t : island.choices(island.particles[particle])) {
        out.insert(out.end(), {t.rule, t.feature, static_cast<std::int32_t>(t.cut.number()),
                               static_cast<std::int32_t>(t.cut.rest())});
    }
    return to_numpy(std::move(out));
}

// The particles that are whole, by number.
auto whole_of(const Island& island) {
    std::vector<std::int64_t> out;
    for (std::size_t i = 0; i < island.particles.size(); ++i) {
        if (island.particles[i].whole()) {
            out.push_back(static_cast<std::int64_t>(i));
        }
    }
    return to_numpy(std::move(out));
}

auto log_weights_of(const Island& island) {
    std::vector<double> out;
    for (const Particle& particle : island.particles) {
        out.push_back(particle.log_weight);
    }
    return to_numpy(std::move(out));
}

// Six numbers for each event (the one before it, or -1; goal; rule, feature and codes), and the
// last event of each particle, or -1.
auto dump(const Island& given) {
    Island island = given;
    island.forget_events();
    std::vector<std::int64_t> events, last;
    const auto number = [](std::uint32_t event) {
        return event == kNone ? -1 : static_cast<std::int64_t>(event);
    };
    for (const Event& event : island.events) {
        const mcmc::Taken& t = event.taken;
        events.insert(events.end(),
                      {number(event.before), event.goal, t.rule, t.feature, t.cut.number(),
                       t.cut.rest()});
    }
    for (const Particle& particle : island.particles) {
        last.push_back(number(particle.last));
    }
    return tuple_of(to_numpy(std::move(events)), to_numpy(std::move(last)));
}

// The island that `dump` wrote down, or None.
std::optional<Island> restore(FilterSampler& sampler, const Array<std::int64_t>& events,
                   const Array<std::int64_t>& last, const Array<double>& log_weights) {
    require(last.size() == log_weights.size(), "a weight for each particle");
    std::vector<Event> made;
    for (std::size_t i = 0; i + 5 < events.size(); i += 6) {
        const std::int64_t* at = events.data() + i;
        made.push_back({static_cast<std::uint32_t>(at[0]),
                        static_cast<std::uint32_t>(at[1]),
                        {static_cast<std::int32_t>(at[2]), static_cast<std::int32_t>(at[3]),
                         Cut::written(static_cast<std::uint32_t>(at[4]),
                                      static_cast<std::uint32_t>(at[5]))}});
    }
    std::vector<std::uint32_t> heads;
    for (std::size_t i = 0; i < last.size(); ++i) {
        heads.push_back(static_cast<std::uint32_t>(last.data()[i]));
    }
    Island out;
    const bool found = without_lock(
        [&] { return sampler.restore(std::move(made), heads, span_of(log_weights), out); });
    return found ? std::optional(std::move(out)) : std::nullopt;
}

// The island after at most n steps (None where the memory does not suffice), and how often
// particles grew and failed.
auto advance(FilterSampler& sampler, const Island& island, const mcmc::Seeds& seeds,
                  std::uint64_t n) {
    mcmc::SeededRandomness random = mcmc::randomness_of(seeds);
    Tally tally{};
    Island out;
    const bool fits = without_lock([&] {
        try {
            out = sampler.advance(island, random, n, tally);
            return true;
        } catch (const OutOfBudget&) {
            return false;
        }
    });
    return tuple_of(fits ? std::optional(std::move(out)) : std::nullopt,
                    std::vector<std::uint64_t>(tally.begin(), tally.end()));
}

// All steps, in which a script stands in for randomness; what it took and could have taken.
auto scripted(FilterSampler& sampler, const Island& island,
                   std::vector<std::uint32_t> script) {
    mcmc::ScriptedRandomness random(std::move(script));
    Tally tally{};
    Island out = sampler.advance(island, random, UINT64_MAX, tally);
    return tuple_of(std::move(out), random.taken(), random.probabilities());
}

}  // namespace

void bind_smc(nb::module_& m) {
    m.attr("CONSTANTS")["least_share"] = kLeastShare;
    nb::class_<Island>(m, "SMCIsland",
                     "Particles; never changed.")
        .def("choices", &choices_of, nb::arg("particle"))
        .def("whole", &whole_of)
        .def("log_weights", &log_weights_of)
        .def("dump", &dump)
        .def_prop_ro("done", &Island::done);
    nb::class_<FilterSampler>(m, "SMCSampler",
                     "Particle filters over the trees of a problem whose leaves are not counted.\n\n"
                     "`how`: proposal, order and scheme, by their places in `slp.engines.smc`. `ess`: share of\n"
                     "the n particles below which they are drawn anew. `room`: bytes of all islands together.")
        .def(
            "__init__",
            [](FilterSampler* self, const exact::Engine& engine, std::uint32_t n,
               std::uint32_t kept, const std::vector<int>& how, double ess, double power,
               std::uint32_t max_leaves, std::uint32_t most_features, std::uint64_t room) {
                require(!engine.problem().counted(), "leaves are not counted");
                new (self)
                    FilterSampler(engine.problem(), engine.geometry(),
                                  plan_of(n, kept, how, ess, power, max_leaves, most_features,
                                          room));
            },
            nb::arg("engine"), nb::arg("n"), nb::arg("kept"), nb::arg("how"), nb::arg("ess"),
            nb::arg("power"), nb::arg("max_leaves"), nb::arg("most_features"), nb::arg("room"),
            nb::keep_alive<1, 2>())
        .def("start",
             [](FilterSampler& sampler) { return without_lock([&] { return sampler.start(); }); })
        .def("advance", &advance, nb::arg("island"), nb::arg("seeds").noconvert(), nb::arg("n"))
        .def("scripted", &scripted, nb::arg("island"), nb::arg("script"))
        .def("restore", &restore, nb::arg("events").noconvert(), nb::arg("last").noconvert(),
             nb::arg("log_weights").noconvert());
}
