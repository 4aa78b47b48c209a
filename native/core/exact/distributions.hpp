// Algebras whose values are vectors of conditional probabilities beside an item's total weight.
//
// All of them add up, over the edges, the probability of the edge given its item times a
// combination of the children's vectors. The only subtractions are of probabilities from 1, so
// small ones have the same relative accuracy as large ones. Layout of a value: the total (Scaled),
// then the vector.

#pragma once

#include <algorithm>
#include <cstdint>

#include "exact/numbers.hpp"
#include "problem/edges.hpp"

namespace slp::exact {

// Reads and writes the vectors. `Combine` has
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
            const Scaled factor = factor_of(rule, item);
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
                    const double probability = ratio(below * edge.probability * factor, total);
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
    Scaled factor_of(const RuleEdges& rule, const ItemEdges& item) const {
        const bool data = rule.kind == RuleKind::leaf && likelihood_;
        return Scaled::from_log(rule.log_factor + (data ? item.log_likelihood : 0.0));
    }

    Scaled total_of(const ItemEdges& item, const Ref* left, const Ref* right) const {
        Scaled total;
        std::size_t k = 0;
        for (const RuleEdges& rule : item.rules) {
            const Scaled factor = factor_of(rule, item);
            if (rule.kind == RuleKind::leaf) {
                total.add(factor);
            }
            for (const Edge& edge : rule.edges) {
                Scaled below = Scaled::load(left[k]);
                if (rule.kind == RuleKind::split) {
                    below = below * Scaled::load(right[k]) * edge.probability;
                }
                total.add(below * factor);
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
