// Means of pairs of rows at an item, from those of the items that a choice leads to: the formulas
// of row_pairs.hpp.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "exact/pair_items.hpp"
#include "exact/row_pairs.hpp"

namespace slp::exact {

// Each function adds p times the means after one choice to those of an item.
class PairValues {
public:
    PairValues() = default;
    // The moments must outlive it.
    explicit PairValues(const LeafMoments& moments)
        : moments_(&moments), depth_(moments.depth()) {}

    // All of a call, or what goes whole to one side.
    void add_of_child(double p, PairItem& item, const Wanted& wanted,
                      const PairItem& child) const {
        for_each_bit(wanted.pairs, [&](std::size_t pair) {
            add(p, item.of_pair(pair, depth_), child.of_pair(pair, depth_));
        });
        for_each_bit(wanted.ones, [&](std::size_t pair) {
            add(p, item.of_row(true, pair, depth_), child.of_row(true, pair, depth_));
        });
        for_each_bit(wanted.zeros, [&](std::size_t pair) {
            add(p, item.of_row(false, pair, depth_), child.of_row(false, pair, depth_));
        });
    }

    void add_of_leaf(double p, PairItem& item) const {
        const std::size_t J = moments_->width;
        const double* const first = moments_->first.data() + item.leaf * J;
        if (moments_->ones.empty()) {
            const double* const second = moments_->second.data() + item.leaf * J;
            const auto own = [&](double* to) {
                for (std::size_t i = 0; i < J; ++i) {
                    to[i] += p * first[i];
                    to[J + i] += p * second[i];
                }
            };  // the difference of a pair is 0
            for_each_bit(item.wanted.ones,
                         [&](std::size_t pair) { own(item.of_row(true, pair, depth_)); });
            for_each_bit(item.wanted.zeros,
                         [&](std::size_t pair) { own(item.of_row(false, pair, depth_)); });
            return;
        }
        const double* const second = moments_->second.data() + item.leaf * J * J;
        const auto own = [&](double* to, auto weight) {
            for (std::size_t i = 0; i < J; ++i) {
                if (weight(i) == 0.0) {
                    continue;  // of moments that may be infinite
                }
                to[0] += p * weight(i) * first[i];
                for (std::size_t j = 0; j < J; ++j) {
                    to[1] += weight(j) == 0.0 ? 0.0 : p * weight(i) * weight(j) * second[i * J + j];
                }
            }
        };
        const auto at = [J](std::span<const double> design, std::size_t pair) {
            return [row = design.data() + pair * J](std::size_t i) { return row[i]; };
        };
        for_each_bit(item.wanted.pairs, [&](std::size_t pair) {
            const double *const one = moments_->ones.data() + pair * J,
                         *const zero = moments_->zeros.data() + pair * J;
            own(item.of_pair(pair, depth_), [=](std::size_t i) { return one[i] - zero[i]; });
        });
        for_each_bit(item.wanted.ones, [&](std::size_t pair) {
            own(item.of_row(true, pair, depth_), at(moments_->ones, pair));
        });
        for_each_bit(item.wanted.zeros, [&](std::size_t pair) {
            own(item.of_row(false, pair, depth_), at(moments_->zeros, pair));
        });
    }

