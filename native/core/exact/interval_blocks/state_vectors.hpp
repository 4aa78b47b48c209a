// The values of a block's members as a triangle, and the derivatives by them
// (interval_blocks/descent.hpp) with the part that one split adds: the chain rule along the runs of
// its split class (block_grammar.hpp). Where there are several states both are vectors with one
// number for each.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "exact/block_grammar.hpp"
#include "exact/interval_blocks/products.hpp"

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
    // The number of the block among all of a search. It is below 2^32, as each block takes some
    // hundred bytes.
    std::uint32_t number = 0;

    static std::size_t words(std::size_t k) { return 1 + k * (k + 1) / 2; }
    std::size_t n_cells() const { return std::size_t{k} * (k + 1) / 2; }
    // Row i such that row(i)[j] is the member from rank i to rank j.
    const Cell* row(std::size_t i) const {
        return reinterpret_cast<const Cell*>(this + 1) + triangle_cell(k, i, 0);
    }
    Cell* row(std::size_t i) { return const_cast<Cell*>(std::as_const(*this).row(i)); }
};

// In cells as in the triangle of values, one number for each state.
template <bool kVector>
struct Derivatives {
    double* numbers = nullptr;
    std::size_t k = 0, length = 1;

    // Nothing where there are none.
    explicit operator bool() const { return numbers != nullptr; }
    double* at(std::size_t i, std::size_t j) const {
        return numbers + triangle_cell(k, i, j) * (kVector ? length : 1);
    }
};

// The numbers from `first` to end - 1. They are states of a member, and a query reaches the member
// in no other state; or they are the j of members (i, j) of a row.
struct Range {
    std::uint32_t first, end;
};

template <bool kVector>
class StateVectors {
public:
    using Cell = MemberValue<kVector>;

    explicit StateVectors(const BlockGrammar& grammar) : grammar_(grammar) {}

    // Numbers of a member.
    std::size_t length() const { return kVector ? grammar_.nodes.size() : 1; }

    static const double* numbers_of(const Cell& value) {
        if constexpr (kVector) {
            return value;
        } else {
            return &value;
        }
    }

    std::span<const double> numbers(const Cell& value) const {
        return {numbers_of(value), length()};
    }

    // The probability that a query reaches a member. A member that the search did not need has no
    // value.
    double mass(const double* derivative, const Cell& value) const {
        double out = 0;
        for (std::size_t s = 0; s < length(); ++s) {
            out += derivative[s] != 0.0 ? derivative[s] * numbers_of(value)[s] : 0.0;
        }
        return out;
    }

    // Sets the derivative to 0 in each state in which a query reaches a member with probability at
    // most `cut`. Returns the range of the other states; there must be at least one.
    Range cut_off(double* derivative, const Cell& value, double cut) const {
        Range out{static_cast<std::uint32_t>(length()), 0};
        for (std::uint32_t s = 0; s < length(); ++s) {
            if (derivative[s] * numbers_of(value)[s] > cut) {
                out = {std::min(out.first, s), s + 1};
            } else {
                derivative[s] = 0.0;
            }
        }
        return out;
    }

    // Adds the derivative by a split to one side. from: by the member's splits, in each state; zero
    // outside `of`. of_split: of the split if it has weight 1.
    void add_one(bool is_left, std::span<const BlockGrammar::Run> runs,
                 const double* __restrict from, Range of, SplitWeights of_split,
                 SplitWeights weight, const Cell& other, double* __restrict to) const {
        const double* const __restrict values = numbers_of(other);
        for (const BlockGrammar::Run& run : runs) {
            const double factor = weight.of(run.measure_class) * of_split.of(run.measure_class);
            const double* const own = from + run.to;
            const auto [begin, end] = terms_of(run, of);
            if (!run.crossed) {
                double* const out = to + (is_left ? run.left : run.right);
                const double* const beside = values + (is_left ? run.right : run.left);
                for (std::size_t t = begin; t < end; ++t) {
                    out[t] += factor * own[t] * beside[t];
                }
                continue;
            }
            for (std::size_t t = begin; t < end; ++t) {
                const double more = factor * own[t] * weight_of(run, t);
                if (is_left) {
                    to[run.left] += more * values[run.right + t];
                } else {
                    to[run.right + t] += more * values[run.left];
                }
            }
        }
    }

    // The same to both sides; adds the probability of each term of the split to sums.
    void add_both(std::span<const BlockGrammar::Run> runs, const double* __restrict from,
                  Range of, SplitWeights of_split, SplitWeights weight, const Cell& left,
                  const Cell& right, double* __restrict to_left, double* __restrict to_right,
                  double* __restrict sums) const {
        const double* const l = numbers_of(left);
        const double* const r = numbers_of(right);
        for (const BlockGrammar::Run& run : runs) {
            const double factor = weight.of(run.measure_class) * of_split.of(run.measure_class);
            const auto [begin, end] = terms_of(run, of);
            if (!run.crossed) {
                add_run(begin, end, factor, from + run.to, l + run.left, r + run.right,
                        to_left + run.left, to_right + run.right, sums + run.first_term);
                continue;
            }
            for (std::size_t t = begin; t < end; ++t) {
                const std::size_t x = run.left, y = run.right + t;
                const double more = factor * from[run.to + t] * weight_of(run, t);
                to_left[x] += more * r[y];
                to_right[y] += more * l[x];
                sums[run.first_term + t] += more * l[x] * r[y];
            }
        }
    }

private:
    // The terms of a run that lead from these states.
    static std::pair<std::size_t, std::size_t> terms_of(const BlockGrammar::Run& run, Range of) {
        return {of.first > run.to ? of.first - run.to : 0,
                of.end > run.to ? std::min(run.n, of.end - run.to) : 0};
    }

    static void add_run(std::size_t begin, std::size_t end, double factor,
                        const double* __restrict from, const double* __restrict l,
                        const double* __restrict r, double* __restrict to_left,
                        double* __restrict to_right, double* __restrict sums) {
        for (std::size_t t = begin; t < end; ++t) {
            const double more = factor * from[t];
            to_left[t] += more * r[t];
            to_right[t] += more * l[t];
            sums[t] += more * l[t] * r[t];
        }
    }

    double weight_of(const BlockGrammar::Run& run, std::size_t t) const {
        return run.weights < 0 ? 1.0 : grammar_.weights[static_cast<std::size_t>(run.weights) + t];
    }

    const BlockGrammar& grammar_;
};

}  // namespace slp::exact
