// Tables for proofs: the hypergraph of a query as arrays, its masses, and what reads them. Called
// by slp.resolution.tables.compiled.

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "polling.hpp"
#include "samplers.hpp"
#include "tables/build.hpp"
#include "tables/forward.hpp"
#include "tables/labelled.hpp"
#include "tables/solved.hpp"

namespace nb = nanobind;
namespace tables = slp::tables;

namespace {

using GraphPointer = std::shared_ptr<const tables::Graph>;

// Work that asks Python ten times a second whether to go on, by `progress(0, 0, 0)`.
template <typename Work>
auto asking(const Work& work, const Report& progress) {
    return run_unlocked(
        [&](const slp::Poll& poll) {
            auto last = std::chrono::steady_clock::now();
            const tables::GoOn go_on = [&, going = true]() mutable {
                const auto now = std::chrono::steady_clock::now();
                if (going && now - last > std::chrono::milliseconds(100)) {
                    last = now;
                    going = poll({});
                }
                return going;
            };
            return work(go_on);
        },
        progress);
}

GraphPointer graph_of(const Array<std::uint8_t>& kinds, const Array<std::int32_t>& target,
                      const Array<double>& label, const Array<double>& proofs,
                      const Array<std::int32_t>& prefix, const Array<std::int32_t>& answer,
                      const Array<bool>& begins) {
    const std::size_t n = target.size();
    require(label.size() == n && proofs.size() == n && prefix.size() == n &&
                answer.size() == n && begins.size() == n,
            "each edge has all its numbers");
    std::vector<tables::VariableKind> own;
    for (const std::uint8_t kind : span_of(kinds)) {
        require(kind <= 2, "a variable is an answer, a prefix or a failure");
        own.push_back(static_cast<tables::VariableKind>(kind));
    }
    const auto size = static_cast<std::int64_t>(own.size());
    std::vector<tables::Hyperedge> edges;
    edges.reserve(n);
    for (std::size_t e = 0; e < n; ++e) {
        const tables::Hyperedge edge{target.data()[e], prefix.data()[e], answer.data()[e],
                                begins.data()[e], label.data()[e],  proofs.data()[e]};
        require(edge.target >= 0 && edge.target < size && edge.prefix >= tables::kNone &&
                    edge.prefix < size && edge.answer >= tables::kNone && edge.answer < size &&
                    (edge.prefix == tables::kNone) == (edge.answer == tables::kNone),
                "edges join variables, with a prefix and an answer or neither");
        edges.push_back(edge);
    }
    return without_lock([&] {
        return std::make_shared<const tables::Graph>(std::move(own), std::move(edges));
    });
}

// Of each variable exponents (n, 3) and mantissas (n, 3) of lower bound, value and upper bound,
// whether the upper bound is known, and whether it is certain that the mass is infinite.
auto bounds(const GraphPointer& graph, bool probabilities, const Report& progress) {
    const std::vector<tables::MassBounds> found = asking(
        [&](const tables::GoOn& go_on) { return tables::bounds_of(*graph, probabilities, go_on); },
        progress);
    std::vector<std::int64_t> exponents;
    std::vector<double> mantissas;
    std::vector<std::uint8_t> known, infinite;
    for (const tables::MassBounds& one : found) {
        for (const tables::Mass& mass : {one.lower, one.value, one.upper}) {
            exponents.push_back(mass.exponent);
            mantissas.push_back(mass.mantissa);
        }
        known.push_back(one.known);
        infinite.push_back(one.infinite);
    }
    return tuple_of(to_numpy(std::move(exponents), {found.size(), 3}),
                    to_numpy(std::move(mantissas), {found.size(), 3}), to_numpy(std::move(known)),
                    to_numpy(std::move(infinite)));
}

// Shares with the graph that they are of.
struct OwnShares {
    GraphPointer graph;
    tables::Shares shares;
};

// `size`: of the hypergraph.
std::vector<tables::Root> roots_of(std::size_t size, const Array<std::int32_t>& variables,
                                   const Array<double>& weights) {
    require(variables.size() == weights.size(), "each root has a weight");
    std::vector<tables::Root> out;
    for (std::size_t k = 0; k < variables.size(); ++k) {
        const std::int32_t v = variables.data()[k];
        require(v >= 0 && static_cast<std::size_t>(v) < size, "roots are variables");
        require(weights.data()[k] >= 0, "weights are not negative");
        out.emplace_back(v, weights.data()[k]);
    }
    return out;
}

using LabelledPointer = std::unique_ptr<tables::Labelled>;

LabelledPointer labelled(const GraphPointer& graph, const Array<std::int32_t>& number,
                         std::size_t n_labels) {
    require(number.size() == graph->edges.size(), "each edge has the number of its label");
    const auto most = static_cast<std::int64_t>(n_labels);
    for (const std::int32_t i : span_of(number)) {
        require(i >= tables::kNone && i < most, "labels have numbers from 0");
    }
    return std::make_unique<tables::Labelled>(
        *graph, std::vector<std::int32_t>(number.data(), number.data() + number.size()), n_labels);
}

// Exponents and mantissas of the masses of some variables; None where masses are not finite.
std::optional<nb::object> weigh(tables::Labelled& of, const Array<double>& values,
                                const Array<std::int32_t>& asked, const Report& progress) {
    require(values.size() == of.n_labels(), "each label has a value");
    for (const std::int32_t v : span_of(asked)) {
        require(v >= 0 && static_cast<std::size_t>(v) < of.size(), "variables are asked for");
    }
    const bool finite = asking(
        [&](const tables::GoOn& go_on) { return of.weigh(span_of(values), go_on); }, progress);
    if (!finite) {
        return std::nullopt;
    }
    std::vector<std::int64_t> exponents;
    std::vector<double> mantissas;
    for (const std::int32_t v : span_of(asked)) {
        const tables::Mass& mass = of.masses()[static_cast<std::size_t>(v)];
        exponents.push_back(mass.exponent);
        mantissas.push_back(mass.mantissa);
    }
    return tuple_of(to_numpy(std::move(exponents)), to_numpy(std::move(mantissas)));
}

std::optional<std::vector<double>> uses(const tables::Labelled& of,
                                        const Array<std::int32_t>& roots,
                                        const Array<double>& weights, const Report& progress) {
    const std::vector<tables::Root> own = roots_of(of.size(), roots, weights);
    return asking([&](const tables::GoOn& go_on) { return of.expected_uses(own, go_on); },
                  progress);
}

// Where the edges of each proof begin, the edges, the roots and the log masses.
auto draw(const OwnShares& of, const Array<std::int32_t>& roots, const Array<double>& weights,
          std::size_t n, const slp::mcmc::Seeds& seeds, std::size_t threads,
          const Report& progress) {
    const std::vector<tables::Root> own = roots_of(of.graph->size(), roots, weights);
    require(!own.empty(), "draws have roots");
    tables::Draws drawn = asking(
        [&](const tables::GoOn& go_on) {
            return of.shares.draw(own, n, slp::mcmc::words_of(seeds), threads, go_on);
        },
        progress);
    return tuple_of(to_numpy(std::move(drawn.first)), to_numpy(std::move(drawn.edges)),
                    to_numpy(std::move(drawn.roots)), to_numpy(std::move(drawn.log_masses)));
}

// Exponent, mantissa, last edge, and the edges that begin with a labelled clause, of each proof.
auto best(const GraphPointer& graph, const Array<std::int32_t>& answers, std::size_t k,
          const Report& progress) {
    using Edges = std::vector<std::int32_t>;
    using Proof = nb::typed<nb::tuple, std::int64_t, double, std::int32_t, Edges>;
    for (const std::int32_t answer : span_of(answers)) {
        require(answer >= 0 && static_cast<std::size_t>(answer) < graph->size(),
                "answers are variables");
    }
    const auto found = asking(
        [&](const tables::GoOn& go_on) {
            return tables::best_proofs(*graph, span_of(answers), k, go_on);
        },
        progress);
    std::vector<Proof> out;
    for (const std::int64_t number : found.first) {
        const tables::BestProof& proof = found.second[static_cast<std::size_t>(number)];
        out.push_back(Proof(nb::make_tuple(proof.mass.exponent, proof.mass.mantissa, proof.edge,
                                           tables::begun(*graph, found.second, number))));
    }
    return out;
}

// A program in interned terms. Functors are numbers from 0; a variable n is the term -1 - n.
struct TableProgram {
    tables::Terms terms;
    std::unordered_map<std::int32_t, tables::Predicate> predicates;
    tables::Functors functors{};

