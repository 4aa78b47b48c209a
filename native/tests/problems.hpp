// Problems to sample on, and seeded randomness.

#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "mcmc/randomness.hpp"
#include "problem/key.hpp"
#include "problem/problem.hpp"

namespace slp::test {

using namespace slp;
using namespace slp::exact;

// n rows of two numeric features and one with levels; growtree with splits of probability p^depth.
inline Problem growtree(std::uint32_t n, Measure measure, std::uint64_t seed) {
    Problem out;
    out.table.n_rows = n;
    out.table.counts.assign(n, 1);
    const std::array<std::int32_t, 3> n_codes{static_cast<std::int32_t>(n), 5, 3};
    std::int32_t cells = 0;
    for (std::size_t f = 0; f < 3; ++f) {
        const auto kind = f < 2 ? FeatureKind::values : FeatureKind::levels;
        Feature feature{kind, n_codes[f], {}, {}, cells, {}};
        cells += f < 2 ? 1 : n_codes[f];
        for (std::int32_t i = 0; i < n_codes[f]; ++i) {
            feature.numbers.push_back(i);
        }
        for (std::uint32_t i = 0; i < n; ++i) {
            const std::uint64_t code = f == 0 ? i : split_mix(seed + i * 8 + f);
            feature.codes.push_back(
                static_cast<std::uint32_t>(code % static_cast<std::uint64_t>(n_codes[f])));
        }
        out.table.features.push_back(std::move(feature));
    }
    std::vector<double> statistics;
    for (std::uint32_t i = 0; i < n; ++i) {
        const bool first = split_mix(seed + i) % 3 == 0;
        statistics.push_back(first);
        statistics.push_back(!first);
    }
    out.leaf = LeafModel("dirichlet", {1.0, 1.0}, statistics, 2);
    const std::int32_t depths = 4;
    double p = 0.7;
    for (std::int32_t depth = 0; depth < depths; ++depth, p *= 0.7) {
        Rule leaf{RuleKind::leaf, std::log1p(-p), {}, -1, Measure::each, {}};
        Rule split{RuleKind::split,
                   std::log(p),
                   {},
                   -1,
                   measure,
                   std::vector<std::int32_t>(2 * static_cast<std::size_t>(cells), depth + 1)};
        out.grammar.states.push_back({split, leaf});
    }
    out.grammar.states.push_back({{RuleKind::leaf, 0.0, {}, -1, Measure::each, {}}});
    out.grammar.feature_weights = {1.0, 2.0, 0.5};
    return out;
}

inline mcmc::SeededRandomness randomness(std::uint64_t seed) {
    return mcmc::SeededRandomness({split_mix(seed), split_mix(seed + 1), split_mix(seed + 2), 1});
}

}  // namespace slp::test
