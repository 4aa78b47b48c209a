#include "mcmc/leaf_order.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace slp::mcmc {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

void LeafOrder::find(const Proof& proof) {
    regions_.clear();
    Region everywhere;
    for (const Feature& feature : problem_.table.features) {
        everywhere.push_back(
            {-kInfinity, kInfinity,
             std::vector<bool>(feature.single() ? static_cast<std::size_t>(feature.n_codes) : 0,
                               true)});
    }
    std::vector<Region> stack{std::move(everywhere)};  // regions of the goals to come
    for (const ProofNode& node : proof.nodes) {
        Region region = std::move(stack.back());
        stack.pop_back();
        if (node.n_parts() == 0) {
            regions_.push_back(std::move(region));
        } else if (node.n_parts() == 1) {
            stack.push_back(std::move(region));
        } else {
            stack.push_back(region);
            narrow(stack.back(), node.taken, false);
            stack.push_back(std::move(region));
            narrow(stack.back(), node.taken, true);
        }
    }
}

void LeafOrder::narrow(Region& region, const Taken& taken, bool left) const {
    const auto f = static_cast<std::size_t>(taken.feature);
    const Feature& feature = problem_.table.features[f];
    FeatureRange& side = region[f];
    if (feature.single()) {
        const bool has = side.levels[taken.cut.code()];
        if (left) {
            side.levels.assign(side.levels.size(), false);
        }
        side.levels[taken.cut.code()] = left && has;
        return;
    }
    const double threshold = feature.threshold(taken.cut);
    if (left) {
        side.hi = std::min(side.hi, threshold);
    } else {
        side.lo = std::max(side.lo, threshold);
    }
}

bool LeafOrder::meet(const Region& a, const Region& b, std::size_t without) {
    for (std::size_t f = 0; f < a.size(); ++f) {
        if (f == without) {
            continue;
        }
        if (a[f].levels.empty()) {
            if (!(a[f].lo < b[f].hi && b[f].lo < a[f].hi)) {
                return false;
            }
        } else {
            bool common = false;
            for (std::size_t i = 0; i < a[f].levels.size(); ++i) {
                common |= a[f].levels[i] && b[f].levels[i];
            }
            if (!common) {
                return false;
            }
        }
    }
    return true;
}

}  // namespace slp::mcmc
