// Derivatives by a block's members (interval_blocks/descent.hpp), and the part that one split adds.
// Where values depend on depth, both are vectors with one number for each depth index.

#pragma once

#include <cstddef>

#include "exact/depth_grammar.hpp"
#include "exact/interval_blocks/triangle.hpp"

namespace slp::exact {

// In cells as in the triangle of values, one number for each depth.
template <bool kVector>
class Derivatives {
public:
    Derivatives() = default;
    Derivatives(double* numbers, std::size_t k, std::size_t length)
        : numbers_(numbers), k_(k), length_(length) {}

    // Nothing where there are none.
    explicit operator bool() const { return numbers_ != nullptr; }
    double* at(std::size_t i, std::size_t j) const {
        return numbers_ + triangle_cell(k_, i, j) * (kVector ? length_ : 1);
    }
    const double* data() const { return numbers_; }

private:
    double* numbers_ = nullptr;
    std::size_t k_ = 0, length_ = 1;
};

template <bool kVector>
class DepthVectors {
public:
    using Cell = MemberValue<kVector>;

    explicit DepthVectors(const DepthGrammar& by_depth)
        : n_depths_(by_depth.nodes.size()), endless_(by_depth.endless) {}

    // Numbers of a member.
    std::size_t length() const {
        if constexpr (kVector) {
            return n_depths_;
        } else {
            return 1;
        }
    }

    static const double* numbers_of(const Cell& value) {
        if constexpr (kVector) {
            return value;
        } else {
            return &value;
        }
    }

    // The probability that a query reaches a member. A member that the search did not need has no
    // value.
    double mass(const double* derivative, const Cell& value) const {
        double out = 0;
        for (std::size_t t = 0; t < length(); ++t) {
            out += derivative[t] != 0.0 ? derivative[t] * numbers_of(value)[t] : 0.0;
        }
        return out;
    }

    // Adds the derivative by a split to one side: times the other's values, at the next depth.
    void add_one(const double* __restrict from, double probability, const Cell& other,
                 double* __restrict to) const {
        const double* const __restrict values = numbers_of(other);
        if constexpr (kVector) {
            for (std::size_t t = 0; t + 1 < n_depths_; ++t) {
                to[t + 1] += probability * from[t] * values[t + 1];
            }
            if (endless_) {
                to[n_depths_ - 1] += probability * from[n_depths_ - 1] * values[n_depths_ - 1];
            }
        } else {
            *to += probability * *from * *values;
        }
    }

    // The same to both sides; adds the probability of the split.
    void add_both(const double* __restrict from, double probability, const Cell& left,
                  const Cell& right, double* __restrict to_left, double* __restrict to_right,
                  double& sum) const {
        const double* const l = numbers_of(left);
        const double* const r = numbers_of(right);
        const auto add = [&](std::size_t depth, std::size_t next) {
            const double weight = probability * from[depth];
            to_left[next] += weight * r[next];
            to_right[next] += weight * l[next];
            sum += weight * l[next] * r[next];
        };
        if constexpr (kVector) {
            for (std::size_t t = 0; t + 1 < n_depths_; ++t) {
                add(t, t + 1);
            }
            if (endless_) {
                add(n_depths_ - 1, n_depths_ - 1);
            }
        } else {
            add(0, 0);
        }
    }

private:
    std::size_t n_depths_;
    bool endless_;
};

}  // namespace slp::exact
