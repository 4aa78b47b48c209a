#include "mcmc/moves/informed_splits.hpp"

#include <algorithm>
#include <cmath>

#include "mcmc/proposals.hpp"

namespace slp::mcmc {

double LikelySplit::log_informed(double power) const {
    return log_weight + tempered(power, log_likelihood);
}

InformedSplits::InformedSplits(std::shared_ptr<const LikelySplits> own, double at_power)
    : likely(std::move(own)), power(at_power), log_top(-INFINITY) {
    for (const LikelySplit& split : *likely) {
        sums.push_back(split.log_informed(power));
        log_top = std::max(log_top, sums.back());
    }
    double sum = 0.0;
    for (double& up_to : sums) {
        up_to = sum += std::exp(up_to - log_top);
    }
}

double InformedSplits::log_probability(const LikelySplit& split) const {
    return split.log_informed(power) - log_top - std::log(sums.back());
}

const LikelySplit& InformedSplits::find(const Taken& taken) const {
    const auto place = [](const LikelySplit& split) {
        return std::pair(split.feature, split.cut.number());
    };
    const std::pair wanted(static_cast<std::uint32_t>(taken.feature), taken.cut.number());
    const auto found = std::ranges::lower_bound(*likely, wanted, {}, place);
    if (found != likely->end() && place(*found) == wanted) {
        return *found;
    }
    // With a side of missing values, cuts are in another order.
    return *std::ranges::find(*likely, wanted, place);
}

}  // namespace slp::mcmc
