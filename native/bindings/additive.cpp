// Sums of trees for Python: sums that are never changed, runs of sweeps without the interpreter lock.
// Called by slp.engines.additive.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "additive/sampler.hpp"
#include "arrays.hpp"
#include "exact/engine.hpp"
#include "samplers.hpp"

namespace nb = nanobind;
using namespace slp;
using namespace slp::additive;

namespace {

// Four numbers for each goal in preorder, tree after tree: rule, feature (or -1, -2), and the codes
// that are neighbours; and how many goals each tree has.
auto choices_of(const TreeSum& sum) {
    std::vector<std::int32_t> out, sizes;
    for (const mcmc::State& tree : sum.trees) {
        for (const mcmc::ProofNode& node : tree.proof.nodes) {
            const mcmc::Taken& t = node.taken;
            out.insert(out.end(), {t.rule, t.feature, static_cast<std::int32_t>(t.cut.number()),
                                   static_cast<std::int32_t>(t.cut.rest())});
        }
        sizes.push_back(static_cast<std::int32_t>(tree.proof.nodes.size()));
    }
    return tuple_of(to_numpy(std::move(out)), to_numpy(std::move(sizes)));
}

// The values of the leaves from left to right, tree after tree.
auto values_of(const TreeSum& sum) {
    std::vector<double> out;
    for (const std::vector<double>& own : sum.values) {
        out.insert(out.end(), own.begin(), own.end());
    }
    return to_numpy(std::move(out));
}

// The sum that these choices and values make, or None.
std::optional<TreeSum> restore(SumSampler& sampler, const Array<std::int32_t>& choices,
                           const Array<std::int32_t>& sizes, const Array<double>& values,
                           double variance, double log_likelihood) {
    std::vector<std::vector<mcmc::Taken>> trees;
    TreeSum out;
    out.variance = variance;
    out.log_likelihood = log_likelihood;
    std::size_t at = 0, value = 0;
    for (const std::int32_t size : span_of(sizes)) {
        std::vector<mcmc::Taken>& tree = trees.emplace_back();
        std::vector<double>& own = out.values.emplace_back();
        for (std::int32_t i = 0; i < size; ++i, at += 4) {
            require(at + 3 < choices.size(), "a goal has four numbers");
            const std::int32_t* const t = choices.data() + at;
            tree.push_back({t[0], t[1],
                            Cut::written(static_cast<std::uint32_t>(t[2]),
                                         static_cast<std::uint32_t>(t[3]))});
            if (t[1] == mcmc::kLeaf) {
                require(value < values.size(), "a leaf has a value");
                own.push_back(values.data()[value++]);
            }
        }
    }
    require(at == choices.size() && value == values.size(), "all numbers are of some tree");
    const bool made = without_lock([&] { return sampler.restore(trees, out); });
    return made ? std::optional(std::move(out)) : std::nullopt;
}

// A sum to start from, or None.
std::optional<TreeSum> start(SumSampler& sampler, const mcmc::Seeds& seeds, std::uint32_t tries) {
    SeededRandomness random = mcmc::randomness_of(seeds);
    auto found = without_lock([&] { return sampler.start(random, tries); });
    return found.first ? std::optional(std::move(found.second)) : std::nullopt;
}

// The sum after n sweeps; counts of the outcomes of each proposal, one after the other.
auto advance(SumSampler& sampler, const TreeSum& sum, const mcmc::Seeds& seeds, std::uint64_t n) {
    SeededRandomness random = mcmc::randomness_of(seeds);
    mcmc::Tally tally;
    TreeSum out = without_lock([&] { return sampler.advance(sum, random, n, tally); });
    return tuple_of(std::move(out), to_numpy(mcmc::flat<std::uint64_t>(tally)));
}

// numbers: offset; variance of a value; of the noise: known (0 or 1), variance, nu, lambda; the sum of
// squares within distinct rows. counts: trees, moves, most leaves, most features.
void make(SumSampler* self, const exact::Engine& engine, const Array<double>& first,
          const Array<double>& second, bool classes, const std::vector<double>& numbers,
          const std::vector<std::uint32_t>& counts, const mcmc::Monotones& rising,
          bool likelihood, const mcmc::Mixture& mixture) {
    require(numbers.size() == 7 && counts.size() == 4, "seven numbers, four counts");
    SumPlan plan;
    plan.trees = counts[0];
    plan.moves = counts[1];
    plan.most_features = counts[3];
    plan.offset = numbers[0];
    plan.leaf_variance = numbers[1];
    plan.known = numbers[2] != 0;
    plan.variance = numbers[3];
    plan.nu = numbers[4];
    plan.lambda = numbers[5];
    plan.likelihood = likelihood;
    plan.rising = rising;
    Responses responses{vector_of(first), vector_of(second), numbers[6], classes};
    new (self) SumSampler(engine.problem(), engine.geometry(), std::move(plan),
                          std::move(responses), counts[2], mcmc::mixture_of(mixture));
}

}  // namespace

void bind_additive(nb::module_& m) {
    nb::class_<TreeSum>(m, "TreeSum",
                     "Trees with the values of their leaves, and a variance; never changed.")
        .def("choices", &choices_of)
        .def("values", &values_of)
        .def_ro("variance", &TreeSum::variance)
        .def_ro("log_likelihood", &TreeSum::log_likelihood);
    nb::class_<SumSampler>(m, "SumSampler",
                     "Backfitting of a sum of trees, on a problem whose leaves are not counted.")
        .def("__init__", &make, nb::arg("engine"), nb::arg("first").noconvert(),
             nb::arg("second").noconvert(), nb::arg("classes"), nb::arg("numbers"),
             nb::arg("counts"), nb::arg("rising"), nb::arg("likelihood"), nb::arg("mixture"),
             nb::keep_alive<1, 2>())
        .def("start", &start, nb::arg("seeds").noconvert(), nb::arg("tries"))
        .def("advance", &advance, nb::arg("state"), nb::arg("seeds").noconvert(), nb::arg("n"))
        .def("restore", &restore, nb::arg("choices").noconvert(), nb::arg("sizes").noconvert(),
             nb::arg("values").noconvert(), nb::arg("variance"), nb::arg("log_likelihood"))
        .def("rows",
             [](const SumSampler& sampler, const TreeSum& sum) {
                 return to_numpy(sampler.rows_of(sum));
             },
             nb::arg("state"))
        .def("free_buffers", &mcmc::free_buffers<SumSampler>);
}
