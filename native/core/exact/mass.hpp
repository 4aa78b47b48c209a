// Upper bounds on the weight of all derivations from an item, from its state and its number of
// distinct rows alone.
//
// With a the leaf weight, b the split weight and M(m) the bound for m distinct rows, M(1) = a and
//
//   M(m) = a + b sum_f sum_l M(l) M(m - l)    (measures that give each split weight 1)
//   M(m) = a + b max_l M(l) M(m - l)          (measures with split probabilities)
//
// where l, the size of the left side, occurs at most once for each numeric feature, as its left
// sides grow with the threshold, and a feature has at most one split less than it has codes. States
// have separate bounds while that is quick. A normalised sum is a mean over rules, so at most the
// largest value.

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "exact/numbers.hpp"
#include "log_sum.hpp"
#include "problem/calls.hpp"
#include "problem/problem.hpp"
#include "problem/split_measures.hpp"

namespace slp::exact {

class MassBound {
public:
    explicit MassBound(const Problem& problem)
        : problem_(problem), order_(problem.grammar.states.size()) {
        const std::vector<std::size_t> rank = call_ranks(problem.grammar);
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        std::ranges::stable_sort(order_, {}, [&](std::size_t s) { return rank[s]; });
        find_rows();
        find_weights();
        if (unbounded_) {
            return;
        }
        find_tests();
        if (!bounded_by_state() && quick_by_size()) {
            by_size();
        }
        by_leaves();
    }

    // Log of an upper bound on the weight of all derivations, without likelihood, from a box of
    // `size` distinct rows (1 to n) in a state, whatever it owes. Infinite if labels that count the
    // rows of a class are weights, which have no known bound.
    double of_state(std::uint32_t size, std::int32_t state) const {
        if (unbounded_) {
            return INFINITY;
        }
        if (!by_state_.empty()) {
            return by_state_[static_cast<std::size_t>(state)];
        }
        if (!by_size_.empty()) {
            return at(state, size).log();
        }
        const auto least = static_cast<std::uint64_t>(problem_.grammar.min_leaf);
        const std::uint64_t leaves = std::max<std::uint64_t>(1, most_rows_[size] / least);
        return up_to_leaves_[std::min<std::uint64_t>(leaves, size)];
    }

    // The same in a product state.
    double of_product(std::uint32_t size, std::int32_t product) const {
        const std::int32_t n_owed = problem_.n_owed();
        const double own = of_state(size, product / n_owed);
        if (unbounded_ || !problem_.counted()) {
            return own;
        }
        return std::min(own, by_leaves_[static_cast<std::size_t>(product % n_owed) + 1]);
    }

    // The states, the called before the callers.
    const std::vector<std::size_t>& order() const { return order_; }

private:
    // Upper bounds for the states of a grammar, calls followed: leaf weight, and split weight by
    // kind of measure.
    struct Largest {
        double leaf = 0.0, shared = 0.0, each = 0.0;
    };

    // The pairs of states that splits lead to.
    using Pairs = std::set<std::pair<std::int32_t, std::int32_t>>;

    static Pairs pairs_of(std::span<const std::int32_t> transitions) {
        Pairs out;
        for (std::size_t i = 0; i < transitions.size(); i += 2) {
            if (transitions[i] >= 0) {
                out.emplace(transitions[i], transitions[i + 1]);
            }
        }
        return out;
    }

    void find_rows() {
        std::vector<std::uint32_t> counts = problem_.table.counts;
        std::ranges::sort(counts, std::greater<>());
        most_rows_.assign(1, 0);
        for (const std::uint32_t count : counts) {
            most_rows_.push_back(most_rows_.back() + count);
        }
    }

    // Normalised weights need no bound. Others are evaluated for every number of rows; faults are
    // found when a box is opened.
    void find_weights() {
        constexpr double kMostLabels = 2e7;  // numbers of rows for which labels are evaluated
        std::vector<double> stack;
        const auto n = static_cast<double>(most_rows_.back());
        double work = problem_.grammar.normalise ? INFINITY : 0.0;
        for (const std::vector<Rule>& rules : problem_.grammar.states) {
            for (const Rule& rule : rules) {
                if (!rule.rows.labelled || work == INFINITY) {
                    continue;
                }
                work += n;
                if (rule.rows.counts_classes() || work > kMostLabels) {
                    unbounded_ = true;
                    return;
                }
                double most = 0;
                for (double rows = 1; rows <= n; ++rows) {
                    const RowFunction::Value found = rule.rows(rows, {}, stack);
                    most = found.holds ? std::fmax(most, found.label) : most;
                }
                log_most_[&rule] = rule.log_weight + std::log(most);
            }
        }
    }

