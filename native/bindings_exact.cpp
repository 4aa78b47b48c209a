// The exact engine for Python: a problem filled rule by rule, passes that run without the
// interpreter lock, and look-ups. Called by slp.engines.exact through slp.kernels.

#include "bindings_exact.hpp"

#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "exact/bounds.hpp"
#include "exact/engine.hpp"
#include "exact/estimate.hpp"

namespace nb = nanobind;
using namespace slp::exact;

namespace {

void require_rows(const Array<std::uint32_t>& rows, std::size_t n) {
    const std::span<const std::uint32_t> own = span_of(rows);
    require(std::all_of(own.begin(), own.end(), [n](std::uint32_t row) { return row < n; }),
            "rows are numbers of distinct rows");
}

// The rules of one state under construction.
struct RuleList {
    std::uint32_t least_leaves = 1;
    std::vector<Rule> rules;

    explicit RuleList(std::uint32_t least) : least_leaves(least) {}

    void add_leaf_rule(double log_weight, std::vector<std::int32_t> majority) {
        rules.push_back({RuleKind::leaf, log_weight, std::move(majority), -1, Measure::each, {}});
    }

    void add_call_rule(double log_weight, std::int32_t state) {
        rules.push_back({RuleKind::call, log_weight, {}, state, Measure::each, {}});
    }

    void add_split_rule(double log_weight, int measure,
                        const Array<std::int32_t>& transitions) {
        rules.push_back({RuleKind::split, log_weight, {}, -1, static_cast<Measure>(measure),
                         vector_of(transitions)});
    }

    // What the last rule added makes of the rows of a box.
    void set_row_function(const Array<std::uint8_t>& ops, const Array<double>& operands,
                          bool labelled) {
        RowFunction function;
        for (const std::uint8_t op : span_of(ops)) {
            function.ops.push_back(static_cast<RowOp>(op));
        }
        function.operands = vector_of(operands);
        function.labelled = labelled;
        rules.back().rows = std::move(function);
    }
};

// States of an open grammar: make(state) gives a RuleList. A thread that asks for a new one takes
// the interpreter lock, so it must hold no other.
class MadeByPython final : public StateSource {
public:
    MadeByPython(nb::callable make, const RuleBounds& bounds)
        : make_(std::move(make)), bounds_(bounds) {}

    const MadeState& state(std::size_t number) override {
        const MadeState* const found = made_.find(number);
        if (found != nullptr) {
            return *found;
        }
        const nb::gil_scoped_acquire lock;
        const nb::object own = make_(number);
        const auto& list = nb::cast<const RuleList&>(own);
        check_rules(list.rules, bounds_);
        return made_.add(number, {list.rules, list.least_leaves});
    }

private:
    nb::callable make_;
    RuleBounds bounds_;
    MadeStates made_;
};

// A problem under construction.
class ProblemBuilder {
public:
    void set_rows(const Array<std::uint32_t>& counts) {
        problem.table.n_rows = static_cast<std::uint32_t>(counts.size());
        problem.table.counts = vector_of(counts);
    }

    void add_feature(int kind, std::int32_t n_codes, const Array<double>& numbers,
                     const Array<double>& breakpoints, const Array<std::uint32_t>& codes) {
        Feature feature{static_cast<FeatureKind>(kind), n_codes, vector_of(numbers),
                        vector_of(breakpoints), n_cells_, vector_of(codes)};
        n_cells_ += feature.n_cells();
        problem.table.features.push_back(std::move(feature));
    }

    void set_leaf(int kind, const Array<double>& hyperparameters,
                  const Array<double>& statistics, std::size_t n_statistics) {
        problem.leaf = LeafModel(static_cast<LeafKind>(kind), vector_of(hyperparameters),
                                 vector_of(statistics), n_statistics);
    }

    // Log marginal likelihood of a leaf with these distinct rows.
    double log_marginal(const Array<std::uint32_t>& rows) const {
        require_rows(rows, problem.leaf.n_rows());
        std::vector<double> statistics(problem.leaf.n_statistics());
        problem.leaf.sum(span_of(rows), statistics.data());
        return problem.leaf.log_marginal(statistics.data());
    }

    void set_grammar(std::int32_t start, bool normalise, bool condition, std::int64_t min_leaf,
                     std::int32_t max_leaves, const Array<double>& feature_weights) {
        Grammar& g = problem.grammar;
        g.start = start;
        g.normalise = normalise;
        g.condition = condition;
        g.min_leaf = min_leaf;
        g.max_leaves = max_leaves;
        g.feature_weights = vector_of(feature_weights);
    }

