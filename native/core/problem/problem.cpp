#include "problem/problem.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "problem/calls.hpp"

namespace slp {

namespace {

void require(bool holds, const char* what) {
    if (!holds) {
        throw std::invalid_argument(what);
    }
}

void check_feature(const Feature& feature, const Table& table, std::int32_t first_cell) {
    const auto n_codes = static_cast<std::size_t>(feature.n_codes);
    require(feature.n_codes >= 1 && feature.codes.size() == table.n_rows &&
                std::all_of(feature.codes.begin(), feature.codes.end(),
                            [&](std::uint32_t code) { return code < n_codes; }),
            "each row has a code of each feature");
    require(feature.sound(), "a feature's codes and numbers are those of its kind");
    require(feature.first_cell == first_cell, "cells are counted through all features");
}

// Every instruction has its operands, and the stack ends with the label or empty.
void check_row_function(const RowFunction& function, const RuleBounds& bounds) {
    require(function.ops.size() == function.operands.size(), "instructions have operands");
    std::size_t depth = 0;
    for (std::size_t i = 0; i < function.ops.size(); ++i) {
        const RowOp op = function.ops[i];
        require(op <= RowOp::unequal, "there is such an instruction");
        if (op == RowOp::count) {
            const double c = function.operands[i];
            require(bounds.counts_classes && c >= -1 && c < static_cast<double>(bounds.classes),
                    "rows are counted of a class");
        }
        const std::size_t taken = op <= RowOp::count                        ? 0
                                  : op >= RowOp::negate && op < RowOp::less ? 1
                                                                            : 2;
        require(depth >= taken, "an instruction finds its numbers");
        depth = depth - taken + (op < RowOp::less ? 1 : 0);
    }
    require(depth == (function.labelled ? 1 : 0), "what is left is the label");
}

void check_rule(const Rule& rule, const RuleBounds& bounds) {
    check_row_function(rule.rows, bounds);
    const auto is_state = [&](std::int32_t s) {
        return s >= 0 && static_cast<std::size_t>(s) < bounds.states;
    };
    if (rule.kind == RuleKind::leaf) {
        const auto n_classes = static_cast<std::int32_t>(bounds.classes);
        require(std::all_of(rule.majority.begin(), rule.majority.end(),
                            [&](std::int32_t c) { return c >= -1 && c < n_classes; }),
                "a majority is of a class");
    } else if (rule.kind == RuleKind::call) {
        require(is_state(rule.state), "a call is of a state");
    } else {
        require(rule.transitions.size() == 2 * bounds.cells, "a split leads on from every cell");
        for (std::size_t i = 0; i < rule.transitions.size(); i += 2) {
            const std::int32_t left = rule.transitions[i], right = rule.transitions[i + 1];
            require(left == kForbidden || left == kOutside || (is_state(left) && is_state(right)),
                    "a split leads to two states, or to none");
        }
    }
}

}  // namespace

void check_problem(const Problem& problem) {
    const Table& table = problem.table;
    const Grammar& grammar = problem.grammar;
    require(table.n_rows >= 1 && table.counts.size() == table.n_rows, "each row has a count");
    require(table.weights.empty() || table.weights.size() == table.n_rows,
            "each row has a weight");
    std::int32_t n_cells = 0;
    for (const Feature& feature : table.features) {
        check_feature(feature, table, n_cells);
        n_cells += feature.n_cells();
    }
    require(problem.leaf.n_rows() == table.n_rows, "each row has statistics");
    require(grammar.feature_weights.size() == table.features.size(), "each feature has a weight");
    require(!grammar.grouped() || grammar.group_of.size() == table.features.size(),
            "each feature has a group");
    for (const std::uint32_t group : grammar.group_of) {
        require(group < table.features.size(), "groups are numbered below the features");
    }
    require(grammar.min_leaf >= 1 && grammar.max_leaves >= 0, "leaves have rows");
    require(grammar.start >= 0, "there is a state to start in");
    if (grammar.states.open()) {
        return;
    }
    require(grammar.states.size() <= most_states(problem),
            "product states are numbered in 32 bits");
    require(static_cast<std::size_t>(grammar.start) < grammar.states.size(),
            "there is a state to start in");
    for (std::size_t s = 0; s < grammar.states.size(); ++s) {
        require(grammar.states.leaf_prior(s) < problem.leaf.n_priors(), "each leaf has a prior");
    }
    const RuleBounds bounds = rule_bounds(problem, grammar.states.size());
    for (const Rules& rules : grammar.states) {
        check_rules(rules, bounds);
    }
    call_ranks(grammar);
}

RuleBounds rule_bounds(const Problem& problem, std::size_t n_states) {
    std::size_t n_cells = 0;
    for (const Feature& feature : problem.table.features) {
        n_cells += static_cast<std::size_t>(feature.n_cells());
    }
    return {problem.leaf.n_statistics(), n_cells, n_states,
            problem.leaf.of_classes()};
}

bool counts_rows_of_classes(const Problem& problem) {
    if (!problem.leaf.of_classes()) {
        return false;
    }
    std::vector<double> own(problem.leaf.n_statistics());
    for (std::uint32_t row = 0; row < problem.table.n_rows; ++row) {
        std::fill(own.begin(), own.end(), 0.0);
        problem.leaf.add(row, own.data());
        if (std::accumulate(own.begin(), own.end(), 0.0) != problem.table.counts[row]) {
            return false;
        }
    }
    return problem.leaf.whole();
}

std::size_t most_states(const Problem& problem) {
    constexpr std::size_t kMostProducts = std::numeric_limits<std::int32_t>::max();
    return kMostProducts / static_cast<std::size_t>(problem.n_owed());
}

void check_rules(const Rules& rules, const RuleBounds& bounds) {
    for (const Rule& rule : rules) {
        check_rule(rule, bounds);
    }
}

}  // namespace slp
