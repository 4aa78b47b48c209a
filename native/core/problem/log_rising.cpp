#include "problem/log_rising.hpp"

#include <algorithm>
#include <cmath>

namespace slp {

namespace {

// From here on the next term of Stirling's series is below 2e-16.
constexpr double kFar = 16;
// log(1 + t) and log t are the same double from here on; products of kFar ratios are doubles below.
constexpr double kLargeRatio = 0x1p60;

// log Gamma(z) - (z - 1/2) log z + z - log(2 pi) / 2 (Abramowitz & Stegun 6.1.41).
double rest_of_series(double z) {
    const double square = 1 / (z * z);
    return (1.0 / 12 +
            square * (-1.0 / 360 +
                      square * (1.0 / 1260 + square * (-1.0 / 1680 + square * (1.0 / 1188))))) /
           z;
}

}  // namespace

double log_rising(double a, double x) {
    if (!(x > 0)) {
        return 0.0;
    }
    // Gamma(a + x) / Gamma(a) is its value one step up over (a + x) / a. The product of these
    // ratios is kept less 1, so that small x lose nothing.
    double logs = 0.0, ratios = 0.0;
    for (; a < kFar; a += 1) {
        const double ratio = x / a;
        if (ratio > kLargeRatio) {
            logs += std::log(x) - std::log(a);
        } else {
            ratios += ratio + ratios * ratio;
        }
    }
    const double series = (a - 0.5) * std::log1p(x / a) + x * (std::log(a + x) - 1) +
                          rest_of_series(a + x) - rest_of_series(a);
    return series - std::log1p(ratios) - logs;
}

LogRising::LogRising(double a, double most) : a_(a) {
    const double longest = static_cast<double>(kLongestTable) - 1;
    const auto length = static_cast<std::size_t>(std::clamp(most, 0.0, longest)) + 1;
    table_.reserve(length);
    long double sum = 0;  // extended precision, so that the error does not grow along the sum
    for (std::size_t i = 0; i < length; ++i) {
        table_.push_back(static_cast<double>(sum));
        sum += static_cast<long double>(std::log(a + static_cast<double>(i)));
    }
}

double LogRising::at(double x) const {
    if (!(x > 0)) {
        return 0.0;
    }
    const bool tabulated = x < static_cast<double>(table_.size()) && x == std::floor(x);
    return tabulated ? table_[static_cast<std::size_t>(x)] : log_rising(a_, x);
}

}  // namespace slp
