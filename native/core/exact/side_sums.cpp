#include "exact/side_sums.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace slp::exact {

SideSums::SideSums(const Problem& problem, search::LimitedStates& states, bool likelihood)
    : states_(states),
      cuts_(problem, states, likelihood),
      shares_(problem),
      n_valid_(problem.table.features.size()),
      split_{n_valid_, n_valid_},
      most_(n_valid_.size()) {}

// By feature: the number of valid cuts, the largest of their log likelihoods, and the sum of their
// likelihoods over that of the best.
void SideSums::add_up(const search::CutList& cuts, std::span<double> sums) {
    for (std::size_t f = 0; f < sums.size(); ++f) {
        const std::uint32_t begin = cuts.first[f], end = cuts.first[f + 1];
        double most = -INFINITY, n = 0;
        for (std::uint32_t i = begin; i < end; ++i) {
            if (cuts.valid[i]) {
                most = std::max(most, cuts.value[i]);
                ++n;
            }
        }
        double sum = 0;
        for (std::uint32_t i = begin; i < end; ++i) {
            if (cuts.valid[i]) {
                sum += std::exp(cuts.value[i] - most);
            }
        }
        n_valid_[f] = n;
        most_[f] = most;
        sums[f] = sum;
    }
}

SideSum SideSums::sum(bool right, std::int32_t number) {
    const search::LimitedState& state = states_.of(number);
    const search::CutList& cuts = cuts_.side(right);
    std::vector<double>& split = split_[right];
    if (state.rule == nullptr || state.split == -INFINITY) {
        std::ranges::fill(split, 0.0);
        return {state.leaves + cuts.leaf, state.stop + cuts.leaf, double(state.n_leaves),
                false,                    1.0,                    0.0,
                split};
    }
    add_up(cuts, split);
    const search::LimitedState &left = states_.of(state.left), &below = states_.of(state.right);
    shares_.find(*state.rule, n_valid_);
    const double n_cuts = std::accumulate(n_valid_.begin(), n_valid_.end(), 0.0);
    const double leaves = state.split + left.leaves + below.leaves;
    const double best = state.split + left.stop + below.stop;
    SideSum out{};
    out.can_split = n_cuts > 0;
    const double own = state.log_leaves(out.can_split) + cuts.leaf;
    out.log_best = state.log_stop(out.can_split) + cuts.leaf;
    double top = own;
    for (std::size_t f = 0; f < split.size(); ++f) {
        if (n_valid_[f] > 0) {
            most_[f] += shares_.log_share[f];
            top = std::max(top, leaves + most_[f]);
            out.log_best = std::max(out.log_best, best + most_[f]);
        }
    }
    double total = top > -INFINITY ? std::exp(own - top) : 0.0;
    out.stop = total;
    for (std::size_t f = 0; f < split.size(); ++f) {
        split[f] = n_valid_[f] > 0 && top > -INFINITY
                       ? split[f] * std::exp(leaves + most_[f] - top)
                       : 0.0;
        total += split[f];
    }
    out.log_total = top > -INFINITY ? top + std::log(total) : -INFINITY;
    if (total > 0) {
        out.stop /= total;
        for (double& probability : split) {
            probability /= total;
            out.go_on += probability;
        }
    }
    const double pairs = double(left.n_leaves) * below.n_leaves;
    out.count = state.n_leaves + n_cuts * pairs;
    out.split = split;
    return out;
}

}  // namespace slp::exact