    std::int32_t term(std::int32_t functor, const std::vector<std::int32_t>& args) {
        const auto n = static_cast<std::int64_t>(terms.size());
        require(std::all_of(args.begin(), args.end(), [n](std::int32_t arg) { return arg < n; }),
                "arguments are terms");
        return terms.of(functor, args);
    }
};

// How it ended, the graph, and what stands in slp.resolution.tables.hypergraph: of each variable
// kind, table and term; of each edge target, label, proofs, prefix, answer and where its label
// comes from; the exits, the calls, the answers, the failure, and whether runs branch and labels
// are above 1.
using AnyTuple = nb::typed<nb::tuple, nb::object, nb::ellipsis>;
AnyTuple build(TableProgram& program, std::int32_t goals, std::int32_t answer,
               std::int32_t variables, bool weights, std::uint64_t limit, const Report& progress) {
    tables::Ended ended{};
    tables::Built built;
    run_unlocked(
        [&](const slp::Poll& poll) {
            auto last = std::chrono::steady_clock::now();
            const tables::TableBuilder* own = nullptr;
            const tables::GoOn go_on = [&] {
                const auto now = std::chrono::steady_clock::now();
                if (now - last < std::chrono::milliseconds(100)) {
                    return true;
                }
                last = now;
                slp::Progress done;
                done.items = own->n_edges();
                return poll(done);
            };
            tables::TableBuilder builder(program.terms, program.predicates, program.functors,
                                         weights, limit, go_on);
            own = &builder;
            ended = builder.run({goals, answer, variables});
            built = std::move(builder.built());
            return ended;
        },
        progress);
    std::vector<std::uint8_t> kinds;
    std::vector<tables::VariableKind> of;
    std::vector<std::int32_t> table, term, target, prefix, behind;
    std::vector<double> label, proofs;
    for (const tables::Variable& v : built.variables) {
        kinds.push_back(static_cast<std::uint8_t>(v.kind));
        of.push_back(v.kind);
        table.push_back(v.table);
        term.push_back(v.answer);
    }
    for (const tables::Hyperedge& edge : built.edges) {
        target.push_back(edge.target);
        prefix.push_back(edge.prefix);
        behind.push_back(edge.answer);
        label.push_back(edge.label);
        proofs.push_back(edge.proofs);
    }
    auto graph = std::make_shared<const tables::Graph>(std::move(of), std::move(built.edges));
    return AnyTuple(nb::make_tuple(
        static_cast<int>(ended), std::move(graph), to_numpy(std::move(kinds)),
        to_numpy(std::move(table)), to_numpy(std::move(term)), to_numpy(std::move(target)),
        to_numpy(std::move(label)), to_numpy(std::move(proofs)), to_numpy(std::move(prefix)),
        to_numpy(std::move(behind)), to_numpy(std::move(built.labels)), std::move(built.exits),
        to_numpy(std::move(built.calls)), to_numpy(std::move(built.answers)), built.failure,
        built.branches, built.above_one));
}

// Why it ended (`Drawing`), the terms of each answer, (n, variables), where the clauses of each
// draw begin, their numbers, tries and inferences, what the draw that is not whole has lost, and
// the goal whose labels sum above 1.
AnyTuple forward(TableProgram& program, std::int32_t goals, std::int32_t answer,
                 std::int32_t variables, std::size_t n, std::uint64_t limit, std::uint64_t most,
                 const slp::mcmc::Seeds& seeds, const Report& progress) {
    tables::ForwardDraws drawn;
    const tables::Drawing ended = asking(
        [&](const tables::GoOn& go_on) {
            tables::Forward forward(program.terms, program.predicates, program.functors, limit,
                                    go_on);
            slp::mcmc::SeededRandomness random(slp::mcmc::words_of(seeds));
            return forward.draw({goals, answer, variables}, n, most, random, drawn);
        },
        progress);
    const std::size_t own = program.terms.args(answer).size();
    std::vector<std::int32_t> values;  // of the answers' variables
    for (const tables::TermId term : drawn.answers) {
        const auto args = program.terms.args(term);
        values.insert(values.end(), args.begin(), args.end());
    }
    return AnyTuple(nb::make_tuple(
        static_cast<int>(ended), to_numpy(std::move(values), {drawn.answers.size(), own}),
        to_numpy(std::move(drawn.first)), to_numpy(std::move(drawn.clauses)), drawn.tries,
        drawn.inferences, drawn.rejected, drawn.spent, drawn.functor, drawn.sum));
}

}  // namespace

