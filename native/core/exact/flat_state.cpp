#include "exact/flat_state.hpp"

#include <algorithm>
#include <cmath>

namespace slp::exact {

namespace {

class Flattening {
public:
    Flattening(const Grammar& grammar, Sum sum, Obstacle& obstacle)
        : grammar_(grammar), sum_(sum), obstacle_(obstacle) {}

    // Adds the rules of a state, taken with these weights: in boxes that cannot be split, and in
    // those that can. False if they need more than one pair of weights.
    bool flatten(std::int32_t state, double alone, double split, Flat& out) {
        double sum_alone = 0.0, sum_split = 0.0;
        const Rules& rules = grammar_.states[static_cast<std::size_t>(state)];
        for (const Rule& rule : rules) {
            if (!rule.rows.empty()) {
                return stop_at(Obstacle::rows);
            }
            const double own = weight_of(rule);
            sum_split += own;
            sum_alone += rule.kind == RuleKind::split ? 0.0 : own;
        }
        const bool normalise = grammar_.normalise && sum_ != Sum::count;
        const double by_alone = normalise && sum_alone > 0.0 ? alone / sum_alone : alone;
        const double by_split = normalise && sum_split > 0.0 ? split / sum_split : split;
        for (const Rule& rule : rules) {
            const double own = weight_of(rule);
            if (rule.log_weight == -INFINITY) {
                continue;
            }
            if (rule.kind == RuleKind::leaf) {
                if (out.majority != nullptr || (!rule.majority.empty() && out.may_stop)) {
                    return stop_at(Obstacle::majority);
                }
                out.majority = rule.majority.empty() ? nullptr : &rule;
                out.may_stop = true;
                add_leaf(own * by_alone, out.leaf_alone);
                add_leaf(own * by_split, out.leaf);
            } else if (rule.kind == RuleKind::split) {
                if (!out.splits.empty() && rule.measure != out.splits.front().rule->measure) {
                    return stop_at(Obstacle::measures);
                }
                out.splits.push_back({own * by_split, &rule});
                out.split_only = normalise && !grammar_.condition ? 1.0 : own * by_split;
            } else {
                out.calls = true;
                if (!flatten(rule.state, own * by_alone, own * by_split, out)) {
                    return false;
                }
            }
        }
        return true;
    }

private:
    bool stop_at(Obstacle found) {
        obstacle_ = found;
        return false;
    }

    double weight_of(const Rule& rule) const {
        return sum_ == Sum::count ? 1.0 : std::exp(rule.log_weight);
    }

    void add_leaf(double x, double& to) const { to = sum_ == Sum::best ? std::max(to, x) : to + x; }

    const Grammar& grammar_;
    Sum sum_;
    Obstacle& obstacle_;
};

}  // namespace

std::optional<Flat> flat_state(const Grammar& grammar, Sum sum, std::int32_t state,
                               Obstacle& obstacle) {
    Flat out;
    if (!Flattening(grammar, sum, obstacle).flatten(state, 1.0, 1.0, out)) {
        return std::nullopt;
    }
    return out;
}

}  // namespace slp::exact