    void add_state(const RuleList& state) { problem.grammar.states.push_back(state.rules); }

    // Once all else is set.
    void set_open_states(nb::callable make, std::int32_t most_cuts) {
        problem.grammar.states = {
            std::make_shared<MadeByPython>(std::move(make), rule_bounds(problem, most_states(problem))),
            most_cuts};
    }

    Problem problem;

private:
    std::int32_t n_cells_ = 0;
};

int run_pass(Pass& pass, const nb::object& progress) {
    return static_cast<int>(
        run_unlocked([&](const Poll& poll) { return pass.run(poll); }, progress));
}

nb::dict statistics_of(const Pass& pass) {
    const Progress now = pass.progress();
    nb::dict out;
    out["items"] = now.items;
    out["edges"] = now.edges;
    out["repeated"] = now.repeated;
    out["bytes"] = now.bytes;
    out["peak_bytes"] = now.peak_bytes;
    return out;
}

// (depth from which no node was split, log of a bound on the weight of the trees left out), or None
// where trees were followed to any depth.
nb::object depth_cut_of(const Pass& pass) {
    const std::optional<DepthCut> cut = pass.depth_cut();
    return cut ? nb::make_tuple(cut->depth, cut->log_left_out) : nb::object(nb::none());
}

// The ways on from an item, as arrays of one entry for each, and the box's log likelihood.
nb::tuple ways_of(const Engine& engine, const Pass& pass, const Array<std::uint32_t>& rows,
                  std::int32_t product) {
    const Problem& problem = engine.problem();
    require_rows(rows, problem.table.n_rows);
    require(rows.size() > 0 && product >= 0 &&
                static_cast<std::size_t>(product / problem.n_owed()) <
                    problem.grammar.states.size(),
            "an item is rows in a state");
    double log_likelihood = 0;
    const std::vector<Way> ways =
        engine.ways(pass, span_of(rows), product, &log_likelihood);
    const std::size_t n = ways.size();
    std::vector<std::int32_t> rule(n), feature(n), low(n), high(n), left(n), right(n);
    std::vector<double> weight(n), below_left(n), below_right(n);
    for (std::size_t i = 0; i < n; ++i) {
        const Way& way = ways[i];
        rule[i] = way.rule;
        feature[i] = way.feature;
        low[i] = static_cast<std::int32_t>(way.low);
        high[i] = static_cast<std::int32_t>(way.high);
        left[i] = way.left_state;
        right[i] = way.right_state;
        weight[i] = way.log_weight;
        below_left[i] = way.log_left;
        below_right[i] = way.log_right;
    }
    return nb::make_tuple(log_likelihood, to_numpy(std::move(rule)), to_numpy(std::move(feature)),
                          to_numpy(std::move(low)), to_numpy(std::move(high)),
                          to_numpy(std::move(left)), to_numpy(std::move(right)),
                          to_numpy(std::move(weight)), to_numpy(std::move(below_left)),
                          to_numpy(std::move(below_right)));
}

// Bounds on the root's value from a pass that was stopped: logs.
nb::tuple bounds_of(const Engine& engine, const Pass& pass, double work) {
    const Interval found = without_lock([&] { return bounds_on_root(engine, pass, work); });
    return nb::make_tuple(found.low, found.high);
}

// (boxes, if there were no limits, relative standard error, states and splits for each box, whether
// boxes is a lower bound)
nb::tuple estimate_of(const Engine& engine, double work, std::uint64_t seed) {
    BoxEstimate found{};
    const auto estimate = [&](const Poll& poll) {
        found = estimate_boxes(engine.problem(), engine.geometry(), work, seed, &poll);
        return Status::done;
    };
    run_unlocked(estimate, nb::none());
    return nb::make_tuple(found.boxes, found.unlimited, found.error, found.states, found.splits,
                          found.more);
}

}  // namespace

Status run_unlocked(const std::function<Status(const Poll&)>& run, const nb::object& progress) {
    std::exception_ptr raised;
    const Poll poll = [&](const Progress& now) {
        const nb::gil_scoped_acquire lock;
        try {
            if (PyErr_CheckSignals() != 0) {
                throw nb::python_error();
            }
            return progress.is_none() ||
                   nb::cast<bool>(progress(now.items, now.edges, now.bytes));
        } catch (...) {
            raised = std::current_exception();
            return false;
        }
    };
    const Status status = without_lock([&] { return run(poll); });
    if (raised) {
        std::rethrow_exception(raised);
    }
    return status;
}

