// Bounds on masses by state and number of distinct rows: the recursion over sizes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "exact/mass.hpp"
#include "problem/split_measures.hpp"

namespace slp::exact {

namespace {

// Products of two bounds that the recursion over sizes may take: a fraction of a second.
constexpr double kMostProducts = 3e7;

// The pairs of states that a rule's splits of one feature lead to.
std::set<std::pair<std::int32_t, std::int32_t>> pairs_of(const Problem& problem, const Rule& rule,
                                                         std::size_t f) {
    const std::span<const std::int32_t> to = problem.transitions(rule, f);
    std::set<std::pair<std::int32_t, std::int32_t>> out;
    for (std::size_t i = 0; i < to.size(); i += 2) {
        if (to[i] >= 0) {
            out.emplace(to[i], to[i + 1]);
        }
    }
    return out;
}

}  // namespace

bool MassBound::quick_by_size() const {
    double rules = 0;
    for (const auto& state : problem_.grammar.states) {
        for (const Rule& rule : state) {
            rules += rule.kind == RuleKind::split ? 1 : 0;
        }
    }
    const double n = problem_.table.n_rows;
    return rules * static_cast<double>(n_tests_.size()) * n * n / 2 < kMostProducts;
}

void MassBound::by_size() {
    const std::uint32_t n = problem_.table.n_rows;
    const auto& states = problem_.grammar.states;
    by_size_.resize(states.size() * (n + 1));
    for (std::uint32_t size = 1; size <= n; ++size) {
        for (const std::size_t s : order_) {
            Scaled total;
            for (const Rule& rule : states[s]) {
                const Scaled own = of_rule(rule, size);
                if (problem_.grammar.normalise) {
                    total = std::max(total, own);
                } else {
                    total.add(own * Scaled::from_log(log_weight(rule)));
                }
            }
            by_size_[s * (n + 1) + size] = total;
        }
    }
}

// Bound on the mass below a rule, without its weight.
Scaled MassBound::of_rule(const Rule& rule, std::uint32_t size) const {
    if (rule.kind == RuleKind::leaf) {
        return {1.0, 0};
    }
    if (rule.kind == RuleKind::call) {
        return at(rule.state, size);
    }
    Scaled total;
    std::vector<Scaled> by_left;
    std::set<std::pair<std::int32_t, std::int32_t>> pairs, before;
    for (std::size_t f = 0; f < n_tests_.size(); ++f) {
        pairs = pairs_of(problem_, rule, f);
        if (pairs != before) {
            by_left.clear();
            for (std::uint32_t left = 1; left < size; ++left) {
                Scaled most;
                for (const auto& [l, r] : pairs) {
                    if (can_split(size, left)) {
                        most = std::max(most, at(l, left) * at(r, size - left));
                    }
                }
                by_left.push_back(most);
            }
            before = pairs;
        }
        if (pairs.empty() || by_left.empty()) {
            continue;
        }
        if (is_subprobability(rule.measure)) {
            total = std::max(total, *std::max_element(by_left.begin(), by_left.end()));
        } else {
            total.add(sum_over_splits(by_left, f, size));
        }
    }
    return total;
}

Scaled MassBound::sum_over_splits(const std::vector<Scaled>& by_left, std::size_t feature,
                                  std::uint32_t size) const {
    const Feature& own = problem_.table.features[feature];
    const std::size_t n = n_tests_[feature];
    if (!own.plain() || own.kind == FeatureKind::levels) {
        // Two levels may have equally many rows.
        const Scaled most = *std::max_element(by_left.begin(), by_left.end());
        return most * static_cast<double>(own.plain() ? std::min<std::size_t>(n, size) : n);
    }
    Scaled total;
    std::vector<Scaled> sorted = by_left;  // or all of them, in their order
    const auto end =
        sorted.begin() + static_cast<std::ptrdiff_t>(std::min(n, sorted.size()));
    std::nth_element(sorted.begin(), end, sorted.end(),
                     [](const Scaled& x, const Scaled& y) { return y < x; });
    for (auto x = sorted.begin(); x != end; ++x) {
        total.add(*x);
    }
    return total;
}

// Whether both sides can have min_leaf rows.
bool MassBound::can_split(std::uint32_t size, std::uint32_t left) const {
    const auto least = static_cast<std::uint64_t>(problem_.grammar.min_leaf);
    return most_rows_[left] >= least && most_rows_[size - left] >= least &&
           most_rows_[size] >= 2 * least;
}

}  // namespace slp::exact
