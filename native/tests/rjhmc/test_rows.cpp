// The loops over rows of soft trees, beside plain sums.

#include <cmath>
#include <vector>

#include "check.hpp"
#include "mcmc/randomness.hpp"
#include "rjhmc/rows.hpp"

using namespace slp::rjhmc;
using slp::test::check;

namespace {

using Row = std::vector<double>;

bool near(double a, double b) { return std::abs(a - b) <= 1e-13 * (1.0 + std::abs(b)); }

}  // namespace

TEST(loops_over_rows_are_plain_sums) {
    slp::mcmc::SeededRandomness random({1, 2, 3, 4});
    const auto numbers = [&](std::size_t n) {
        Row out(n);
        for (double& x : out) {
            x = random.normal();
        }
        return out;
    };
    for (const std::size_t n : {0, 1, 7, 8, 9, 31, 32, 33, 150}) {
        for (std::size_t d = 1; d <= 9; ++d) {
            const std::size_t stride = n + 3;
            const Row a = numbers(n), b = numbers(n), values = numbers(stride * d);
            const Row weights = numbers(d), before = numbers(d);
            Row mixed(n), sums = before, scaled(n), added = a, means = a, differences(n);
            mix(weights.data(), values.data(), stride, d, n, mixed.data());
            add_dots(0.7, a.data(), values.data(), stride, d, n, sums.data());
            scale(0.7, a.data(), n, scaled.data());
            add_scaled(0.7, b.data(), n, added.data());
            const double squares = residuals(
                0.3, b.data(), mixed.data(), n, differences.data(), means.data());
            double product = 0, apart = 0;
            Row plain = before;
            for (std::size_t i = 0; i < n; ++i) {
                double mean = 0;
                for (std::size_t f = 0; f < d; ++f) {
                    mean += weights[f] * values[f * stride + i];
                    plain[f] += 0.7 * a[i] * values[f * stride + i];
                }
                const double residual = mean - a[i];
                product += a[i] * b[i];
                apart += b[i] * residual * residual;
                check(near(mixed[i], mean) && near(scaled[i], 0.7 * a[i]));
                check(near(added[i], a[i] + 0.7 * b[i]) && near(means[i], 0.3 * b[i] * residual));
            }
            for (std::size_t f = 0; f < d; ++f) {
                check(near(sums[f], plain[f]));
            }
            check(near(dot(a.data(), b.data(), n), product) && near(squares, apart));
        }
    }
}

// In the widest version for this processor, and by the functions that this file has of them.
TEST(functions_of_many_numbers_are_those_of_one_to_the_bit) {
    for (const std::size_t n : {1, 7, 8, 9, 33}) {
        Row x(n), t(n), it(n), slope(n);
        for (std::size_t i = 0; i < n; ++i) {
            x[i] = std::exp(0.5 * static_cast<double>(i) - 3.0);
            t[i] = 47.3 * (static_cast<double>(i) - 16.0);
        }
        std::vector<Proportion> shares(n);
        log_gammas(x.data(), n, it.data(), slope.data());
        logistics(t.data(), n, shares.data());
        for (std::size_t i = 0; i < n; ++i) {
            const LogGamma own = log_gamma_of(x[i]);
            const Proportion share = logistic(t[i]);
            check(it[i] == own.it && slope[i] == own.slope);
            check(shares[i].it == share.it && shares[i].rest == share.rest);
        }
    }
}

TEST(gates_and_what_comes_back_through_them) {
    constexpr std::size_t n = 21;
    Row values(n), left(n), right(n), slope(n), own(n), reached(n), low(n), high(n);
    for (std::size_t i = 0; i < n; ++i) {
        values[i] = static_cast<double>(i) / n;
        reached[i] = 1.0 - values[i] / 2;
        low[i] = values[i] - 2.0;
        high[i] = 1.0 / (1.0 + values[i]);
    }
    gates_of(0.4, 100.0, values.data(), n, left.data(), right.data());
    const double sum = pull_back(reached.data(), left.data(), right.data(), low.data(), high.data(),
                                 n, slope.data(), own.data());
    double plain = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double t = 100.0 * (0.4 - values[i]);
        check(std::abs(left[i] * (1.0 + std::exp(-t)) - 1.0) < 1e-14);
        check(std::abs(right[i] * (1.0 + std::exp(t)) - 1.0) < 1e-14);
        check(near(slope[i], reached[i] * left[i] * right[i] * (low[i] - high[i])));
        check(near(own[i], left[i] * low[i] + right[i] * high[i]));
        plain += slope[i];
    }
    check(near(sum, plain));
}
