// The constraints of a grammar that are decided at splits and leaves, asked of a finished tree.

#pragma once

#include <cstdint>
#include <vector>

#include "mcmc/proof.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"

namespace slp::mcmc {

// Whether a tree has a derivation in a grammar of which each state has at most one split rule and
// one leaf rule.
class InLanguage {
public:
    InLanguage(const Problem& problem, const Geometry& geometry);
    bool holds(const Proof& proof);

private:
    bool leaf_allowed(const Rule& rule, Rows rows);

    const Problem& problem_;
    const Geometry& geometry_;
    std::vector<std::int32_t> states_;
    std::vector<double> statistics_;
};

}  // namespace slp::mcmc
