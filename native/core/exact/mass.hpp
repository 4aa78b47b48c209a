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

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "exact/numbers.hpp"
#include "problem/problem.hpp"

namespace slp::exact {

class MassBound {
public:
    explicit MassBound(const Problem& problem);

    // Log of an upper bound on the weight of all derivations, without likelihood, from a box of
    // `size` distinct rows (1 to n) in a state, whatever it owes.
    double of_state(std::uint32_t size, std::int32_t state) const;
    // Infinite if labels that count the rows of a class are weights, which have no known bound.

    // The same in a product state.
    double of_product(std::uint32_t size, std::int32_t product) const;

    // The states, the called before the callers.
    const std::vector<std::size_t>& order() const { return order_; }

private:
    // Upper bounds for the states of a grammar, calls followed: leaf weight, and split weight by
    // kind of measure.
    struct Largest {
        double leaf = 0.0, shared = 0.0, each = 0.0;
    };

    void find_weights();
    void find_rows();
    void find_tests();
    bool bounded_by_state();
    bool quick_by_size() const;
    void by_size();
    Scaled of_rule(const Rule& rule, std::uint32_t size) const;
    Scaled sum_over_splits(const std::vector<Scaled>& by_left, std::size_t feature,
                           std::uint32_t size) const;
    bool can_split(std::uint32_t size, std::uint32_t left) const;
    Largest largest() const;
    void by_leaves();
    const Scaled& at(std::int32_t state, std::uint32_t size) const {
        return by_size_[static_cast<std::size_t>(state) * (problem_.table.n_rows + 1) + size];
    }

    double log_weight(const Rule& rule) const;

    const Problem& problem_;
    // Of rules whose label depends on the rows, the most that it can be, as a logarithm.
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
