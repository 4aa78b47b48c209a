// What values of boxes on a cube are made of, and how.

#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "exact/chain.hpp"
#include "exact/cube.hpp"
#include "exact/problem.hpp"
#include "exact/products.hpp"
#include "exact/uniform_search.hpp"

namespace slp::exact {

// Everything that values on a cube are made of.
struct CubeModel {
    const Problem& problem;
    const CubeTable& table;
    const Chain& chain;
    Shares shares;
    LeafValues leaf;
    // Rows of the data that a box must have; no more than the root has.
    std::uint32_t least;

    std::size_t n_places() const { return chain.links.size(); }

    // At how many places, from the first on, a box that so many features part can be met: each split
    // on the way to it was on another feature.
    std::size_t n_places_of(std::uint64_t varying) const {
        const auto free = static_cast<std::size_t>(std::popcount(varying));
        return std::min(n_places(), table.features.size() - free + 1);
    }
};

// Value of a box at one place. sum: over its splits, weight times values, shares left out; weights: of
// its splits.
template <Sum kSum>
double value_at(const CubeModel& model, std::size_t place, double leaf, double sum,
                double weights) {
    const Chain::Link& link = model.chain.links[place];
    if (!(weights > 0.0)) {
        return link.leaf_alone * leaf;
    }
    double value = link.leaf * leaf;
    if (link.split > 0.0) {
        add_term<kSum>(link.split * model.shares.common(weights) * sum, value);
    }
    return value;
}

// Adds the values of a split at the first n places: those of its sides at the next place.
template <Sum kSum, bool kVector>
void add_split(const CubeModel& model, double weight, const double* left, const double* right,
               std::size_t n, double* sum) {
    if constexpr (kVector) {
        const std::size_t last = model.n_places() - 1;
        for (std::size_t t = 0; t < std::min(n, last); ++t) {
            add_term<kSum>(weight * left[t + 1] * right[t + 1], sum[t]);
        }
        if (n > last && model.chain.endless) {
            add_term<kSum>(weight * left[last] * right[last], sum[last]);
        }
    } else {
        add_term<kSum>(weight * *left * *right, *sum);
    }
}

}  // namespace slp::exact