void bind_tables(nb::module_& m) {
    nb::class_<OwnShares>(m, "ProofShares", "The proofs of each variable parted by last edges")
        .def("draw", &draw, nb::arg("roots").noconvert(), nb::arg("weights").noconvert(),
             nb::arg("n"), nb::arg("seeds").noconvert(), nb::arg("threads"),
             nb::arg("progress").none());
    nb::class_<tables::Labelled>(m, "LabelledTables", "A hypergraph under labels that change")
        .def(nb::new_(&labelled), nb::arg("graph"), nb::arg("number").noconvert(),
             nb::arg("n_labels"))
        .def("weigh", &weigh, nb::arg("values").noconvert(), nb::arg("asked").noconvert(),
             nb::arg("progress").none())
        .def("expected_uses", &uses, nb::arg("roots").noconvert(),
             nb::arg("weights").noconvert(), nb::arg("progress").none());
    nb::class_<tables::Graph>(m, "ProofTables", "The hypergraph of a query")
        .def(nb::new_(&graph_of), nb::arg("kinds").noconvert(), nb::arg("target").noconvert(),
             nb::arg("label").noconvert(), nb::arg("proofs").noconvert(),
             nb::arg("prefix").noconvert(), nb::arg("answer").noconvert(),
             nb::arg("begins").noconvert())
        .def("bounds", &bounds, nb::arg("probabilities"), nb::arg("progress").none())
        .def(
            "shares",
            [](const GraphPointer& graph, const Array<std::int64_t>& exponents,
               const Array<double>& mantissas) {
                require(exponents.size() == graph->size() && mantissas.size() == graph->size(),
                        "each variable has a mass");
                std::vector<tables::Mass> masses;
                for (std::size_t i = 0; i < graph->size(); ++i) {
                    masses.push_back({exponents.data()[i], mantissas.data()[i]});
                }
                return OwnShares{graph, tables::Shares(*graph, masses)};
            },
            nb::arg("exponents").noconvert(), nb::arg("mantissas").noconvert())
        .def("best", &best, nb::arg("answers").noconvert(), nb::arg("k"),
             nb::arg("progress").none());
    nb::class_<TableProgram>(m, "TableProgram", "A program in interned terms, to be tabled")
        // The functors of lists of goals (none, more), of answers, and of =, true and fail.
        .def(nb::new_([](const std::array<std::int32_t, 6>& functors) {
                 auto out = std::make_unique<TableProgram>();
                 out->functors = {functors[0], functors[1], functors[2],
                                  functors[3], functors[4], functors[5]};
                 return out;
             }),
             nb::arg("functors"))
        .def("term", &TableProgram::term, nb::arg("functor"), nb::arg("args"))
        .def(
            "add_predicate",
            [](TableProgram& program, std::int32_t functor, bool stochastic) {
                program.predicates[functor].stochastic = stochastic;
            },
            nb::arg("functor"), nb::arg("stochastic"))
        .def(
            "add_clause",
            [](TableProgram& program, std::int32_t functor, std::int32_t head, std::int32_t goals,
               std::int32_t variables, std::int32_t number, double label) {
                const auto n = static_cast<std::int64_t>(program.terms.size());
                require(head >= 0 && head < n && goals >= 0 && goals < n, "terms of a clause");
                program.predicates[functor].clauses.push_back(
                    {head, goals, variables, number, label});
            },
            nb::arg("functor"), nb::arg("head"), nb::arg("goals"), nb::arg("variables"),
            nb::arg("number"), nb::arg("label"))
        // The functor and the arguments of a term.
        .def(
            "parts",
            [](const TableProgram& program, std::int32_t term) {
                require(term >= 0 && static_cast<std::size_t>(term) < program.terms.size(),
                        "no such term");
                const auto args = program.terms.args(term);
                return std::make_pair(program.terms.functor(term),
                                      std::vector<std::int32_t>(args.begin(), args.end()));
            },
            nb::arg("term"))
        .def("draw", &forward, nb::arg("goals"), nb::arg("answer"), nb::arg("variables"),
             nb::arg("n"), nb::arg("limit"), nb::arg("most"), nb::arg("seeds").noconvert(),
             nb::arg("progress").none())
        .def("build", &build, nb::arg("goals"), nb::arg("answer"), nb::arg("variables"),
             nb::arg("weights"), nb::arg("limit"), nb::arg("progress").none());
}
