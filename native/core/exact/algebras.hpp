// The value that a search computes for every item, from its edges and the values of the items that
// they lead to.
//
// An algebra has a `Ref`, how a value is held while an item is worked on (the value itself, or
// where it lies in the table), and `evaluate`, which takes the refs edge after edge through all
// rules. It returns false where a number leaves the range of its type.

#pragma once

#include <algorithm>
#include <cstdint>

#include "exact/block_grammar.hpp"
#include "exact/numbers.hpp"
#include "problem/edges.hpp"

namespace slp::exact {

// Of an item the total weight of all derivations (log Q in the end), the weight of the best one, or
// their number: exact below 2^53, inf beyond the doubles.
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
                add(factor, total);
            }
            Number sum;
            for (const Edge& edge : rule.edges) {
                add(rule.kind == RuleKind::call ? left[k] : weight(edge, left[k], right[k]), sum);
                ++k;
            }
            if (!rule.edges.empty()) {
                add(sum * factor, total);
            }
        }
        total.store(out);
        return kSum != Sum::total || total.in_range() ||
               (total.is_zero() && derives_nothing(item, left, right));
    }

    // Of totals: the probability of each leaf rule and each edge given the item, whose value is
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
                                   : left * value(edge.right) * edge.probability,
                               total);
            }
        }
    }

private:
    Number factor_of(const RuleEdges& rule, const ItemEdges& item) const {
        const bool data = rule.kind == RuleKind::leaf && likelihood_;
        return Number::from_log(
            kSum == Sum::count ? 0.0 : rule.log_factor + (data ? item.log_likelihood : 0.0));
    }

    static Number weight(const Edge& edge, const Number& left, const Number& right) {
        if constexpr (kSum == Sum::count) {  // 0 times inf is 0
            return left.is_zero() || right.is_zero() ? Number() : left * right;
        } else {
            return left * right * edge.probability;
        }
    }

    static void add(const Number& x, Number& to) {
        if constexpr (kSum == Sum::best) {
            to = std::max(to, x);
        } else {
            to.add(x);
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

}  // namespace slp::exact
