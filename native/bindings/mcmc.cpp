// Metropolis-Hastings over proof trees for Python: states that are never changed, runs of
// transitions without the interpreter lock. Called by slp.engines.mcmc through slp.kernels.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "exact/engine.hpp"
#include "mcmc/sampler.hpp"
#include "mcmc/tree_weights.hpp"
#include "samplers.hpp"

namespace nb = nanobind;
using namespace slp;
using namespace slp::mcmc;

namespace {

// Four numbers for each goal in preorder: rule, feature (or -1, -2), and the codes that are
// neighbours.
auto choices_of(const State& state) {
    std::vector<std::int32_t> out;
    for (const ProofNode& node : state.proof.nodes) {
        const Taken& t = node.taken;
        out.insert(out.end(), {t.rule, t.feature, static_cast<std::int32_t>(t.cut.number()),
                               static_cast<std::int32_t>(t.cut.rest())});
    }
    return to_numpy(std::move(out));
}

// Feature weights, or None: those of the grammar.
using Weights = std::optional<Array<double>>;

std::span<const double> weights_of(const ProofSampler& sampler, const Weights& weights) {
    if (!weights) {
        return {};
    }
    const std::span<const double> own = span_of(*weights);
    require(own.size() == sampler.problem().table.features.size() &&
                std::ranges::all_of(own, [](double weight) { return weight > 0; }),
            "each feature has a weight above 0");
    return own;
}

// The state that these choices make, or None.
std::optional<State> restore(ProofSampler& sampler, const Array<std::int32_t>& choices,
                   std::vector<std::uint32_t> turns, const Weights& weights) {
    const std::span<const double> own = weights_of(sampler, weights);
    std::vector<Taken> taken;
    for (std::size_t i = 0; i + 3 < choices.size(); i += 4) {
        const std::int32_t* at = choices.data() + i;
        taken.push_back(
            {at[0], at[1],
             Cut::written(static_cast<std::uint32_t>(at[2]), static_cast<std::uint32_t>(at[3]))});
    }
    State out;
    const bool made =
        without_lock([&] { return sampler.restore(taken, std::move(turns), out, own); });
    return made ? std::optional(std::move(out)) : std::nullopt;
}

// A tree as a state, whatever rules derive it: three numbers for each node in preorder, the feature
// (-1: a leaf) and the codes that are neighbours.
std::optional<State> tree(ProofSampler& sampler, const Matrix<std::int32_t>& nodes) {
    require(nodes.shape(1) == 3, "a node has three numbers");
    std::vector<Taken> taken;
    for (std::size_t i = 0; i < nodes.size(); i += 3) {
        const std::int32_t* at = nodes.data() + i;
        taken.push_back(
            {-1, at[0],
             Cut::written(static_cast<std::uint32_t>(at[1]), static_cast<std::uint32_t>(at[2]))});
    }
    State out;
    const bool made = without_lock([&] { return sampler.tree(taken, out.proof); });
    return made ? std::optional(std::move(out)) : std::nullopt;
}

// Whether a tree, given as a state, may be gone to; or None.
using Asked = nb::typed<nb::object, nb::typed<nb::callable, bool(State)>>;

// A function of Python as a condition on finished trees: it is given the tree as a state. Its
// exceptions are raised by the calling function.
Predicate predicate_of(const Asked& function) {
    if (function.is_none()) {
        return kNoPredicate;
    }
    return [&function](const Proof& proof) {
        return with_lock([&] { return nb::cast<bool>(function(nb::cast(State{proof, {}}))); });
    };
}

// A state to start from (or None), and how many of the proofs drawn came to no dead end.
auto start(ProofSampler& sampler, const Seeds& seeds, std::uint32_t tries,
                const Asked& function, const Weights& weights) {
    const std::span<const double> own = weights_of(sampler, weights);
    SeededRandomness random = randomness_of(seeds);
    const Predicate predicate = predicate_of(function);
    Start found = without_lock([&] { return sampler.start(random, tries, predicate, own); });
    return tuple_of(found.found ? std::optional(std::move(found.state)) : std::nullopt,
                    found.derived);
}

// The state after n transitions; counts of the outcomes of each proposal, one after the other.
auto advance(ProofSampler& sampler, const State& state, const Seeds& seeds, double power,
                  std::uint64_t n, const Asked& function, const Weights& weights) {
    const std::span<const double> own = weights_of(sampler, weights);
    SeededRandomness random = randomness_of(seeds);
    const Predicate predicate = predicate_of(function);
    Tally tally;
    State out = without_lock(
        [&] { return sampler.advance(state, random, power, n, tally, predicate, own); });
    return tuple_of(std::move(out), to_numpy(flat<std::uint64_t>(tally)));
}

// For each goal that splits, in preorder, and each feature: whether the measure of its rule is taken
// over a split on it.
auto taken_over(ProofSampler& sampler, const State& state) {
    const std::size_t d = sampler.problem().table.features.size();
    std::vector<std::uint8_t> out = without_lock([&] { return sampler.taken_over(state.proof); });
    const std::size_t n = out.size() / std::max<std::size_t>(d, 1);
    return to_numpy(std::move(out), {n, d});
}

// One transition in which a script stands in for randomness; what it took and could have taken.
auto scripted(ProofSampler& sampler, const State& state, std::vector<std::uint32_t> script,
                   double power, const Asked& function) {
    ScriptedRandomness random(std::move(script));
    Tally tally;
    State out = sampler.advance(state, random, power, 1, tally, predicate_of(function));
    return tuple_of(std::move(out), random.taken(), random.probabilities());
}

auto scan(ProofSampler& sampler, const Ladder<State>& ladder, const Array<double>& powers,
               const Array<double>& centres, const Seeds& seeds, std::uint64_t n_scans,
               std::uint32_t n_steps, std::uint32_t tries, std::size_t threads,
               const Asked& function) {
    const ScanPlan plan = plan_of(ladder, powers, centres, n_scans, n_steps, tries, threads);
    const Predicate predicate = predicate_of(function);
    return after_scans(ladder, seeds, [&](auto& out, const auto& randoms) {
        return sampler.scan(out, plan, randoms, predicate);
    });
}

auto scripted_scan(ProofSampler& sampler, const Ladder<State>& ladder,
                        const Array<double>& powers, std::vector<std::uint32_t> script,
                        std::uint32_t n_steps, std::uint32_t tries, const Asked& function) {
    const ScanPlan plan{vector_of(powers), std::vector<double>(powers.size() - 1), 1, n_steps,
                        tries, 1};
    const Predicate predicate = predicate_of(function);
    return after_scripted_scan(ladder, std::move(script), [&](auto& out, const auto& randoms) {
        return sampler.scan(out, plan, randoms, predicate);
    });
}

// Log weights of trees, their nodes (feature, low, high) one below the other.
auto log_weights(TreeScorer& scorer, const Matrix<std::int32_t>& nodes,
                 const Array<std::int64_t>& starts, std::size_t threads,
                 const nb::typed<nb::callable, bool()>& go_on) {
    require(nodes.shape(1) == 3, "a node has three numbers");
    const std::vector<std::int64_t> begins = vector_of(starts);
    require(!begins.empty() && begins.front() == 0 && std::ranges::is_sorted(begins) &&
                begins.back() == static_cast<std::int64_t>(nodes.shape(0)),
            "the trees are one below the other");
    std::vector<TreeNode> trees;
    for (std::size_t i = 0; i < nodes.size(); i += 3) {
        const std::int32_t* at = nodes.data() + i;
        trees.push_back({at[0], at[1], at[2]});
    }
    const auto ask = [&] {
        return with_lock([&] { return nb::cast<bool>(go_on()); });
    };
    return to_numpy(
        without_lock([&] { return scorer.log_weights(trees, begins, threads, ask); }));
}

}  // namespace

