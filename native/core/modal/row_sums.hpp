// What is added up over sets of rows: W = 2 + k numbers, of distinct rows, of rows of the data, and
// the leaf model's k statistics.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "problem/problem.hpp"

namespace slp::modal {

// Places in the sums; the statistics come behind.
inline constexpr std::size_t kDistinct = 0, kData = 1, kStatistics = 2;

// A set of distinct rows, ascending. `single` has the W numbers of each row, one row after the
// other, so that passes over the set read them in order; `sums` those of all together.
struct RowSet {
    std::span<const std::uint32_t> rows;
    const double* single = nullptr;
    std::span<const double> sums;

    std::span<const double> statistics() const { return sums.subspan(kStatistics); }
};

class RowSums {
public:
    explicit RowSums(const Problem& problem)
        : problem_(problem), width_(kStatistics + problem.leaf.n_statistics()) {}

    // W.
    std::size_t width() const { return width_; }

    // The numbers of each of the rows, rows.size() * W.
    void list(std::span<const std::uint32_t> rows, double* single) const {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            double* const own = single + i * width_;
            own[kDistinct] = 1.0;
            own[kData] = problem_.table.counts[rows[i]];
            problem_.leaf.sum(rows.subspan(i, 1), own + kStatistics);
        }
    }

    // Sums over n rows, in their order.
    void add_up(const double* single, std::size_t n, double* sums) const {
        for (std::size_t j = 0; j < width_; ++j) {
            sums[j] = 0.0;
        }
        for (std::size_t i = 0; i < n * width_; i += width_) {
            for (std::size_t j = 0; j < width_; ++j) {
                sums[j] += single[i + j];
            }
        }
    }

private:
    const Problem& problem_;
    std::size_t width_;
};

}  // namespace slp::modal
