// Sums of products of vectors, run by run (block_grammar.hpp). Passes with several states spend
// most of their time here. On x86-64 there is a second copy of each for processors with AVX2, four
// items at a time in place of two; both round alike.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "exact/block_grammar.hpp"

namespace slp::exact {

// Adds a term to what is summed or maximised.
template <Sum kSum, typename Number>
void add_term(Number x, Number& to) {
    if constexpr (kSum == Sum::best) {
        to = std::max(to, x);
    } else {
        to += x;
    }
}

// A run whose terms have weight 1 each. kWeighs: the split has weight w.
template <Sum kSum, bool kWeighs>
[[gnu::always_inline]] inline void add_run(const double* __restrict left,
                                           const double* __restrict right, std::size_t n, double w,
                                           double* __restrict sum) {
    for (std::size_t t = 0; t < n; ++t) {
        add_term<kSum>(kWeighs ? w * left[t] * right[t] : left[t] * right[t], sum[t]);
    }
}

// The value of one state on the left times those of others on the right.
template <Sum kSum>
[[gnu::always_inline]] inline void add_crossed(double left, const double* __restrict right,
                                               std::size_t n, const double* __restrict weights,
                                               double* __restrict sum) {
    if (left == 0.0) {
        return;
    }
    if (weights == nullptr) {
        for (std::size_t t = 0; t < n; ++t) {
            add_term<kSum>(left * right[t], sum[t]);
        }
    } else {
        for (std::size_t t = 0; t < n; ++t) {
            add_term<kSum>(left * right[t] * weights[t], sum[t]);
        }
    }
}

// The runs of one split class, and the weights of their terms.
struct RunSet {
    std::span<const BlockGrammar::Run> runs;
    const double* weights;
};

// What splits weigh, or their probabilities: for measure class q from data + q * apart on; no data
// where all are 1.
struct SplitWeights {
    const double* data = nullptr;
    std::size_t apart = 0;

    SplitWeights operator+(std::size_t n) const {
        return data == nullptr ? *this : SplitWeights{data + n, apart};
    }
    // The first one's.
    double of(std::size_t q) const { return data == nullptr ? 1.0 : data[q * apart]; }
};

// A side of a split in one row of a triangle: for each j the vector vectors[last[j]].
struct SideRow {
    const double* const* vectors;
    const std::uint32_t* last;
};

struct Products {
    // For j from `from` to end - 1: the terms of both sides' vectors, to sums + (j - from) *
    // stride. of_split: by j the weights of the split; null where all are 1.
    void (*add_rows)(SideRow left, SideRow right, std::size_t from, std::size_t end, RunSet runs,
                     SplitWeights of_split, std::size_t stride, double* sums);
    // For m from `from` to end - 1: the terms of left[m] and right[m], to one sum.
    void (*add_pairs)(const double* const* left, const double* const* right, std::size_t from,
                      std::size_t end, RunSet runs, SplitWeights of_split, double* sum);
};

// The fastest copies for this processor.
template <Sum kSum>
Products products();

}  // namespace slp::exact
