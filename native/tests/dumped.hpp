// Problems written down by tests/engines/dumps.py: a line is a call that fills one.

#pragma once

#include <cstdint>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "problem/problem.hpp"

namespace slp::test {

struct Dumped {
    Problem problem;
    // Of all trees, with likelihood.
    double log_total = 0.0;
};

class DumpReader {
public:
    Dumped read(const std::string& path) {
        std::ifstream file(path);
        if (!file) {
            throw std::runtime_error("cannot read " + path);
        }
        for (std::string text; std::getline(file, text);) {
            line_ = std::istringstream(text);
            call(one<std::string>());
            if (!line_) {
                throw std::runtime_error("cannot understand: " + text);
            }
        }
        return std::move(out_);
    }

private:
    template <typename T>
    T one() {
        T out{};
        line_ >> out;
        return out;
    }

    template <typename T>
    std::vector<T> many() {
        std::vector<T> out(one<std::size_t>());
        for (T& x : out) {
            x = one<T>();
        }
        return out;
    }

    template <typename T>
    T named() {
        return static_cast<T>(one<int>());
    }

    void call(const std::string& name) {
        using namespace slp;
        Problem& p = out_.problem;
        if (name == "log_total") {
            out_.log_total = one<double>();
        } else if (name == "set_rows") {
            p.table.counts = many<std::uint32_t>();
            p.table.n_rows = static_cast<std::uint32_t>(p.table.counts.size());
        } else if (name == "add_feature") {
            Feature f;
            f.kind = named<FeatureKind>();
            f.n_codes = one<std::int32_t>();
            f.numbers = many<double>();
            f.breakpoints = many<double>();
            f.first_cell = n_cells_;
            f.codes = many<std::uint32_t>();
            f.holes = one<int>() != 0;
            f.untold = named<Untold>();
            f.absent = named<Untold>();
            n_cells_ += f.n_cells();
            p.table.features.push_back(std::move(f));
        } else if (name == "set_leaf") {
            const auto model = one<std::string>();
            auto hyperparameters = many<double>();
            auto statistics = many<double>();
            p.leaf = LeafModel(model, std::move(hyperparameters), std::move(statistics),
                               one<std::size_t>());
        } else if (name == "set_grammar") {
            Grammar& g = p.grammar;
            g.start = one<std::int32_t>();
            g.normalise = one<bool>();
            g.condition = one<bool>();
            g.min_leaf = one<std::int64_t>();
            g.max_leaves = one<std::int32_t>();
            g.feature_weights = many<double>();
            g.group_of = many<std::uint32_t>();
        } else {
            add(name);
        }
    }

    void add(const std::string& name) {
        using namespace slp;
        auto& states = out_.problem.grammar.states;
        if (name == "add_state") {
            states.emplace_back();
            return;
        }
        Rule rule{RuleKind::leaf, one<double>(), {}, -1, Measure::each, {}};
        if (name == "add_leaf_rule") {
            rule.majority = many<std::int32_t>();
        } else if (name == "add_call_rule") {
            rule.kind = RuleKind::call;
            rule.state = one<std::int32_t>();
        } else if (name == "add_split_rule") {
            rule.kind = RuleKind::split;
            rule.measure = named<Measure>();
            rule.transitions = many<std::int32_t>();
            rule.range_total = one<double>();
            rule.weights = many<double>();
        } else {
            throw std::runtime_error("no such call: " + name);
        }
        states.back().push_back(std::move(rule));
    }

    Dumped out_;
    std::istringstream line_;
    std::int32_t n_cells_ = 0;
};

// A problem by name.
inline Dumped read_problem(const std::string& name) {
    return DumpReader().read(std::string(SLP_TEST_PROBLEMS) + "/" + name + ".txt");
}

}  // namespace slp::test