void bind_mcmc(nb::module_& m) {
    const nb::object constants = m.attr("CONSTANTS");
    constants["same_prediction"] = kSamePrediction;
    // By the names of slp.engines.shared.proposal_names; `q_seq(K)` is the kind behind `q_seq`.
    const std::pair<const char*, ProposalKind> kinds[] = {
        {"q_ind", ProposalKind::cut_at_root},
        {"q_uc", ProposalKind::cut_uniformly},
        {"q_n", ProposalKind::cut_at_each},
        {"q_seq", ProposalKind::cut_sequence_uniformly},
        {"q_seq(K)", ProposalKind::cut_sequence_at_each},
        {"q_exact", ProposalKind::exact_subtree},
        {"q_pg", ProposalKind::particle_gibbs},
        {"cgm", ProposalKind::cgm},
        {"wu", ProposalKind::wu},
        {"rotate", ProposalKind::rotate},
        {"perturb", ProposalKind::perturb},
        {"informed", ProposalKind::informed},
        {"twig", ProposalKind::twig},
    };
    for (const auto& [name, kind] : kinds) constants[name] = static_cast<int>(kind);
    nb::class_<State>(m, "MHState",
                     "A proof and the turns of the proposals; never changed.")
        .def("choices", &choices_of)
        .def(
            "leaf_statistics",
            [](const State& state, const ProofSampler& sampler) {
                return to_numpy(leaf_statistics_of(state.proof, sampler.problem()));
            },
            nb::arg("sampler"))
        .def_ro("turns", &State::turns)
        .def_prop_ro("n_points", [](const State& s) { return s.proof.all().n_points; })
        .def_prop_ro("n_leaves", [](const State& s) { return s.proof.all().n_leaves; })
        .def_prop_ro("log_draw", [](const State& s) { return s.proof.all().log_draw; })
        .def_prop_ro("log_excess", [](const State& s) { return s.proof.all().log_excess; })
        .def_prop_ro("log_likelihood",
                     [](const State& s) { return s.proof.all().log_likelihood; });
    bind_ladder<State>(m, "MHLadder");
    nb::class_<ProofSampler>(m, "MHSampler",
                     "Metropolis-Hastings over the proof trees of a problem whose leaves are not counted.\n\n"
                     "`mixture`: of each proposal its kind (`CONSTANTS`), weight, period and filter.\n"
                     "`most_boxes`: what fits under q_exact. `predicate` is asked of each tree that would be\n"
                     "gone to; states that it refuses are not. `weights`: of features, in the place of the\n"
                     "grammar's, for all proposals but q_exact and q_pg.")
        .def(
            "__init__",
            [](ProofSampler* self, const exact::Engine& engine, std::uint32_t max_leaves,
               std::uint32_t most_features, const Monotones& monotone, const Mixture& mixture,
               double most_boxes) {
                new (self) ProofSampler(engine.problem(), engine.geometry(),
                                        tests_of(max_leaves, most_features, monotone),
                                        mixture_of(mixture), most_boxes);
            },
            nb::arg("engine"), nb::arg("max_leaves"), nb::arg("most_features"),
            nb::arg("monotone"), nb::arg("mixture"), nb::arg("most_boxes"),
            nb::keep_alive<1, 2>())
        .def("start", &start, nb::arg("seeds").noconvert(), nb::arg("tries"),
             nb::arg("predicate").none() = nb::none(), nb::arg("weights").none() = nb::none())
        .def("advance", &advance, nb::arg("state"), nb::arg("seeds").noconvert(),
             nb::arg("power"), nb::arg("n"), nb::arg("predicate").none() = nb::none(),
             nb::arg("weights").none() = nb::none())
        .def("taken_over", &taken_over, nb::arg("state"))
        .def("scripted", &scripted, nb::arg("state"), nb::arg("script"), nb::arg("power"),
             nb::arg("predicate").none() = nb::none())
        .def("scan", &scan, nb::arg("ladder"), nb::arg("powers").noconvert(),
             nb::arg("centres").noconvert(), nb::arg("seeds").noconvert(), nb::arg("n_scans"),
             nb::arg("n_steps"), nb::arg("tries"), nb::arg("threads"),
             nb::arg("predicate").none() = nb::none())
        .def("scripted_scan", &scripted_scan, nb::arg("ladder"), nb::arg("powers").noconvert(),
             nb::arg("script"), nb::arg("n_steps"), nb::arg("tries"),
             nb::arg("predicate").none() = nb::none())
        .def("root_fits", &ProofSampler::root_fits)
        .def("restore", &restore, nb::arg("choices").noconvert(), nb::arg("turns"),
             nb::arg("weights").none() = nb::none())
        .def("free_buffers", &free_buffers<ProofSampler>)
        .def("tree", &tree, nb::arg("nodes").noconvert())
        .def(
            "holds",
            [](ProofSampler& sampler, const State& state) { return sampler.holds(state.proof); },
            nb::arg("state"));
    nb::class_<TreeScorer>(m, "TreeScorer",
                     "Weighs finished trees: nodes (feature, low, high) of all trees, tree t from starts[t] on.")
        .def(
            "__init__",
            [](TreeScorer* self, const exact::Engine& engine, bool by_partition) {
                require(!engine.problem().counted(), "leaves are not counted");
                new (self) TreeScorer(engine.problem(), engine.geometry(), by_partition);
            },
            nb::arg("engine"), nb::arg("by_partition"), nb::keep_alive<1, 2>())
        .def("log_weights", &log_weights, nb::arg("nodes").noconvert(),
             nb::arg("starts").noconvert(), nb::arg("threads"), nb::arg("go_on"));
}
