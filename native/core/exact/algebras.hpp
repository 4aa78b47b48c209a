// The value that a search computes for every item, from its edges and the values of the items that
// they lead to.
//
// An algebra has a `Ref`, how a value is held while an item is worked on (the value itself, or
// where it lies in the table), and `evaluate`, which takes the refs edge after edge through all
// rules. It returns false where a number leaves the range of its type.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "exact/block_grammar.hpp"
#include "exact/interval_blocks/products.hpp"
#include "exact/numbers.hpp"
#include "problem/edges.hpp"

namespace slp::exact {

// Log of a rule's weight, with that of its data if it is a leaf and `likelihood` says so.
inline double log_factor(const RuleEdges& rule, const ItemEdges& item, bool likelihood) {
    const bool data = rule.kind == RuleKind::leaf && likelihood;
    return rule.log_factor + (data ? item.log_likelihood : 0.0);
}

// For an item, the total weight of all derivations (log Q in the end), the weight of the best one,
// or their number: exact below 2^53, inf beyond the doubles.
template <typename Number, Sum kOf>
class WeightAlgebra {
public:
    using Ref = Number;
    using Total = Number;  // what a stored value begins with
    static constexpr bool kByValue = true;
    static constexpr Sum kSum = kOf;

    explicit WeightAlgebra(bool likelihood) : likelihood_(likelihood) {}
    std::size_t words() const { return Number::kWords; }
    static Ref load(const std::uint64_t* w) { return Number::load(w); }

    bool evaluate(const ItemEdges& item, const BoxSplit*, const Ref* left, const Ref* right,
                  std::uint64_t* out) const {
        Number total;
        std::size_t k = 0;
        for (const RuleEdges& rule : item.rules) {
            const Number factor = factor_of(rule, item);
            if (rule.kind == RuleKind::leaf) {
                add_term<kSum>(factor, total);
            }
            Number sum;
            for (const Edge& edge : rule.edges) {
                const bool is_call = rule.kind == RuleKind::call;
                add_term<kSum>(is_call ? left[k] : weight(edge, left[k], right[k]), sum);
                ++k;
            }
            if (!rule.edges.empty()) {
                add_term<kSum>(sum * factor, total);
            }
        }
        total.store(out);
        return kSum != Sum::total || total.in_range() ||
               (total.is_zero() && derives_nothing(item, left, right));
    }

    // For totals: the probability of each leaf rule and each edge given the item, whose value is
    // `own`. `find` gives values by key, or null.
    template <typename Find>
    void edge_probabilities(const ItemEdges& item, const std::uint64_t* own, double* out,
                            const Find& find) const {
        const Number total = load(own);
        const auto value = [&](Key key) {
            const std::uint64_t* const found = find(key);
            return found == nullptr ? Number() : load(found);
        };
        for (const RuleEdges& rule : item.rules) {
            const Number factor = factor_of(rule, item);
            if (rule.kind == RuleKind::leaf) {
                *out++ = ratio(factor, total);
            }
            for (const Edge& edge : rule.edges) {
                const Number left = value(edge.left) * factor;
                *out++ = ratio(rule.kind == RuleKind::call
                                   ? left
                                   : (left * value(edge.right)).times(edge),
                               total);
            }
        }
    }

private:
    Number factor_of(const RuleEdges& rule, const ItemEdges& item) const {
        return Number::from_log(kSum == Sum::count ? 0.0 : log_factor(rule, item, likelihood_));
    }

    static Number weight(const Edge& edge, const Number& left, const Number& right) {
        if constexpr (kSum == Sum::count) {  // 0 times inf is 0
            return left.is_zero() || right.is_zero() ? Number() : left * right;
        } else {
            return (left * right).times(edge);
        }
    }

    static bool derives_nothing(const ItemEdges& item, const Ref* left, const Ref* right) {
        std::size_t k = 0;
        for (const RuleEdges& rule : item.rules) {
            if (rule.kind == RuleKind::leaf) {
                return false;
            }
            for (std::size_t i = 0; i < rule.edges.size(); ++i, ++k) {
                if (!left[k].is_zero() && (rule.kind == RuleKind::call || !right[k].is_zero())) {
                    return false;
                }
            }
        }
        return true;
    }

