// Numbers and ordered levels: codes are places among the values, or among declared cuts. A cut is
// `Cut::between` two codes; its threshold lies between their values, or is one of the declared
// cuts.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ranges>
#include <span>
#include <vector>

#include "problem/columns/feature.hpp"

namespace slp::columns {

struct Thresholds {
    static constexpr bool kPlain = true, kSingle = false, kOrdered = true, kAnyPartition = false,
                          kNamesPairs = false, kLooksAtResponse = false;

    const Feature& feature;

    bool of_values() const { return feature.kind == FeatureKind::values; }
    bool sound(std::size_t n_codes) const {
        return feature.numbers.size() + (of_values() ? 0 : 1) == n_codes;
    }

    static std::size_t n_cuts(std::size_t n_codes) { return n_codes < 2 ? 0 : n_codes - 1; }
    static std::size_t most_cuts(std::size_t n_codes) { return n_codes; }
    template <typename Add>
    void for_each_cut(std::span<const std::uint32_t> codes, Add add) const {
        for (std::size_t i = 0; i + 1 < codes.size(); ++i) {
            add(Cut::between(codes[i], codes[i + 1]));
        }
    }
    template <typename Left, typename Right>
    bool cut_between(Left left, Right right, Cut& out) const {
        std::uint32_t last = 0, first = UINT32_MAX;
        left([&](std::uint32_t code) { last = std::max(last, code); });
        right([&](std::uint32_t code) { first = std::min(first, code); });
        out = Cut::between(last, first);
        return last < first;
    }
    // The cut below the lowest code kept and that above the highest, or steps on the way there.
    template <typename Step, typename Add>
    void cuts_keeping(std::span<const std::uint32_t> codes, std::span<const std::uint32_t> kept,
                      Step step, Add add) const {
        const auto begin = std::ranges::lower_bound(codes, kept.front());
        const auto end = std::ranges::upper_bound(codes, kept.back());
        if (begin != codes.begin()) {
            const auto at = codes.begin() + step(begin - codes.begin());
            add(Cut::between(*(at - 1), *at), false);
        }
        if (end != codes.end()) {
            const auto at = codes.end() - step(codes.end() - end);
            add(Cut::between(*(at - 1), *at), true);
        }
    }

    RowTest test(Cut cut) const { return {feature.codes.data(), 0, cut.last_left()}; }
    RowTest test_below(double threshold) const {
        return {feature.codes.data(), 0, last_below(threshold)};
    }
    RowTest test_anywhere(Cut cut) const { return test_below(threshold(cut)); }
    Missing side_of(Cut cut, double value, double) const {
        return value < threshold(cut) ? Missing::left : Missing::right;
    }
    std::int32_t code_of(double value) const {
        const auto above = std::views::iota(1U, static_cast<std::uint32_t>(feature.n_codes));
        const auto end = std::ranges::partition_point(above, [&](std::uint32_t code) {
            return threshold(Cut::between(code - 1, code)) <= value;
        });
        return static_cast<std::int32_t>(end - above.begin());
    }
    bool same_test(Cut a, Cut b) const { return threshold(a) == threshold(b); }
    bool restores(Cut now, Cut before) const {
        const std::uint32_t last = test_anywhere(now).width;
        return before.last_left() <= last && last < before.first_right();
    }

    std::int32_t n_cells() const {
        return 2 * static_cast<std::int32_t>(feature.breakpoints.size()) + 1;
    }
    std::int32_t n_cells_with_missing() const { return n_cells() + 1; }
    std::int32_t cell(Cut cut) const {
        const auto& points = feature.breakpoints;
        if (points.empty()) {
            return 0;
        }
        const double own = threshold(cut);
        const auto at = std::lower_bound(points.begin(), points.end(), own);
        const auto i = static_cast<std::int32_t>(at - points.begin());
        return 2 * i + (at != points.end() && *at == own ? 1 : 0);
    }
    double threshold(Cut cut) const {
        const std::uint32_t low = cut.last_left(), high = cut.first_right();
        if (!of_values()) {
            return feature.numbers[low + (high - low - 1) / 2];
        }
        const double a = feature.numbers[low], b = feature.numbers[high];
        const double middle =
            b - a < std::numeric_limits<double>::infinity() ? a + (b - a) / 2 : a / 2 + b / 2;
        return middle > a ? middle : b;
    }

    // The power of two by which distances of values are multiplied. It is 1 where they lie well
    // inside the range of doubles. Else it brings the largest to about 2^1021, so that neither half
    // of the smallest nor the sum of all leaves the doubles.
    double unit() const {
        const std::vector<double>& values = feature.numbers;
        if (!of_values() || values.size() < 2) {
            return 1.0;
        }
        const double range = values.back() - values.front();
        double least = range;
        for (std::size_t i = 1; i < values.size(); ++i) {
            least = std::min(least, values[i] - values[i - 1]);
        }
        if (least >= 0x1p-960 && range <= 0x1p1000) {
            return 1.0;
        }
        const int exponent =
            range < std::numeric_limits<double>::infinity() ? std::ilogb(range) : 1024;
        return std::ldexp(1.0, std::clamp(1021 - exponent, -1022, 1022));
    }
    double gap(Cut cut, double unit) const {
        return of_values() ? distance(feature.numbers[cut.last_left()],
                                      feature.numbers[cut.first_right()], unit)
                           : static_cast<double>(cut.first_right() - cut.last_left());
    }
    double span(double unit) const {
        return of_values() ? distance(feature.numbers.front(), feature.numbers.back(), unit)
                           : static_cast<double>(feature.n_codes - 1);
    }
    double length(Cut cut, double unit) const {
        return of_values() ? std::max(gap(cut, unit) / span(unit),
                                      std::numeric_limits<double>::denorm_min())
                           : 1.0;
    }
    // Of the test for missing values: as a mean gap of neighbouring values.
    double gap_of_missing(double unit) const {
        const std::size_t n = of_values() ? feature.numbers.size() : 0;
        return n < 2 ? 1.0 : span(unit) / static_cast<double>(n - 1);
    }

    // Intervals; with missing values, one of the n codes: these alone, or an interval of values
    // with these or without.
    static double most_sets(double n, bool misses) {
        return misses ? (n - 1) * n + 1 : n * (n + 1) / 2;
    }
    static std::vector<double> sets_by_cuts(double n, std::size_t) {
        return {1.0, 2 * (n - 1), (n - 1) * (n - 2) / 2};
    }
    static double sets_with_missing(double n) { return (n - 1) * n; }

private:
    std::uint32_t last_below(double threshold) const {
        const auto& numbers = feature.numbers;
        const auto end = of_values()
                             ? std::lower_bound(numbers.begin(), numbers.end(), threshold)
                             : std::upper_bound(numbers.begin(), numbers.end(), threshold);
        return static_cast<std::uint32_t>(end - numbers.begin()) - 1;
    }
    static double distance(double a, double b, double unit) {
        const double whole = b - a;
        return whole < std::numeric_limits<double>::infinity() ? whole * unit
                                                               : b * unit - a * unit;
    }
};

}  // namespace slp::columns