// LabelError(state, rule, value, rows, statistics) of Python.
void bind_label_fault(nb::module_& m) {
    const nb::object type = nb::steal(PyErr_NewException("slp._core.LabelError", nullptr, nullptr));
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

void bind_exact(nb::module_& m) {
    bind_label_fault(m);
    nb::class_<ProblemBuilder>(m, "ExactProblem")
        .def(nb::init<>())
        .def("set_rows", &ProblemBuilder::set_rows, nb::arg("counts").noconvert())
        .def("add_feature", &ProblemBuilder::add_feature, nb::arg("kind"), nb::arg("n_codes"),
             nb::arg("numbers").noconvert(), nb::arg("breakpoints").noconvert(),
             nb::arg("codes").noconvert())
        .def("set_leaf", &ProblemBuilder::set_leaf, nb::arg("kind"),
             nb::arg("hyperparameters").noconvert(), nb::arg("statistics").noconvert(),
             nb::arg("n_statistics"))
        .def("log_marginal", &ProblemBuilder::log_marginal, nb::arg("rows").noconvert())
        .def("set_grammar", &ProblemBuilder::set_grammar, nb::arg("start"), nb::arg("normalise"),
             nb::arg("condition"), nb::arg("min_leaf"), nb::arg("max_leaves"),
             nb::arg("feature_weights").noconvert())
        .def("add_state", &ProblemBuilder::add_state, nb::arg("state"))
        .def("set_open_states", &ProblemBuilder::set_open_states, nb::arg("make"),
             nb::arg("most_cuts"));
    nb::class_<RuleList>(m, "ExactRules")
        .def(nb::init<std::uint32_t>(), nb::arg("least_leaves"))
        .def("add_leaf_rule", &RuleList::add_leaf_rule, nb::arg("log_weight"),
             nb::arg("majority"))
        .def("add_call_rule", &RuleList::add_call_rule, nb::arg("log_weight"), nb::arg("state"))
        .def("add_split_rule", &RuleList::add_split_rule, nb::arg("log_weight"),
             nb::arg("measure"), nb::arg("transitions").noconvert())
        .def("set_row_function", &RuleList::set_row_function, nb::arg("ops").noconvert(),
             nb::arg("operands").noconvert(), nb::arg("labelled"));
    nb::class_<Pass>(m, "ExactPass")
        .def("run", &run_pass, nb::arg("progress").none())
        .def("likelihood", &Pass::likelihood)
        .def("statistics", &statistics_of)
        .def("by_families", &Pass::by_families)
        .def("depth_cut", &depth_cut_of);
    auto exact_engine = nb::class_<Engine>(m, "ExactEngine")
        .def("__init__",
             [](Engine* self, const ProblemBuilder& built) {
                 without_lock([&] { return new (self) Engine(built.problem); });
             },
             nb::arg("problem"))
        .def(
            "make_pass",
            [](const Engine& engine, int quantity, bool likelihood, bool scaled,
               std::size_t length, bool keep, std::size_t memory, std::size_t threads) {
                return without_lock([&] {
                    return engine.make_pass(static_cast<Quantity>(quantity), likelihood, scaled,
                                            length, keep, memory, threads);
                });
            },
            nb::arg("quantity"), nb::arg("likelihood"), nb::arg("scaled"), nb::arg("length"),
            nb::arg("keep"), nb::arg("memory"), nb::arg("threads"), nb::keep_alive<0, 1>())
        .def("root_values",
             [](const Engine& engine, const Pass& run) {
                 return to_numpy(engine.root_values(run));
             },
             nb::arg("run"))
        .def("root_counts",
             [](const Engine& engine, const Pass& run) {
                 return to_numpy(engine.root_counts(run));
             },
             nb::arg("run"))
        .def("root_vector",
             [](const Engine& engine, const Pass& run) {
                 return to_numpy(engine.root_vector(run));
             },
             nb::arg("run"))
        .def("estimate_boxes", &estimate_of, nb::arg("work"), nb::arg("seed"))
        .def("family_places", &Engine::family_places,
             nb::call_guard<nb::gil_scoped_release>())
        .def("goes_by_families", &Engine::goes_by_families,
             nb::call_guard<nb::gil_scoped_release>())
        .def("most_boxes",
             [](const Engine& engine) {
                 return without_lock([&] { return most_boxes(engine.problem()); });
             })
        .def("bounds", &bounds_of, nb::arg("run"), nb::arg("work"))
        .def("ways", &ways_of, nb::arg("run"), nb::arg("rows").noconvert(),
             nb::arg("product"));
    bind_descents(exact_engine);
}
