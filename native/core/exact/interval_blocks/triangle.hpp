// The values of a block's members, as a triangle.

#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace slp::exact {

// A member's value, or where its vector of values begins.
template <bool kVector>
using MemberValue = std::conditional_t<kVector, const double*, double>;

// The position of member (i, j) among the cells of a triangle of k ranks.
inline std::size_t triangle_cell(std::size_t k, std::size_t i, std::size_t j) {
    return i * k - i * (i + 1) / 2 + j;
}

// Behind it in memory lie its cells, one word each.
template <typename Cell>
struct TriangleOf {
    std::uint32_t k = 0;
    // Of the block, among all of a search: below 2^32, as each has some hundred bytes.
    std::uint32_t number = 0;

    static std::size_t words(std::size_t k) { return 1 + k * (k + 1) / 2; }
    std::size_t n_cells() const { return std::size_t{k} * (k + 1) / 2; }
    // Row i such that row(i)[j] is the member from rank i to rank j.
    const Cell* row(std::size_t i) const {
        return reinterpret_cast<const Cell*>(this + 1) + triangle_cell(k, i, 0);
    }
    Cell* row(std::size_t i) { return const_cast<Cell*>(std::as_const(*this).row(i)); }
};

}  // namespace slp::exact
