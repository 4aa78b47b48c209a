// Which leaves of a finished tree lie above which others on a feature.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mcmc/proof.hpp"
#include "problem/problem.hpp"

namespace slp::mcmc {

// The regions of the leaves of one tree, numbered from left to right; one for each thread.
class LeafOrder {
public:
    explicit LeafOrder(const Problem& problem) : problem_(problem) {}

    // Goes to a tree.
    void find(const Proof& proof);

    std::size_t n_leaves() const { return regions_.size(); }
    // Whether a point of leaf `high` has a larger value of a feature than one of leaf `low` that
    // equals it in all others.
    bool above(std::size_t high, std::size_t low, std::uint32_t feature) const {
        // regions are disjoint, so where these meet one is below the other
        return regions_[low][feature].lo < regions_[high][feature].lo &&
               meet(regions_[low], regions_[high], feature);
    }

private:
    // The values of one feature in a region: lo <= value < hi of a numeric feature; `levels` says
    // for each level of a categorical feature whether the region has it.
    struct FeatureRange {
        double lo, hi;
        std::vector<bool> levels;
    };
    using Region = std::vector<FeatureRange>;

    void narrow(Region& region, const Taken& taken, bool left) const;
    static bool meet(const Region& a, const Region& b, std::size_t without);

    const Problem& problem_;
    std::vector<Region> regions_;
};

}  // namespace slp::mcmc
