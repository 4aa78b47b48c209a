#include "problem/largest_axes.hpp"

#include <algorithm>
#include <cmath>

namespace slp {

std::vector<std::vector<double>> largest_axes(std::vector<double> matrix, std::size_t k) {
    constexpr double kSame = 1e-9;
    std::vector<double> axes(k * k, 0.0);
    for (std::size_t i = 0; i < k; ++i) {
        axes[i * k + i] = 1.0;
    }
    const auto off = [&] {
        double out = 0;
        for (std::size_t i = 0; i < k; ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                out = std::max(out, std::abs(matrix[i * k + j]));
            }
        }
        return out;
    };
    double size = 0;
    for (std::size_t i = 0; i < k; ++i) {
        size = std::max(size, std::abs(matrix[i * k + i]));
    }
    for (int sweep = 0; sweep < 64 && off() > 1e-17 * size; ++sweep) {
        for (std::size_t p = 0; p + 1 < k; ++p) {
            for (std::size_t q = p + 1; q < k; ++q) {
                const double a = matrix[p * k + q];
                if (a == 0.0) {
                    continue;
                }
                const double theta = (matrix[q * k + q] - matrix[p * k + p]) / (2 * a);
                const double t =
                    std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
                const double c = 1 / std::hypot(t, 1.0), s = t * c;
                const auto rotate = [&](double& x, double& y) {
                    const double u = x, v = y;
                    x = c * u - s * v;
                    y = s * u + c * v;
                };
                for (std::size_t i = 0; i < k; ++i) {
                    rotate(matrix[i * k + p], matrix[i * k + q]);
                    rotate(axes[i * k + p], axes[i * k + q]);
                }
                for (std::size_t i = 0; i < k; ++i) {
                    rotate(matrix[p * k + i], matrix[q * k + i]);
                }
            }
        }
    }
    double most = -INFINITY;
    for (std::size_t i = 0; i < k; ++i) {
        most = std::max(most, matrix[i * k + i]);
    }
    std::vector<std::vector<double>> out;
    for (std::size_t i = 0; i < k; ++i) {
        if (matrix[i * k + i] >= most * (1 - kSame)) {
            std::vector<double>& axis = out.emplace_back(k);
            for (std::size_t c = 0; c < k; ++c) {
                axis[c] = axes[c * k + i];
            }
        }
    }
    return out;
}

}  // namespace slp
