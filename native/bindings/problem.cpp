// What every engine is given, for Python: coding of columns, a problem filled rule by rule,
// finished trees as an ensemble.

#include "problem/problem.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "problem/coding.hpp"
#include "problem/ensemble.hpp"
#include "problem/geometry.hpp"

namespace nb = nanobind;
using namespace slp;

namespace {

// --- coding -----------------------------------------------------------------------------------

auto code_column(const Array<double>& column) {
    auto coded = without_lock([&] { return code_values(span_of(column)); });
    return tuple_of(to_numpy(std::move(coded.values)), to_numpy(std::move(coded.codes)));
}

auto code_column_by_cuts(const Array<double>& column, const Array<double>& cuts) {
    return to_numpy(without_lock([&] { return code_by_cuts(span_of(column), span_of(cuts)); }));
}

auto merge_equal_rows(const Matrix<std::uint8_t>& rows) {
    const CodeTable table{span_of(rows), rows.shape(0), rows.shape(1)};
    auto merged = without_lock([&] { return merge_rows(table); });
    return tuple_of(to_numpy(std::move(merged.first)), to_numpy(std::move(merged.row_of)),
                          to_numpy(std::move(merged.counts)));
}

// --- an ensemble ------------------------------------------------------------------------------

void make_ensemble(Ensemble* self, const Array<std::int32_t>& features,
                   const Array<double>& operands, const Array<double>& others,
                   const Array<std::int64_t>& starts, const Array<bool>& levels) {
    new (self) Ensemble(span_of(features), span_of(operands), span_of(others), span_of(starts),
                        span_of(levels));
}

Ensemble::Rows rows_of(const Ensemble& ensemble, const Matrix<double>& rows) {
    require(rows.shape(1) == ensemble.n_features(), "rows have a number for each feature");
    return {rows.data(), rows.shape(0)};
}

auto shapes(const Ensemble& ensemble) {
    auto found = without_lock([&] { return ensemble.shapes(); });
    return tuple_of(
        to_numpy(std::move(found.n_leaves)), to_numpy(std::move(found.depth)),
        to_numpy(std::move(found.splits), {ensemble.n_trees(), ensemble.n_features()}));
}

auto leaves(const Ensemble& ensemble, const Matrix<double>& rows, std::size_t threads) {
    const Ensemble::Rows own = rows_of(ensemble, rows);
    std::vector<std::int64_t> out(ensemble.n_trees() * own.m);
    without_lock([&] { ensemble.leaves(own, threads, out.data()); });
    return to_numpy(std::move(out), {ensemble.n_trees(), own.m});
}

auto sums(const Ensemble& ensemble, const Matrix<double>& statistics, const Matrix<double>& rows,
          std::size_t threads) {
    const Ensemble::Rows own = rows_of(ensemble, rows);
    require(statistics.shape(0) == own.m, "each row has its statistics");
    const std::size_t k = statistics.shape(1);
    std::vector<double> out(ensemble.n_leaves() * k);
    without_lock([&] { ensemble.sums(span_of(statistics), k, own, threads, out.data()); });
    return to_numpy(std::move(out), {ensemble.n_leaves(), k});
}

auto average(const Ensemble& ensemble, const Matrix<double>& values, const Array<double>& weights,
             const Matrix<double>& rows, std::size_t threads) {
    const Ensemble::Rows own = rows_of(ensemble, rows);
    require(values.shape(0) == ensemble.n_leaves() && weights.size() == ensemble.n_trees(),
            "each leaf has its values, and each tree its weight");
    const std::size_t q = values.shape(1);
    std::vector<double> out(own.m * q);
    without_lock([&] {
        ensemble.average(span_of(values), q, span_of(weights), own, threads, out.data());
    });
    return to_numpy(std::move(out), {own.m, q});
}

// --- the rules of a state ---------------------------------------------------------------------

void add_leaf_rule(MadeState& state, double log_weight, std::vector<std::int32_t> majority) {
    state.rules.push_back(
        {RuleKind::leaf, log_weight, std::move(majority), -1, Measure::each, {}});
}

void add_call_rule(MadeState& state, double log_weight, std::int32_t called) {
    state.rules.push_back({RuleKind::call, log_weight, {}, called, Measure::each, {}});
}

void add_split_rule(MadeState& state, double log_weight, int measure,
                    const Array<std::int32_t>& transitions, double range_total,
                    const Array<double>& weights) {
    state.rules.push_back({RuleKind::split,
                           log_weight,
                           {},
                           -1,
                           static_cast<Measure>(measure),
                           vector_of(transitions),
                           range_total,
                           vector_of(weights)});
}

// The last added rule's function of the rows of a box.
void set_row_function(MadeState& state, const Array<std::uint8_t>& ops,
                      const Array<double>& operands, bool labelled) {
    RowFunction& function = state.rules.back().rows;
    function = {{}, vector_of(operands), labelled};
    for (const std::uint8_t op : span_of(ops)) {
        function.ops.push_back(static_cast<RowOp>(op));
    }
}

// The rules of a state by its number.
using Maker = nb::typed<nb::callable, MadeState(std::size_t)>;

// States of an open grammar: make(state) gives their rules. A thread that asks for a new one takes
// the interpreter lock, so it must hold no other.
class MadeByPython final : public StateSource {
public:
    MadeByPython(Maker make, const RuleBounds& bounds)
        : make_(std::move(make)), bounds_(bounds) {}

