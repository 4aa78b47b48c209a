// Soft trees for Python: chains that are never changed, runs of steps without the interpreter lock.
// Called by slp.engines.rjhmc.

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "rjhmc/sampler.hpp"
#include "samplers.hpp"

namespace nb = nanobind;
using namespace slp;
using namespace slp::rjhmc;

namespace {

// Replaces the distinct rows by those of each class in turn. `counts`: class by class, how many
// rows of it each distinct row stands for.
void sort_by_class(Data& data, const std::vector<double>& counts) {
    const std::size_t n = data.n;
    const std::vector<double> values = std::exchange(data.values, {});
    std::vector<std::size_t> rows;
    for (std::size_t at = 0; at < counts.size(); ++at) {
        if (at % n == 0) {
            data.first_of_class.push_back(rows.size());
        }
        if (counts[at] > 0) {
            rows.push_back(at % n);
            data.responses.push_back(counts[at]);
        }
    }
    data.n = rows.size();
    data.first_of_class.push_back(data.n);
    for (std::size_t f = 0; f < data.d; ++f) {
        for (const std::size_t i : rows) {
            data.values.push_back(values[f * n + i]);
        }
    }
}

// responses: of classes, how many rows of each class a distinct row stands for, class by class; of
// numbers, how many rows, then the mean of their responses.
// numbers: mean and standard deviation of mu, shape and scale of sigma^2, and the sum of squares of
// all responses about the means of their distinct rows. Empty for classes.
Data data_of(const Problem& problem, const Array<double>& values, const Array<double>& responses,
             const Array<double>& concentration, const Array<double>& numbers,
             const Array<double>& delta, const std::vector<double>& widths, bool likelihood) {
    Data out;
    out.log_h_mean = std::log(widths[0]);
    out.log_h_sd = widths[2];
    out.n = problem.table.n_rows;
    out.d = problem.table.features.size();
    out.values = vector_of(values);
    out.concentration = vector_of(concentration);
    out.delta = vector_of(delta);
    out.likelihood = likelihood;
    require(out.values.size() == out.n * out.d, "each row has a value of each feature");
    require(out.delta.empty() || out.delta.size() == out.d, "each feature has a concentration");
    const std::size_t columns = out.classes() ? out.concentration.size() : 2;
    require(responses.size() == out.n * columns, "each row has its responses");
    if (out.classes()) {
        sort_by_class(out, vector_of(responses));
    } else {
        out.responses = vector_of(responses);
        require(numbers.size() == 5, "numbers have five hyperparameters");
        const double* const of = numbers.data();
        out.mu_mean = of[0];
        out.mu_sd = of[1];
        out.shape = of[2];
        out.scale = of[3];
        out.within = of[4];
        for (std::size_t i = 0; i < out.n; ++i) {
            out.n_rows += out.responses[i];
        }
    }
    return out;
}

// A tree from the features of its nodes in preorder (-1 for a leaf, d in HMC-DFI) and its
// parameters. Its states follow from the start.
SoftTree tree_of(const SoftTreeSampler& sampler, const Array<std::int32_t>& features,
                 const Array<double>& q) {
    SoftTree out;
    const Data& data = sampler.data();
    const auto d = static_cast<std::int32_t>(data.d);
    std::vector<std::size_t> open;
    for (const std::int32_t feature : span_of(features)) {
        require(feature >= -1 && feature <= d && (feature < d || data.soft_index()),
                "a node has a feature");
        require(out.nodes.empty() || !open.empty(), "nodes are in preorder");
        const std::size_t v = out.nodes.size();
        if (!open.empty()) {
            SoftNode& parent = out.nodes[open.back()];
            if (v > open.back() + 1) {
                parent.right = static_cast<std::int32_t>(v);
                open.pop_back();
            }
        }
        out.nodes.push_back({-1, sampler.prior().start(), -1});
        if (feature >= 0) {
            out.nodes[v].right = 0;
            out.nodes[v].feature = data.soft_index() ? -1 : feature;
            open.push_back(v);
        }
    }
    require(open.empty() && !out.nodes.empty(), "nodes are in preorder");
    out.q = vector_of(q);
    require(out.q.size() == data.dimension(out.n_inner()), "a tree has its parameters");
    return out;
}

SoftTree labelled(const SoftTreeSampler& sampler, const Array<std::int32_t>& features,
                  const Array<double>& q) {
    SoftTree out = tree_of(sampler, features, q);
    const bool fits = without_lock([&] { return sampler.prior().relabel(out.nodes, 0); });
    require(fits, "the program has the tree");
    return out;
}

auto features_of(const Chain& chain, const SoftTreeSampler& sampler) {
    std::vector<std::int32_t> out;
    const auto d = static_cast<std::int32_t>(sampler.data().d);
    for (const SoftNode& node : chain.tree.nodes) {
        out.push_back(node.leaf() ? -1 : sampler.data().soft_index() ? d : node.feature);
    }
    return to_numpy(std::move(out));
}

// All numbers of what a chain has learned.
template <typename Each>
void each_number(Tuning& tuning, const Each& each) {
    for (std::size_t s = 0; s < Tuning::kSizes; ++s) {
        StepSize& step = tuning.steps[s];
        for (double* const x :
             {&step.log_step, &step.averaged, &step.centre, &step.error, &step.count}) {
            each(*x);
        }
        for (std::size_t k = 0; k < Tuning::kKinds; ++k) {
            each(tuning.squares[s][k]);
            each(tuning.counts[s][k]);
            each(tuning.variance[s][k]);
        }
    }
}

auto tuning_of(const Chain& chain) {
    Tuning own = chain.tuning;
    std::vector<double> out{static_cast<double>(own.made), static_cast<double>(own.window_end)};
    each_number(own, [&](double x) { out.push_back(x); });
    return to_numpy(std::move(out));
}

Chain restore(const SoftTreeSampler& sampler, const Array<std::int32_t>& features,
              const Array<double>& q, const Array<double>& tuning) {
    Chain out;
    out.tree = labelled(sampler, features, q);
    std::size_t n = 2;
    each_number(out.tuning, [&](double&) { ++n; });
    require(tuning.size() == n, "what was learned has its numbers");
    const double* at = tuning.data();
    out.tuning.made = static_cast<std::uint64_t>(*at++);
    out.tuning.window_end = static_cast<std::uint64_t>(*at++);
    each_number(out.tuning, [&](double& x) { x = *at++; });
    return out;
}

// The chain after n steps, and the counts of `Tally` in its order.
auto advance(SoftTreeSampler& sampler, const Chain& chain, const mcmc::Seeds& seeds,
                  std::uint64_t n, bool warm_up, bool jumps) {
    Random random = mcmc::randomness_of(seeds);
    Tally tally;
    Chain out =
        without_lock([&] { return sampler.advance(chain, random, n, warm_up, jumps, tally); });
    std::vector<std::uint64_t> counts;
    for (const auto& own : tally.jumps) {
        counts.insert(counts.end(), own.begin(), own.end());
    }
    counts.insert(counts.end(), {tally.features_accepted, tally.features_tried, tally.trajectories,
                                 tally.divergent, tally.gradients});
    return tuple_of(std::move(out), counts);
}

using Target = nb::typed<nb::callable, std::pair<double, std::vector<double>>(
                                           decltype(to_numpy(std::vector<double>())))>;

// Transitions of `Hamiltonian` on a target of Python, target(q) -> (log density, gradient): the
// draws one after the other, and of each transition its acceptance and its steps.
auto trajectories(const Target& target, const Array<double>& q, double step,
                       const Array<double>& variance, int leapfrogs, std::size_t n,
                       const mcmc::Seeds& seeds) {
    require(q.size() == variance.size(), "each coordinate has a variance");
    const auto call = [&](std::span<const double> at, std::span<double> gradient) {
        const auto found = nb::cast<std::pair<double, std::vector<double>>>(
            target(to_numpy(std::vector<double>(at.begin(), at.end()))));
        require(found.second.size() == gradient.size(), "each coordinate has a derivative");
        std::copy(found.second.begin(), found.second.end(), gradient.begin());
        return found.first;
    };
    Random random = mcmc::randomness_of(seeds);
    Hamiltonian dynamics;
    Position at{vector_of(q), Vector(q.size()), 0.0};
    at.log_density = call(at.q, at.gradient);
    Vector draws, acceptance, steps;
    for (std::size_t i = 0; i < n; ++i) {
        const Moved moved =
            leapfrogs == 0
                ? dynamics.no_u_turn(at, step, span_of(variance), random, call)
                : dynamics.plain(at, step, span_of(variance), leapfrogs, random, call);
        draws.insert(draws.end(), at.q.begin(), at.q.end());
        acceptance.push_back(moved.acceptance);
        steps.push_back(static_cast<double>(moved.steps));
    }
    return tuple_of(to_numpy(std::move(draws), {n, q.size()}),
                          to_numpy(std::move(acceptance)), to_numpy(std::move(steps)));
}

}  // namespace

