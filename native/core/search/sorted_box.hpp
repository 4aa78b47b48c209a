// The rows of a box in the order of each feature, so that the sides of a cut are the rows before it
// and the others (as in ConTree, Brița et al. 2025).

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "problem/problem.hpp"

namespace slp::search {

struct SortedBox {
    std::size_t n = 0;
    // By the row's number in this box: its statistics (k each), and the rows of the data that it
    // stands for.
    std::vector<double> statistics;
    std::vector<std::uint32_t> counts;
    // Feature by feature n numbers of rows, in the order of their codes, and these codes.
    std::vector<std::uint32_t> order, codes;
    // Sums over all rows.
    std::vector<double> sums;
    std::uint32_t data_rows = 0;

    std::span<const std::uint32_t> order_of(std::size_t feature) const {
        return {order.data() + feature * n, n};
    }
    std::span<const std::uint32_t> codes_of(std::size_t feature) const {
        return {codes.data() + feature * n, n};
    }
    // Bytes of a box of n rows and d features.
    static std::size_t bytes(std::size_t n, std::size_t d, std::size_t k) {
        return n * (8 * d + 8 * k + 4);
    }

    void fill(const Problem& problem, std::span<const std::uint32_t> rows);
    // The rows of another box whose byte in `right` is `is_right`.
    void fill(const SortedBox& from, std::span<const std::uint8_t> right, bool is_right);

private:
    void add_sums(std::size_t k);
    std::vector<std::uint32_t> number_;
};

}  // namespace slp::search
