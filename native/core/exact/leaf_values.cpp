#include "exact/leaf_values.hpp"

#include "exact/numbers.hpp"

namespace slp::exact {

LeafValues::LeafValues(const Problem& problem, bool likelihood, double log_scale)
    : model_(problem.leaf), likelihood_(likelihood), log_scale_(log_scale) {
    if (!likelihood || !counts_rows_of_classes(problem)) {
        return;
    }
    double total = 0;
    for (const double a : model_.hyperparameters()) {
        double product = 1;
        for (std::uint32_t i = 0; i < kTabulated; ++i) {
            rising_.push_back(product);
            product *= a + i;
        }
        total += a;
    }
    // Outside the range of doubles leaves would have weight 0, and no sum above would show it.
    double product = 1;
    for (std::uint32_t i = 0; i < kTabulated && product <= kHuge; ++i) {
        total_.push_back(std::exp(log_scale * i) / product);
        product *= total + i;
    }
}

}  // namespace slp::exact