void bind_rjhmc(nb::module_& m) {
    m.attr("CONSTANTS")["most_soft_leaves"] = kMostLeaves;
    m.def("trajectories", &trajectories, nb::arg("target"), nb::arg("q").noconvert(),
          nb::arg("step"), nb::arg("variance").noconvert(), nb::arg("leapfrogs"), nb::arg("n"),
          nb::arg("seeds").noconvert());
    nb::class_<Chain>(m, "SoftChain",
                     "A chain over soft trees.")
        .def("features", &features_of, nb::arg("sampler"))
        .def("parameters",
             [](const Chain& chain) { return to_numpy(std::vector<double>(chain.tree.q)); })
        .def("tuning", &tuning_of);
    nb::class_<SoftTreeSampler>(m, "SoftSampler",
                     "What chains over soft trees share; `slp.engines.rjhmc.core_sampler` makes it.")
        .def(
            "__init__",
            [](SoftTreeSampler* self, const Problem& problem, const Array<double>& values,
               const Array<double>& responses, const Array<double>& concentration,
               const Array<double>& numbers, const Array<double>& delta, bool likelihood,
               const std::vector<double>& widths, const std::vector<std::uint32_t>& lengths,
               bool informed, bool published) {
                require(widths.size() == 3 && lengths.size() == 4,
                        "h, first h, sd of log h; lengths");
                new (self) SoftTreeSampler(problem,
                                           data_of(problem, values, responses, concentration,
                                                   numbers, delta, widths, likelihood),
                                           SoftTreePlan{widths[0], widths[1], lengths[0],
                                                        lengths[1], lengths[2], informed,
                                                        published},
                                           lengths[3]);
            },
            nb::arg("problem"), nb::arg("values"), nb::arg("responses"), nb::arg("concentration"),
            nb::arg("numbers"), nb::arg("delta"), nb::arg("likelihood"), nb::arg("widths"),
            nb::arg("lengths"), nb::arg("informed"),
            nb::arg("published"), nb::keep_alive<1, 2>())
        .def("start",
             [](SoftTreeSampler& sampler, const mcmc::Seeds& seeds) {
                 Random random = mcmc::randomness_of(seeds);
                 return without_lock([&] { return sampler.start(random); });
             },
             nb::arg("seeds").noconvert())
        .def("advance", &advance, nb::arg("chain"), nb::arg("seeds").noconvert(), nb::arg("n"),
             nb::arg("warm_up"), nb::arg("jumps"))
        .def("restore", &restore, nb::arg("features").noconvert(), nb::arg("q").noconvert(),
             nb::arg("tuning").noconvert())
        // Log weight of topology and features, log prior density of the parameters, log likelihood.
        .def("score",
             [](SoftTreeSampler& sampler, const Array<std::int32_t>& features,
                const Array<double>& q) {
                 const SoftTree tree = labelled(sampler, features, q);
                 const auto found = without_lock([&] { return sampler.score(tree); });
                 return std::vector<double>(found.begin(), found.end());
             },
             nb::arg("features").noconvert(), nb::arg("q").noconvert())
        // Log density of unconstrained parameters, and its gradient.
        .def("density",
             [](SoftTreeSampler& sampler, const Array<std::int32_t>& features,
                const Array<double>& q) {
                 const SoftTree tree = tree_of(sampler, features, q);
                 std::vector<double> gradient(tree.q.size());
                 const double value =
                     without_lock([&] { return sampler.log_density(tree, gradient); });
                 return tuple_of(value, to_numpy(std::move(gradient)));
             },
             nb::arg("features").noconvert(), nb::arg("q").noconvert());
}