    double log_weight(const Rule& rule) const {
        return rule.rows.labelled ? log_most_.at(&rule) : rule.log_weight;
    }

    void find_tests() {
        for (const Feature& feature : problem_.table.features) {
            const std::set<std::uint32_t> codes(feature.codes.begin(), feature.codes.end());
            const std::vector<std::uint32_t> all(codes.begin(), codes.end());
            if (feature.looks_at_response()) {  // boxes may have more than the table
                n_tests_.push_back(feature.most_cuts(all.size()));
                continue;
            }
            std::vector<Cut> cuts;
            feature.list_cuts(all, {}, cuts);
            n_tests_.push_back(cuts.size());
        }
    }

    // Bounds u that are at least the rules' values at u bound the masses, by induction over the
    // derivations' depth. The candidate is 1, or for states that only call, the bound of the state
    // called.
    bool bounded_by_state() {
        const auto& states = problem_.grammar.states;
        const bool normalise = problem_.grammar.normalise;
        std::vector<double> bound(states.size(), 1.0);
        const auto step = [&](std::size_t s) {
            double total = 0, largest = 0;
            for (const Rule& rule : states[s]) {
                double below = 1.0;
                if (rule.kind == RuleKind::call) {
                    below = bound[static_cast<std::size_t>(rule.state)];
                } else if (rule.kind == RuleKind::split) {
                    below = 0.0;
                    for (const auto& [left, right] : pairs_of(rule.transitions)) {
                        below = std::max(below, bound[static_cast<std::size_t>(left)] *
                                                    bound[static_cast<std::size_t>(right)]);
                    }
                }
                total += normalise ? 0.0 : std::exp(log_weight(rule)) * below;
                largest = std::max(largest, below);
            }
            return normalise ? largest : total;
        };
        for (const std::size_t s : order_) {
            bool only_calls = true;
            for (const Rule& rule : states[s]) {
                if (rule.kind == RuleKind::split && !is_subprobability(rule.measure)) {
                    return false;
                }
                only_calls = only_calls && rule.kind == RuleKind::call;
            }
            if (only_calls) {
                bound[s] = step(s);
            }
        }
        for (std::size_t s = 0; s < states.size(); ++s) {
            if (!(step(s) <= bound[s] * (1 + 1e-12))) {
                return false;
            }
        }
        for (const double b : bound) {
            by_state_.push_back(std::log(b));
        }
        return true;
    }

    // Whether the recursion over sizes is quick.
    bool quick_by_size() const {
        // Products of two bounds that the recursion may take: a fraction of a second.
        constexpr double kMostProducts = 3e7;
        double rules = 0;
        for (const auto& state : problem_.grammar.states) {
            rules += static_cast<double>(std::ranges::count(state, RuleKind::split, &Rule::kind));
        }
        const double n = problem_.table.n_rows;
        return rules * static_cast<double>(n_tests_.size()) * n * n / 2 < kMostProducts;
    }