    const MadeState& state(std::size_t number) override {
        const MadeState* const found = made_.find(number);
        if (found != nullptr) {
            return *found;
        }
        return with_lock([&]() -> const MadeState& {
            const nb::object own = make_(number);
            const auto& made = nb::cast<const MadeState&>(own);
            check_rules(made.rules, bounds_);
            return made_.add(number, MadeState(made));
        });
    }

private:
    Maker make_;
    RuleBounds bounds_;
    MadeStates made_;
};

// --- the problem ------------------------------------------------------------------------------

void set_rows(Problem& problem, const Array<std::uint32_t>& counts) {
    problem.table.n_rows = static_cast<std::uint32_t>(counts.size());
    problem.table.counts = vector_of(counts);
}

void set_row_weights(Problem& problem, const Array<double>& weights) {
    problem.table.weights = vector_of(weights);
}

void add_feature(Problem& problem, int kind, std::int32_t n_codes, const Array<double>& numbers,
                 const Array<double>& breakpoints, const Array<std::uint32_t>& codes,
                 bool holes, int untold, int absent) {
    auto& features = problem.table.features;
    const std::int32_t first_cell =
        features.empty() ? 0 : features.back().first_cell + features.back().n_cells();
    features.push_back({static_cast<FeatureKind>(kind), n_codes, vector_of(numbers),
                        vector_of(breakpoints), first_cell, vector_of(codes), holes,
                        static_cast<Untold>(untold), static_cast<Untold>(absent)});
    if (features.back().kind == FeatureKind::ordered_subsets) {
        features.back().orders = std::make_shared<LevelOrders>();
    }
}

// After the features.
void set_leaf(Problem& problem, const std::string& model, const Array<double>& hyperparameters,
              const Array<double>& statistics, std::size_t n_statistics) {
    problem.leaf = LeafModel(model, vector_of(hyperparameters),
                             vector_of(statistics), n_statistics);
    std::shared_ptr<const LeafModel> shared;
    for (const Feature& feature : problem.table.features) {
        if (feature.looks_at_response()) {
            shared = shared ? shared : std::make_shared<const LeafModel>(problem.leaf);
            feature.orders->set_leaf(shared);
        }
    }
}

// Log marginal likelihood of a leaf with these distinct rows.
double log_marginal(const Problem& problem, const Array<std::uint32_t>& rows) {
    require_rows(rows, problem.leaf.n_rows());
    std::vector<double> statistics(problem.leaf.n_statistics());
    problem.leaf.sum(span_of(rows), statistics.data());
    return problem.leaf.log_marginal(statistics.data());
}

void set_grammar(Problem& problem, std::int32_t start, bool normalise, bool condition,
                 std::int64_t min_leaf, std::int32_t max_leaves,
                 const Array<double>& feature_weights, const Array<std::uint32_t>& group_of) {
    Grammar& g = problem.grammar;
    g.start = start;
    g.normalise = normalise;
    g.condition = condition;
    g.min_leaf = min_leaf;
    g.max_leaves = max_leaves;
    g.feature_weights = vector_of(feature_weights);
    g.group_of = vector_of(group_of);
}

// Call after everything else is set.
void set_open_states(Problem& problem, Maker make, std::int32_t most_cuts) {
    const RuleBounds bounds = rule_bounds(problem, most_states(problem));
    problem.grammar.states = {std::make_shared<MadeByPython>(std::move(make), bounds), most_cuts};
}

// A name with its module's: the stub lists it there.
std::string name_in(const nb::module_& m, const char* name) {
    return nb::cast<std::string>(m.attr("__name__")) + "." + name;
}

// LabelError(state, rule, value, rows, statistics) of Python.
void bind_label_fault(nb::module_& m) {
    const nb::object type =
        nb::steal(PyErr_NewException(name_in(m, "LabelError").c_str(), nullptr, nullptr));
    m.attr("LabelError") = type;
    nb::register_exception_translator(
        [](const std::exception_ptr& thrown, void* kind) {
            try {
                std::rethrow_exception(thrown);
            } catch (const LabelFault& fault) {
                const nb::object args = nb::make_tuple(fault.state, fault.rule, fault.value,
                                                       fault.rows, nb::cast(fault.statistics));
                PyErr_SetObject(static_cast<PyObject*>(kind), args.ptr());
            }
        },
        type.ptr());
}

// UntoldError(feature, missing) of Python.
void bind_untold_fault(nb::module_& m) {
    const nb::object type =
        nb::steal(PyErr_NewException(name_in(m, "UntoldError").c_str(), nullptr, nullptr));
    m.attr("UntoldError") = type;
    nb::register_exception_translator(
        [](const std::exception_ptr& thrown, void* kind) {
            try {
                std::rethrow_exception(thrown);
            } catch (const UntoldFault& fault) {
                PyErr_SetObject(static_cast<PyObject*>(kind), 
                                nb::make_tuple(fault.feature, fault.missing).ptr());
            }
        },
        type.ptr());
}

}  // namespace

