// The value that a search computes for every item, from its edges and the values of the items that
// they lead to.
//
// An algebra has a `Ref`, how a value is held while an item is worked on (the value itself, or
// where it lies in the table), and `evaluate`, which takes the refs edge after edge through all
// rules. It returns false where a number leaves the range of its type.

#pragma once

#include <algorithm>
#include <cstdint>

#include "exact/numbers.hpp"
#include "problem/edges.hpp"

namespace slp::exact {

// Total weight of all derivations of an item: log Q in the end.
template <typename N>
class SumAlgebra {
public:
    using Number = N;
    using Ref = Number;
    static constexpr bool kByValue = true;

    explicit SumAlgebra(bool likelihood) : likelihood_(likelihood) {}
    std::size_t words() const { return Number::kWords; }
    static Ref load(const std::uint64_t* w) { return Number::load(w); }

    bool evaluate(const ItemEdges& item, const BoxSplit*, const Ref* left, const Ref* right,
                  std::uint64_t* out) const {
        Number total;
        std::size_t k = 0;
        for (const RuleEdges& rule : item.rules) {
            if (rule.kind == RuleKind::leaf) {
                total.add(Number::from_log(rule.log_factor +
                                           (likelihood_ ? item.log_likelihood : 0.0)));
            } else if (rule.kind == RuleKind::call) {
                total.add(left[k++] * Number::from_log(rule.log_factor));
            } else {
                Number sum;
                for (const Edge& edge : rule.edges) {
                    sum.add(left[k] * right[k] * edge.probability);
                    ++k;
                }
                total.add(sum * Number::from_log(rule.log_factor));
            }
        }
        total.store(out);
        return total.in_range() || (total.is_zero() && derives_nothing(item, left, right));
    }

    // Probability of each leaf rule and each edge given the item, whose value is `own`. `find`
    // gives values by key, or null.
    template <typename Find>
    void edge_probabilities(const ItemEdges& item, const std::uint64_t* own, double* out,
                            const Find& find) const {
        const Number total = load(own);
        const auto value = [&](Key key) {
            const std::uint64_t* const found = find(key);
            return found == nullptr ? Number() : load(found);
        };
        for (const RuleEdges& rule : item.rules) {
            if (rule.kind == RuleKind::leaf) {
                *out++ = ratio(
                    Number::from_log(rule.log_factor + (likelihood_ ? item.log_likelihood : 0.0)),
                    total);
            }
            const Number factor = Number::from_log(rule.log_factor);
            for (const Edge& edge : rule.edges) {
                const Number left = value(edge.left) * factor;
                *out++ = ratio(rule.kind == RuleKind::call
                                   ? left
                                   : left * value(edge.right) * edge.probability,
                               total);
            }
        }
    }

private:
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

// Weight of the best derivation of an item.
template <typename Number>
class BestAlgebra {
public:
    using Ref = Number;
    static constexpr bool kByValue = true;

    explicit BestAlgebra(bool likelihood) : likelihood_(likelihood) {}
    std::size_t words() const { return Number::kWords; }
    static Ref load(const std::uint64_t* w) { return Number::load(w); }

    bool evaluate(const ItemEdges& item, const BoxSplit*, const Ref* left, const Ref* right,
                  std::uint64_t* out) const {
        Number best;
        std::size_t k = 0;
        for (const RuleEdges& rule : item.rules) {
            const double extra =
                rule.kind == RuleKind::leaf && likelihood_ ? item.log_likelihood : 0.0;
            const Number factor = Number::from_log(rule.log_factor + extra);
            if (rule.kind == RuleKind::leaf) {
                best = std::max(best, factor);
            }
            for (const Edge& edge : rule.edges) {
                Number weight = left[k] * factor * edge.probability;
                if (rule.kind == RuleKind::split) {
                    weight = weight * right[k];
                }
                best = std::max(best, weight);
                ++k;
            }
        }
        best.store(out);
        return true;
    }

private:
    bool likelihood_;
};

// Number of derivations of an item; exact below 2^53, inf beyond the doubles.
class CountAlgebra {
public:
    using Ref = Linear;
    static constexpr bool kByValue = true;

    std::size_t words() const { return Linear::kWords; }
    static Ref load(const std::uint64_t* w) { return Linear::load(w); }

    bool evaluate(const ItemEdges& item, const BoxSplit*, const Ref* left, const Ref* right,
                  std::uint64_t* out) const {
        double total = 0;
        std::size_t k = 0;
        for (const RuleEdges& rule : item.rules) {
            total += rule.kind == RuleKind::leaf ? 1.0 : 0.0;
            for (std::size_t i = 0; i < rule.edges.size(); ++i, ++k) {
                const double other = rule.kind == RuleKind::call ? 1.0 : right[k].m;
                total += left[k].m == 0.0 || other == 0.0 ? 0.0 : left[k].m * other;
            }
        }
        Linear{total}.store(out);
        return true;
    }
};

}  // namespace slp::exact