    bool likelihood_;
};

// Algebras whose values are vectors of conditional probabilities beside an item's total weight.
//
// All of them add up, over the edges, the probability of the edge given its item times a
// combination of the children's vectors. The only subtractions are of probabilities from 1, so
// small ones have the same relative accuracy as large ones. Layout of a value: the total (Scaled),
// then the vector. `Combine` has
//   std::size_t size
//   void split(double probability, const BoxSplit&, const double* x, const double* y,
//              double* out) const
template <typename Combine>
class VectorAlgebra {
public:
    using Ref = const std::uint64_t*;
    using Total = Scaled;
    static constexpr bool kByValue = false;

    VectorAlgebra(bool likelihood, Combine combine)
        : likelihood_(likelihood), combine_(std::move(combine)) {}

    std::size_t words() const { return Scaled::kWords + combine_.size; }
    static Ref load(const std::uint64_t* w) { return w; }

    bool evaluate(const ItemEdges& item, const BoxSplit* splits, const Ref* left,
                  const Ref* right, std::uint64_t* out) const {
        const Scaled total = total_of(item, left, right);
        total.store(out);
        double* const vector = numbers(out);
        std::fill_n(vector, combine_.size, 0.0);
        if (total.is_zero()) {
            return true;
        }
        std::size_t k = 0;
        for (const RuleEdges& rule : item.rules) {
            const Scaled factor = Scaled::from_log(log_factor(rule, item, likelihood_));
            if (rule.kind == RuleKind::leaf) {
                vector[0] += ratio(factor, total);
            }
            for (const Edge& edge : rule.edges) {
                if (rule.kind == RuleKind::call) {
                    const double probability = ratio(factor * Scaled::load(left[k]), total);
                    for (std::size_t i = 0; i < combine_.size; ++i) {
                        vector[i] += probability * numbers(left[k])[i];
                    }
                } else {
                    const Scaled below = Scaled::load(left[k]) * Scaled::load(right[k]);
                    const double probability = ratio(below.times(edge) * factor, total);
                    if (probability > 0) {
                        combine_.split(probability, splits[edge.split], numbers(left[k]),
                                       numbers(right[k]), vector);
                    }
                }
                ++k;
            }
        }
        return true;
    }

    static const double* numbers(const std::uint64_t* value) {
        return reinterpret_cast<const double*>(value + Scaled::kWords);
    }
    static double* numbers(std::uint64_t* value) {
        return reinterpret_cast<double*>(value + Scaled::kWords);
    }

private:
    Scaled total_of(const ItemEdges& item, const Ref* left, const Ref* right) const {
        Scaled total;
        std::size_t k = 0;
        for (const RuleEdges& rule : item.rules) {
            const Scaled factor = Scaled::from_log(log_factor(rule, item, likelihood_));
            if (rule.kind == RuleKind::leaf) {
                total += factor;
            }
            for (const Edge& edge : rule.edges) {
                Scaled below = Scaled::load(left[k]);
                if (rule.kind == RuleKind::split) {
                    below = (below * Scaled::load(right[k])).times(edge);
                }
                total += below * factor;
                ++k;
            }
        }
        return total;
    }

    bool likelihood_;
    Combine combine_;
};

// Probability of 1 to `size` leaves.
struct LeafNumber {
    std::size_t size;

    void split(double probability, const BoxSplit& split, const double* x, const double* y,
               double* out) const {
        // A side of m distinct rows has at most m leaves.
        const std::size_t left = std::min<std::size_t>(distinct_rows(split.left_sizes), size);
        for (std::size_t i = 0; i < left; ++i) {
            const double weight = probability * x[i];
            if (weight == 0.0) {
                continue;
            }
            for (std::size_t j = 0; i + j + 1 < size; ++j) {
                out[i + j + 1] += weight * y[j];
            }
        }
    }
};

// Probability of depth 0 to `size - 1` (the splits on the longest path).
struct TreeDepth {
    std::size_t size;

    void split(double probability, const BoxSplit&, const double* x, const double* y,
               double* out) const {
        double x_below = 0, y_up_to = 0;  // probability of a depth below t, of one up to t
        for (std::size_t t = 0; t + 1 < size; ++t) {
            y_up_to += y[t];
            out[t + 1] += probability * (x[t] * y_up_to + x_below * y[t]);
            x_below += x[t];
        }
    }
};

}  // namespace slp::exact