void bind_problem(nb::module_& m) {
    const nb::object constants = m.attr("CONSTANTS");
    constants["forbidden"] = kForbidden;
    constants["outside"] = kOutside;
    constants["label_rounding"] = kLabelRounding;
    constants["label_tolerance"] = kLabelTolerance;
    constants["most_in_subsets"] = kMostInSubsets;
    constants["most_coefficients"] = kMostCoefficients;
    constants["equal_weights"] = kEqualWeights;
    m.def("code_values", &code_column, nb::arg("column").noconvert());
    m.def("code_by_cuts", &code_column_by_cuts, nb::arg("column").noconvert(),
          nb::arg("cuts").noconvert());
    m.def("merge_rows", &merge_equal_rows, nb::arg("rows").noconvert());
    nb::class_<Ensemble>(m, "Ensemble",
                     "Finished trees, to send rows down: see `slp.kernels.lay_out_ensemble`.")
        .def("__init__", &make_ensemble, nb::arg("features").noconvert(),
             nb::arg("operands").noconvert(), nb::arg("others").noconvert(),
             nb::arg("starts").noconvert(), nb::arg("levels").noconvert())
        .def("shapes", &shapes)
        .def("leaves", &leaves, nb::arg("rows").noconvert(), nb::arg("threads"))
        .def("sums", &sums, nb::arg("statistics").noconvert(), nb::arg("rows").noconvert(),
             nb::arg("threads"))
        .def("average", &average, nb::arg("values").noconvert(), nb::arg("weights").noconvert(),
             nb::arg("rows").noconvert(), nb::arg("threads"));
    bind_label_fault(m);
    bind_untold_fault(m);
    nb::class_<MadeState>(m, "ExactRules",
                     "The rules of a state, filled in once; no tree that it derives has fewer leaves.")
        .def(
            "__init__",
            [](MadeState* self, std::uint32_t least_leaves, std::uint32_t leaf_prior) {
                new (self) MadeState{{}, least_leaves, leaf_prior};
            },
            nb::arg("least_leaves"), nb::arg("leaf_prior") = 0)
        .def("add_leaf_rule", &add_leaf_rule, nb::arg("log_weight"), nb::arg("majority"))
        .def("add_call_rule", &add_call_rule, nb::arg("log_weight"), nb::arg("state"))
        .def("add_split_rule", &add_split_rule, nb::arg("log_weight"), nb::arg("measure"),
             nb::arg("transitions").noconvert(), nb::arg("range_total"),
             nb::arg("weights").noconvert())
        .def("set_row_function", &set_row_function, nb::arg("ops").noconvert(),
             nb::arg("operands").noconvert(), nb::arg("labelled"));
    nb::class_<Problem>(m, "ExactProblem",
                     "Grammar and table, filled in once; `slp.problem.core` does it.")
        .def(nb::init<>())
        .def("set_rows", &set_rows, nb::arg("counts").noconvert())
        .def("set_row_weights", &set_row_weights, nb::arg("weights").noconvert())
        .def("add_feature", &add_feature, nb::arg("kind"), nb::arg("n_codes"),
             nb::arg("numbers").noconvert(), nb::arg("breakpoints").noconvert(),
             nb::arg("codes").noconvert(), nb::arg("holes") = false,
             nb::arg("untold") = 0, nb::arg("absent") = 2)
        .def("set_leaf", &set_leaf, nb::arg("model"), nb::arg("hyperparameters").noconvert(),
             nb::arg("statistics").noconvert(), nb::arg("n_statistics"))
        .def("log_marginal", &log_marginal, nb::arg("rows").noconvert())
        .def("set_grammar", &set_grammar, nb::arg("start"), nb::arg("normalise"),
             nb::arg("condition"), nb::arg("min_leaf"), nb::arg("max_leaves"),
             nb::arg("feature_weights").noconvert(), nb::arg("group_of").noconvert())
        .def(
            "add_state",
            [](Problem& problem, const MadeState& state) {
                problem.grammar.states.push_back(state.rules, state.leaf_prior);
            },
            nb::arg("state"))
        .def("set_open_states", &set_open_states, nb::arg("make"), nb::arg("most_cuts"));
}
