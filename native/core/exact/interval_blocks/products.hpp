// Sums of products of vectors, element by element. Passes with values over depth spend most of
// their time here. On x86-64 there is a second copy of each for processors with AVX2, four items at
// a time in depth of two; both round alike.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "exact/block_search.hpp"

namespace slp::exact {

// Adds a term to what is summed or maximised.
template <Sum kSum>
void add_term(double x, double& to) {
    if constexpr (kSum == Sum::best) {
        to = std::max(to, x);
    } else {
        to += x;
    }
}

// A side of a split in one row of a triangle: for each j the vector vectors[last[j]].
struct SideRow {
    const double* const* vectors;
    const std::uint32_t* last;
};

struct Products {
    // For j from `from` to k - 1: the product of both sides' vectors, n items from the second on,
    // to sums + (j - from) * stride.
    void (*add_rows)(SideRow left, SideRow right, std::size_t from, std::size_t k, std::size_t n,
                     std::size_t stride, double* sums);
    // For m from `from` to end - 1: the product of left[m] and right[m], n items from the second
    // on, to one sum.
    void (*add_pairs)(const double* const* left, const double* const* right, std::size_t from,
                      std::size_t end, std::size_t n, double* sum);
};

// The fastest copies for this processor.
template <Sum kSum>
Products products();

}  // namespace slp::exact
