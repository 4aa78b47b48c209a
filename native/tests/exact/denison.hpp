// Problems over all trees, each split weighted, and the same sum by a plain recursion.

#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "exact/engine.hpp"
#include "problem/key.hpp"
#include "problem/problem.hpp"

namespace slp::test {

// n rows of d numeric features with c codes, two classes, phi^-splits over all trees.
inline Problem denison(std::uint32_t n, std::uint32_t d, std::uint32_t c, std::uint64_t seed) {
    Problem out;
    out.table.n_rows = n;
    out.table.counts.assign(n, 1);
    for (std::uint32_t f = 0; f < d; ++f) {
        Feature feature{FeatureKind::values,
                        static_cast<std::int32_t>(c),
                        {},
                        {},
                        static_cast<std::int32_t>(f),
                        {}};
        for (std::uint32_t i = 0; i < c; ++i) {
            feature.numbers.push_back(i);
        }
        for (std::uint32_t i = 0; i < n; ++i) {
            // the last feature tells all rows apart
            const std::uint64_t code = f + 1 == d ? i : split_mix(seed + i * 64 + f);
            feature.codes.push_back(static_cast<std::uint32_t>(code % c));
        }
        out.table.features.push_back(std::move(feature));
    }
    std::vector<double> statistics;
    for (std::uint32_t i = 0; i < n; ++i) {
        const bool first = split_mix(seed + i) % 2 == 0;
        statistics.push_back(first);
        statistics.push_back(!first);
    }
    out.leaf = LeafModel("dirichlet", {1.0, 1.0}, statistics, 2);
    Rule leaf{RuleKind::leaf, 0.0, {}, -1, Measure::each, {}};
    Rule split{RuleKind::split, -2.0, {}, -1, Measure::each, std::vector<std::int32_t>(2 * d, 0)};
    out.grammar.states = {{split, leaf}};
    out.grammar.normalise = false;
    out.grammar.feature_weights.assign(d, 1.0);
    return out;
}

// The same sum by a recursion over sets of rows.
inline double sum_over_trees(const Problem& p, const std::vector<std::uint32_t>& rows,
                             std::map<std::vector<std::uint32_t>, double>& done) {
    if (const auto found = done.find(rows); found != done.end()) {
        return found->second;
    }
    std::vector<double> statistics(2);
    p.leaf.sum(rows, statistics.data());
    double total = std::exp(p.leaf.log_marginal(statistics.data()));
    for (const Feature& feature : p.table.features) {
        for (std::uint32_t code = 0; code < static_cast<std::uint32_t>(feature.n_codes); ++code) {
            std::vector<std::uint32_t> left, right;
            bool occurs = false;
            for (const std::uint32_t row : rows) {
                occurs |= feature.codes[row] == code;
                (feature.codes[row] <= code ? left : right).push_back(row);
            }
            if (occurs && !right.empty()) {
                total += std::exp(-2.0) * sum_over_trees(p, left, done) *
                         sum_over_trees(p, right, done);
            }
        }
    }
    return done[rows] = total;
}

// The same with features of two values.
inline Problem bits(std::uint32_t n, std::uint32_t d, std::uint64_t seed) {
    Problem out = denison(n, d, 2, seed);
    // All rows are distinct: the first features spell their numbers.
    for (std::uint32_t i = 0; i < n; ++i) {
        for (std::uint32_t f = 0; f < d && (n - 1) >> f != 0; ++f) {
            out.table.features[f].codes[i] = i >> f & 1;
        }
    }
    return out;
}

inline constexpr std::size_t kPlenty = std::size_t{1} << 30;

// A pass that keeps its items.
inline exact::PassTask task(exact::Quantity quantity, std::size_t threads = 1, bool scaled = false,
                            std::size_t memory = kPlenty) {
    exact::PassTask out;
    out.quantity = quantity;
    out.scaled = scaled;
    out.length = 16;
    out.memory = memory;
    out.n_threads = threads;
    return out;
}

}  // namespace slp::test
