// Differences of log gamma functions without cancellation: the formulas of slp.leaves.rising.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace slp {

// log Gamma(a + x) - log Gamma(a), for a above 0; 0 for x below 0, which is rounding. Its error is
// a few units in the last place of x log(a + x), and 1e-15. By Stirling's series, from a = 16 on.
double log_rising(double a, double x);

// The same for one a. Whole x are tabulated as sums of logs.
class LogRising {
public:
    // Sums up to here have an error below 2e-10.
    static constexpr std::size_t kLongestTable = std::size_t{1} << 17;

    LogRising() = default;
    // most: the largest x needed in the table, if it is not longer than the longest.
    LogRising(double a, double most);
    double operator()(std::size_t i) const {
        return i < table_.size() ? table_[i] : log_rising(a_, static_cast<double>(i));
    }
    // For any real number; one below 0, which is rounding, counts as 0.
    double at(double x) const;
    // All values up to a largest i; empty if the table ends before it.
    std::span<const double> up_to(double i) const {
        return i < static_cast<double>(table_.size()) ? std::span(table_)
                                                      : std::span<const double>();
    }

private:
    double a_ = 1.0;
    std::vector<double> table_;
};

}  // namespace slp