    void by_size() {
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
                        total += own * Scaled::from_log(log_weight(rule));
                    }
                }
                by_size_[s * (n + 1) + size] = total;
            }
        }
    }

    // Bound on the mass below a rule, without its weight.
    Scaled of_rule(const Rule& rule, std::uint32_t size) const {
        if (rule.kind == RuleKind::leaf) {
            return {1.0, 0};
        }
        if (rule.kind == RuleKind::call) {
            return at(rule.state, size);
        }
        Scaled total;
        std::vector<Scaled> by_left;
        Pairs pairs, before;
        for (std::size_t f = 0; f < n_tests_.size(); ++f) {
            pairs = pairs_of(problem_.transitions(rule, f));
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
                total += sum_over_splits(by_left, f, size);
            }
        }
        return total;
    }

    Scaled sum_over_splits(const std::vector<Scaled>& by_left, std::size_t feature,
                                      std::uint32_t size) const {
        const Feature& own = problem_.table.features[feature];
        const std::size_t n = n_tests_[feature];
        if (!own.plain() || own.single()) {
            // The left sides of two cuts may have equally many rows.
            const Scaled most = *std::max_element(by_left.begin(), by_left.end());
            return most * static_cast<double>(own.plain() ? std::min<std::size_t>(n, size) : n);
        }
        Scaled total;
        std::vector<Scaled> sorted = by_left;  // or all of them, in their order
        const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(std::min(n, sorted.size()));
        std::nth_element(sorted.begin(), end, sorted.end(),
                         [](const Scaled& x, const Scaled& y) { return y < x; });
        for (auto x = sorted.begin(); x != end; ++x) {
            total += *x;
        }
        return total;
    }

    // Whether both sides can have min_leaf rows.
    bool can_split(std::uint32_t size, std::uint32_t left) const {
        const auto least = static_cast<std::uint64_t>(problem_.grammar.min_leaf);
        return most_rows_[left] >= least && most_rows_[size - left] >= least &&
               most_rows_[size] >= 2 * least;
    }

    Largest largest() const {
        const auto& states = problem_.grammar.states;
        if (problem_.grammar.normalise) {
            return {1.0, 1.0, 1.0};
        }
        std::vector<Largest> own(states.size());
        Largest out;
        for (const std::size_t s : order_) {
            for (const Rule& rule : states[s]) {
                const double weight = std::exp(log_weight(rule));
                if (rule.kind == RuleKind::leaf) {
                    own[s].leaf += weight;
                } else if (rule.kind == RuleKind::split) {
                    (is_subprobability(rule.measure) ? own[s].shared : own[s].each) += weight;
                } else {
                    const Largest& called = own[static_cast<std::size_t>(rule.state)];
                    own[s].leaf += weight * called.leaf;
                    own[s].shared += weight * called.shared;
                    own[s].each += weight * called.each;
                }
            }
            out = {std::max(out.leaf, own[s].leaf), std::max(out.shared, own[s].shared),
                   std::max(out.each, own[s].each)};
        }
        return out;
    }

    // Trees of k leaves: at most Catalan number C(k-1) shapes, k leaf weights, and k-1 times the
    // split weight over all splits that any box can have.
    void by_leaves() {
        const Largest weights = largest();
        const double n_splits = std::accumulate(n_tests_.begin(), n_tests_.end(), 0.0);
        const double split = std::log(weights.shared + weights.each * std::max(1.0, n_splits));
        const double leaf = std::log(weights.leaf);
        const std::size_t n = problem_.table.n_rows;
        by_leaves_.assign(n + 1, -INFINITY);
        up_to_leaves_.assign(n + 1, -INFINITY);
        double shapes = 0;
        for (std::size_t k = 1; k <= n; ++k) {
            const auto x = static_cast<double>(k);
            by_leaves_[k] = shapes + x * leaf + (k > 1 ? (x - 1) * split : 0.0);
            up_to_leaves_[k] = log_sum(std::array{up_to_leaves_[k - 1], by_leaves_[k]});
            shapes += std::log(2 * (2 * x - 1) / (x + 1));
        }
    }

    const Scaled& at(std::int32_t state, std::uint32_t size) const {
        return by_size_[static_cast<std::size_t>(state) * (problem_.table.n_rows + 1) + size];
    }

    const Problem& problem_;
    // The log of the largest possible label of each rule whose label depends on the rows.
    std::unordered_map<const Rule*, double> log_most_;
    bool unbounded_ = false;
    std::vector<std::size_t> order_;        // see order()
    std::vector<std::uint64_t> most_rows_;  // of the data, in boxes of m distinct rows
    std::vector<std::size_t> n_tests_;      // distinct splits of a feature, at most
    std::vector<double> by_state_;          // logs, where no size matters
    std::vector<Scaled> by_size_;           // (state, size)
    std::vector<double> by_leaves_;         // logs, at index k: trees of exactly k leaves
    std::vector<double> up_to_leaves_;      // logs, at index k: trees of at most k leaves
};

}  // namespace slp::exact
