// Levels, each against all others: codes are levels, and a cut is `Cut::on` one. Where a box has
// two levels, `= a` and `= b` are the same split; the test is on the first level.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "problem/columns/feature.hpp"

namespace slp::columns {

struct Levels {
    static constexpr bool kPlain = true, kSingle = true, kOrdered = false, kAnyPartition = false,
                          kNamesPairs = true, kLooksAtResponse = false;

    const Feature& feature;

    static bool sound(std::size_t) { return true; }

    static std::size_t n_cuts(std::size_t n_codes) {
        return n_codes > 2 ? n_codes : n_codes < 2 ? 0 : 1;
    }
    static std::size_t most_cuts(std::size_t n_codes) { return n_codes; }
    template <typename Add>
    void for_each_cut(std::span<const std::uint32_t> codes, Add add) const {
        for (std::size_t i = 0; i < n_cuts(codes.size()); ++i) {
            add(Cut::on(codes[i]));
        }
    }
    template <typename Left, typename Right>
    bool cut_between(Left left, Right right, Cut& out) const {
        std::uint32_t own = UINT32_MAX, other = UINT32_MAX;
        bool one = true, apart = true, one_other = true;
        left([&](std::uint32_t code) {
            one = one && (own == UINT32_MAX || own == code);
            own = code;
        });
        right([&](std::uint32_t code) {
            apart = apart && code != own;
            one_other = one_other && (other == UINT32_MAX || other == code);
            other = code;
        });
        out = Cut::on(own);
        return one && apart && !(one_other && other < own);
    }
    // Those that drop a level, or keep one alone.
    template <typename Step, typename Add>
    void cuts_keeping(std::span<const std::uint32_t> codes, std::span<const std::uint32_t> kept,
                      Step, Add add) const {
        if (codes.size() == 2) {
            add(Cut::on(codes[0]), kept[0] == codes[0]);
            return;
        }
        for (const std::uint32_t code : codes) {
            if (!std::ranges::binary_search(kept, code)) {
                add(Cut::on(code), false);
            } else if (kept.size() == 1) {
                add(Cut::on(code), true);
            }
        }
    }

    RowTest test(Cut cut) const { return {feature.codes.data(), cut.code(), 0}; }
    RowTest test_anywhere(Cut cut) const { return test(cut); }
    // The side of a value at the test of one level. second: the other level of a box with two,
    // which alone goes right; NaN for a box with more.
    static Missing side(double level, double value, double second) {
        return value == level                          ? Missing::left
               : value == second || std::isnan(second) ? Missing::right
                                                       : Missing::untold;
    }
    static Missing side_of(Cut cut, double value, double second) {
        return side(static_cast<double>(cut.code()), value, second);
    }
    static std::int32_t code_of(double value) {
        return value < 0 ? -1 : static_cast<std::int32_t>(value);
    }
    static bool same_test(Cut a, Cut b) { return a.code() == b.code(); }
    static bool restores(Cut now, Cut before) { return now.code() == before.code(); }

    std::int32_t n_cells() const { return feature.n_codes; }
    // Missing values are one of the codes.
    std::int32_t n_cells_with_missing() const { return feature.n_codes; }
    static std::int32_t cell(Cut cut) { return static_cast<std::int32_t>(cut.code()); }
    static double unit() { return 1.0; }
    static double gap(Cut, double) { return 1.0; }
    static double span(double) { return 1.0; }
    static double length(Cut, double) { return 1.0; }
    static double gap_of_missing(double) { return 1.0; }

    static double most_sets(double n, bool) { return std::exp2(n); }
    // Of k levels dropped; a single level is left by one cut.
    static std::vector<double> sets_by_cuts(double n, std::size_t most_cuts) {
        std::vector<double> out{1.0};
        double sets = 1.0;
        for (double k = 1; k + 1 < n && out.size() <= most_cuts; ++k) {
            sets *= (n - k + 1) / k;
            out.push_back(sets);
        }
        if (n > 1) {
            out.resize(std::max<std::size_t>(out.size(), 2), 0.0);
            out[1] = n > 2 ? out[1] + n : n;
        }
        return out;
    }
    static double sets_with_missing(double n) { return std::exp2(n) - 2; }
};

}  // namespace slp::columns
