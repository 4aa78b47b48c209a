#include "problem/applicable_rules.hpp"

#include <algorithm>
#include <cstddef>

namespace slp {

bool has_majority(std::span<const std::int32_t> classes, std::span<const double> statistics) {
    if (classes.empty()) {
        return true;
    }
    const double most = *std::max_element(statistics.begin(), statistics.end());
    return std::all_of(classes.begin(), classes.end(), [&](std::int32_t c) {
        const double own = c < 0 ? 0.0 : statistics[static_cast<std::size_t>(c)];
        return own >= most * (1 - kEqualWeights);
    });
}

double PlainBox::divisor(const Grammar& grammar, const Rules& rules) const {
    double sum = 0.0;
    for (const Rule& rule : rules) {
        sum += reach(grammar, rule).applies ? std::exp(rule.log_weight) : 0.0;
    }
    return grammar.normalise && sum > 0.0 ? sum : 1.0;
}

}  // namespace slp
