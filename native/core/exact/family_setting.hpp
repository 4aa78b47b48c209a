// What all who work on the families of one table have in common.

#pragma once

#include <cstdint>

#include "exact/chain.hpp"
#include "exact/geometry.hpp"
#include "exact/problem.hpp"

namespace slp::exact {

struct FamilySetting {
    const Problem& problem;
    const Geometry& geometry;
    Chain chain;
    std::uint32_t inner;
    // Whether the leaves' marginal likelihoods are in the weights.
    bool likelihood;
    // Log by which a value is multiplied for each row of the data.
    double log_scale;
    Box root;
    // A feature that no tree splits on, though its splits keep their shares; -1: none.
    std::int32_t excluded = -1;

    bool is_excluded(std::uint32_t feature) const {
        return static_cast<std::int32_t>(feature) == excluded;
    }
};

}  // namespace slp::exact
