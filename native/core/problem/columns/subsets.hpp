// Subsets of levels: codes are levels, few of them, and every partition of those in a box is a cut,
// `Cut::of_sets`. The set with the first level is on the left.

#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "problem/columns/feature.hpp"

namespace slp {

// The most levels of a feature whose splits are by subsets.
inline constexpr std::int32_t kMostInSubsets = 12;

}  // namespace slp

namespace slp::columns {

struct Subsets {
    static constexpr bool kPlain = false, kSingle = false, kOrdered = false, kAnyPartition = true,
                          kNamesPairs = false, kLooksAtResponse = false;

    const Feature& feature;

    static bool sound(std::size_t n_codes) {
        return n_codes <= static_cast<std::size_t>(kMostInSubsets);
    }

    static std::size_t n_cuts(std::size_t n_codes) {
        return n_codes < 2 ? 0 : (std::size_t{1} << (n_codes - 1)) - 1;
    }
    static std::size_t most_cuts(std::size_t n_codes) { return n_cuts(n_codes); }
    // By the binary digits of the levels after the first.
    template <typename Add>
    void for_each_cut(std::span<const std::uint32_t> codes, Add add) const {
        const std::uint32_t all = set_of(codes);
        for (std::uint32_t chosen = 0; chosen < n_cuts(codes.size()); ++chosen) {
            std::uint32_t left = 1U << codes[0];
            for (std::size_t i = 1; i < codes.size(); ++i) {
                left |= (chosen >> (i - 1) & 1) << codes[i];
            }
            add(Cut::of_sets(left, all ^ left));
        }
    }
    template <typename Left, typename Right>
    bool cut_between(Left left, Right right, Cut& out) const {
        std::uint32_t on_left = 0, on_right = 0;
        left([&](std::uint32_t code) { on_left |= 1U << code; });
        right([&](std::uint32_t code) { on_right |= 1U << code; });
        out = Cut::of_sets(on_left, on_right);
        return (on_left & on_right) == 0 && on_left != 0 && on_right != 0 &&
               std::countr_zero(on_left) < std::countr_zero(on_right);
    }
    // That between the levels kept and all others.
    template <typename Step, typename Add>
    void cuts_keeping(std::span<const std::uint32_t> codes, std::span<const std::uint32_t> kept,
                      Step, Add add) const {
        const std::uint32_t own = set_of(kept), others = set_of(codes) ^ own;
        const bool keep_left = kept.front() == codes.front();
        add(Cut::of_sets(keep_left ? own : others, keep_left ? others : own), keep_left);
    }

    RowTest test(Cut cut) const { return {feature.codes.data(), 0, 0, cut.left_set()}; }
    RowTest test_anywhere(Cut cut) const { return test(cut); }
    static Missing side_of(Cut cut, double value, double) {
        const std::uint32_t own = value < 0 ? 0 : 1U << static_cast<std::uint32_t>(value);
        return (cut.left_set() & own) != 0    ? Missing::left
               : (cut.right_set() & own) != 0 ? Missing::right
                                              : Missing::untold;
    }
    static std::int32_t code_of(double value) {
        return value < 0 ? -1 : static_cast<std::int32_t>(value);
    }
    static bool same_test(Cut a, Cut b) { return a == b; }
    static bool restores(Cut now, Cut before) {
        return (now.left_set() & (before.left_set() | before.right_set())) == before.left_set();
    }

    std::int32_t n_cells() const { return feature.n_codes < 2 ? 1 : (1 << feature.n_codes) - 2; }
    static std::int32_t cell(Cut cut) { return static_cast<std::int32_t>(cut.left_set()) - 1; }
    static double unit() { return 1.0; }
    static double gap(Cut, double) { return 1.0; }
    static double span(double) { return 1.0; }
    static double length(Cut, double) { return 1.0; }

    static double most_sets(double n, bool) { return std::exp2(n); }
    static std::vector<double> sets_by_cuts(double n, std::size_t) {
        return {1.0, std::exp2(n) - 2};
    }

private:
    static std::uint32_t set_of(std::span<const std::uint32_t> codes) {
        std::uint32_t out = 0;
        for (const std::uint32_t code : codes) {
            out |= 1U << code;
        }
        return out;
    }
};

}  // namespace slp::columns
