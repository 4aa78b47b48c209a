// The windows of the published warm-up: where they end, and the metric there.

#include <cmath>
#include <vector>

#include "check.hpp"
#include "rjhmc/windows.hpp"

using namespace slp::rjhmc;
using slp::test::check;

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-12 * (1.0 + std::abs(b)); }

// Position i of two parameters, whose spread grows.
double at(int i, std::size_t k) {
    return (k == 0 ? 0.01 : 3.0) * std::sin(1.7 * i) * (1 + 0.01 * i);
}

// Stan's estimate from transitions first to last - 1.
double variance_of(int first, int last, std::size_t k) {
    const double n = last - first;
    double mean = 0, squares = 0;
    for (int i = first; i < last; ++i) {
        mean += at(i, k) / n;
    }
    for (int i = first; i < last; ++i) {
        squares += (at(i, k) - mean) * (at(i, k) - mean);
    }
    return n / (n + 5.0) * squares / (n - 1.0) + 1e-3 * 5.0 / (n + 5.0);
}

}  // namespace

TEST(metric_is_the_variance_of_each_window) {
    Windows windows;
    for (int repeat = 0; repeat < 2; ++repeat) {
        windows.begin(2);
        windows.step.restart(0.1);
        check(windows.variance == Vector({1.0, 1.0}));
        std::vector<int> ends{75};
        for (int i = 0; i < 501; ++i) {
            const Vector before = windows.variance;
            Moved moved;
            moved.acceptance = 0.8;
            if (windows.learn(i, moved, Position{{at(i, 0), at(i, 1)}, Vector(2), 0.0})) {
                for (std::size_t k = 0; k < 2; ++k) {
                    check(near(windows.variance[k], variance_of(ends.back(), i + 1, k)));
                }
                ends.push_back(i + 1);
            } else {
                check(windows.variance == before);
            }
        }
        check(ends == std::vector<int>({75, 100, 150, 250, 450}));
    }
}

TEST(step_size_follows_the_acceptance_in_all_windows) {
    for (const double acceptance : {0.3, 1.0}) {
        Windows windows;
        windows.begin(1);
        windows.step.restart(0.1);
        Moved moved;
        moved.acceptance = acceptance;
        double last = windows.step.averaged;
        for (int i = 0; i < Windows::kLength; ++i) {
            windows.learn(i, moved, Position{{0.0}, Vector(1), 0.0});
            check(windows.step.count == i + 1);
            check(i < 5 || (windows.step.averaged < last) == (acceptance < 0.8));
            last = windows.step.averaged;
        }
    }
}
