#include "problem/row_functions.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "problem/problem.hpp"

namespace slp {

namespace {

double half_away(double x) {
    const double whole = std::trunc(x);
    return whole + (std::abs(x - whole) >= 0.5 ? std::copysign(1.0, x) : 0.0);
}

double unary(RowOp op, double x) {
    switch (op) {
        case RowOp::negate: return -x;
        case RowOp::absolute: return std::abs(x);
        case RowOp::sign: return static_cast<double>((x > 0) - (x < 0));
        case RowOp::exponential: return std::exp(x);
        case RowOp::logarithm: return std::log(x);
        case RowOp::root: return std::sqrt(x);
        case RowOp::floor: return std::floor(x);
        case RowOp::ceiling: return std::ceil(x);
        case RowOp::truncate: return std::trunc(x);
        default: return half_away(x);
    }
}

double binary(RowOp op, double x, double y) {
    switch (op) {
        case RowOp::add: return x + y;
        case RowOp::subtract: return x - y;
        case RowOp::multiply: return x * y;
        case RowOp::divide: return x / y;
        case RowOp::minimum: return std::min(x, y);
        case RowOp::maximum: return std::max(x, y);
        case RowOp::power: return x == 0 && y < 0 ? NAN : std::pow(x, y);
        case RowOp::quotient: return std::trunc(x / y);
        case RowOp::floored: return std::floor(x / y);
        case RowOp::modulo: return x - y * std::floor(x / y);
        default: return std::fmod(x, y);
    }
}

bool test(RowOp op, double x, double y) {
    switch (op) {
        case RowOp::less: return x < y;
        case RowOp::at_most: return x <= y;
        case RowOp::greater: return x > y;
        case RowOp::at_least: return x >= y;
        case RowOp::equal: return x == y;
        default: return x != y;
    }
}

}  // namespace

bool RowFunction::counts_classes() const {
    return std::find(ops.begin(), ops.end(), RowOp::count) != ops.end();
}

RowFunction::Value RowFunction::operator()(double n_rows, std::span<const double> statistics,
                                           std::vector<double>& stack) const {
    stack.clear();
    Value out{true, 1.0};
    bool fault = false;
    const auto pop = [&] {
        const double x = stack.back();
        stack.pop_back();
        return x;
    };
    for (std::size_t i = 0; i < ops.size(); ++i) {
        const RowOp op = ops[i];
        if (op == RowOp::constant) {
            stack.push_back(operands[i]);
        } else if (op == RowOp::rows) {
            stack.push_back(n_rows);
        } else if (op == RowOp::count) {
            const double c = operands[i];
            stack.push_back(c < 0 ? 0.0 : statistics[static_cast<std::size_t>(c)]);
        } else if (op >= RowOp::less) {
            const double y = pop(), x = pop();
            fault = fault || (out.holds && (std::isnan(x) || std::isnan(y)));
            out.holds = out.holds && (fault || test(op, x, y));
        } else {
            const bool two = op < RowOp::negate;
            const double y = two ? pop() : 0.0, x = pop();
            const double made = two ? binary(op, x, y) : unary(op, x);
            const bool finite = std::isfinite(x) && std::isfinite(y);
            stack.push_back(finite && !std::isfinite(made) ? NAN : made);
        }
    }
    if (labelled) {
        out.label = stack.back();
        if (out.label < 0 && out.label > -kLabelRounding) {
            out.label = 0.0;
        }
    }
    if (fault) {
        out.label = NAN;
    }
    return out;
}

RowWeights::Needs RowWeights::take_fixed(std::int32_t state) {
    log_weights_.clear();
    Needs needs{false, false};
    for (const Rule& rule : problem_.grammar.states[static_cast<std::size_t>(state)]) {
        log_weights_.push_back(rule.log_weight);
        needs.by_rows = needs.by_rows || !rule.rows.empty();
        needs.by_class = needs.by_class || rule.rows.counts_classes();
    }
    return needs;
}

std::span<const double> RowWeights::of(std::int32_t state, std::span<const std::uint32_t> rows) {
    const Needs needs = take_fixed(state);
    if (needs.by_rows) {
        std::uint64_t n_rows = 0;
        for (const std::uint32_t row : rows) {
            n_rows += problem_.table.counts[row];
        }
        statistics_.assign(problem_.leaf.n_statistics(), 0.0);
        problem_.leaf.sum(rows, statistics_.data());
        evaluate(state, static_cast<double>(n_rows), statistics_, needs.by_class);
    }
    return log_weights_;
}

std::span<const double> RowWeights::of(std::int32_t state, double n_rows,
                                       std::span<const double> statistics) {
    const Needs needs = take_fixed(state);
    if (needs.by_rows) {
        evaluate(state, n_rows, statistics, needs.by_class);
    }
    return log_weights_;
}

void RowWeights::evaluate(std::int32_t state, double n_rows, std::span<const double> statistics,
                          bool by_class) {
    const auto& rules = problem_.grammar.states[static_cast<std::size_t>(state)];
    const bool normalise = problem_.grammar.normalise;
    const auto fault = [&](std::int32_t rule, double value) {
        return LabelFault(state, rule, value, n_rows, {statistics.begin(), statistics.end()});
    };
    double holding = 0, all = 0;
    for (std::size_t r = 0; r < rules.size(); ++r) {
        const double fixed = std::exp(rules[r].log_weight);
        if (rules[r].rows.empty()) {
            holding += fixed;
            all += fixed;
            continue;
        }
        const auto found = rules[r].rows(n_rows, statistics, stack_);
        const double label = fixed * found.label;
        const double most = normalise ? 1 + kLabelTolerance : std::nextafter(INFINITY, 0.0);
        if (found.holds && !(label >= 0 && label <= most)) {
            throw fault(static_cast<std::int32_t>(r), label);
        }
        log_weights_[r] = !found.holds             ? -INFINITY
                          : rules[r].rows.labelled ? std::log(label)
                                                   : rules[r].log_weight;
        holding += found.holds ? label : 0.0;
        all += label;
    }
    if (by_class && normalise && !(std::abs(holding - 1) <= kLabelTolerance) &&
        !(std::abs(all - 1) <= kLabelTolerance)) {
        throw fault(-1, holding);
    }
}

}  // namespace slp