    void add_of_split(double p, PairItem& item, const PairSides& sides, const PairItem* left,
                      const PairItem* right) const {
        const std::uint64_t parted = sides.one.both() | sides.zero.both();
        for (const bool is_left : {true, false}) {
            const std::uint64_t one = (is_left ? sides.one.left : sides.one.right),
                                zero = (is_left ? sides.zero.left : sides.zero.right);
            const Wanted whole{item.wanted.pairs & one & zero & ~parted,
                               item.wanted.ones & one & ~sides.one.both(),
                               item.wanted.zeros & zero & ~sides.zero.both()};
            if (whole.any()) {
                add_of_child(p, item, whole, is_left ? *left : *right);
            }
        }
        const std::uint64_t apart =
            (sides.one.left & sides.zero.right) | (sides.one.right & sides.zero.left);
        for_each_bit(item.wanted.pairs & apart & ~parted, [&](std::size_t pair) {
            const bool one_left = (sides.one.left >> pair & 1) != 0;
            const double *const one = (one_left ? left : right)->of_row(true, pair, depth_),
                         *const zero = (one_left ? right : left)->of_row(false, pair, depth_);
            double* const to = item.of_pair(pair, depth_);
            for (std::size_t i = 0; i < depth_; ++i) {
                to[i] += p * (one[i] - zero[i]);
                to[depth_ + i] +=
                    p * (one[depth_ + i] + zero[depth_ + i] - 2 * one[i] * zero[i]);
            }
        });
        if (parted != 0) {
            add_of_parted(p, item, sides, left, right);
        }
    }

private:
    void add(double p, double* to, const double* from) const {
        for (std::size_t i = 0; i < 2 * depth_; ++i) {
            to[i] += p * from[i];
        }
    }

    // Rows with a part on each side, and their pairs.
    void add_of_parted(double p, PairItem& item, const PairSides& sides, const PairItem* left,
                       const PairItem* right) const {
        for (const bool is_one : {true, false}) {
            const SidesOfRows& own = is_one ? sides.one : sides.zero;
            for_each_bit((is_one ? item.wanted.ones : item.wanted.zeros) & own.both(),
                         [&](std::size_t pair) {
                const double s = own.share(pair, true), r = 1.0 - s;
                const double *const a = left->of_row(is_one, pair, depth_),
                             *const b = right->of_row(is_one, pair, depth_);
                double* const to = item.of_row(is_one, pair, depth_);
                for (std::size_t i = 0; i < depth_; ++i) {
                    to[i] += p * (s * a[i] + r * b[i]);
                    to[depth_ + i] += p * (s * s * a[depth_ + i] + r * r * b[depth_ + i] +
                                           2 * s * r * a[i] * b[i]);
                }
            });
        }
        for_each_bit(item.wanted.pairs & (sides.one.both() | sides.zero.both()),
                     [&](std::size_t pair) {
            double* const to = item.of_pair(pair, depth_);
            for (std::size_t i = 0; i < depth_; ++i) {
                double product = 2.0;
                for (const bool is_left : {true, false}) {
                    const double x = sides.one.share(pair, is_left),
                                 y = sides.zero.share(pair, is_left);
                    const auto [mean, square] =
                        parted_side(is_left ? *left : *right, pair, i, x, y);
                    to[i] += p * mean;
                    to[depth_ + i] += p * square;
                    product *= mean;
                }
                to[depth_ + i] += p * product;
            }
        });
    }

    // The mean of x f1 - y f0 on a side, and that of its square.
    std::pair<double, double> parted_side(const PairItem& side, std::size_t pair, std::size_t i,
                                          double x, double y) const {
        const auto of = [&](bool is_one) { return side.of_row(is_one, pair, depth_) + i; };
        const double* const one = x > 0 ? of(true) : nullptr;
        const double* const zero = y > 0 ? of(false) : nullptr;
        const double* const both = x > 0 && y > 0 ? side.of_pair(pair, depth_) + i : nullptr;
        if (x > 0 && x == y) {  // also of rows whose means are infinite, but alike
            return {x * both[0], x * x * both[depth_]};
        }
        const double mean = (x > 0 ? x * one[0] : 0.0) - (y > 0 ? y * zero[0] : 0.0);
        if (both != nullptr) {
            return {mean, x * x * one[depth_] + y * y * zero[depth_] -
                              x * y * (one[depth_] + zero[depth_] - both[depth_])};
        }
        return {mean, (x > 0 ? x * x * one[depth_] : 0.0) + (y > 0 ? y * y * zero[depth_] : 0.0)};
    }

    const LeafMoments* moments_ = nullptr;
    std::size_t depth_ = 0;
};

}  // namespace slp::exact
