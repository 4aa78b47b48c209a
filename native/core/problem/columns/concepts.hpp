// Levels of a hierarchy: codes are levels in the order of the hierarchy, so that those under a
// concept follow each other. A cut is `Cut::on` a concept, by its number: of a level its code, then
// the concepts above levels, the most special ones first, whose first and last codes are the numbers
// of the feature. Of the concepts that part the codes of a box alike, the first one is the cut.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "problem/columns/feature.hpp"

namespace slp::columns {

struct Concepts {
    static constexpr bool kPlain = false, kSingle = false, kOrdered = false, kAnyPartition = false,
                          kNamesPairs = true, kLooksAtResponse = false;

    const Feature& feature;

    bool sound(std::size_t n_codes) const {
        bool out = feature.numbers.size() % 2 == 0;
        for (std::size_t i = 0; i + 1 < feature.numbers.size(); i += 2) {
            const double first = feature.numbers[i], last = feature.numbers[i + 1];
            out = out && first >= 0 && first < last && last < static_cast<double>(n_codes);
        }
        return out;
    }

    // A level, n - 1 and more of them, and the nested groups between.
    static std::size_t most_cuts(std::size_t n_codes) { return n_codes < 2 ? 0 : 2 * n_codes - 2; }
    template <typename Add>
    void for_each_cut(std::span<const std::uint32_t> codes, Add add) const {
        const std::size_t n = codes.size();
        for (std::size_t i = 0; i < n && n > 1 && !(n == 2 && i == 1); ++i) {
            add(Cut::on(codes[i]));
        }
        std::vector<std::pair<std::size_t, std::size_t>> met;
        for (std::uint32_t own = n_levels(); own < n_concepts(); ++own) {
            const auto [from, end] = place(codes, own);
            if (end - from < 2 || end - from + 2 > n) {  // no split, or that on one level
                continue;
            }
            const auto alike = [&, a = from, b = end](const auto& other) {
                const bool opposite = (a == 0 && other.first == b && other.second == n) ||
                                      (b == n && other.first == 0 && other.second == a);
                return opposite || (other.first == a && other.second == b);
            };
            if (std::ranges::none_of(met, alike)) {
                met.emplace_back(from, end);
                add(Cut::on(own));
            }
        }
    }
    template <typename Left, typename Right>
    bool cut_between(Left left, Right right, Cut& out) const {
        std::vector<std::uint32_t> on_left, on_right;
        left([&](std::uint32_t code) { on_left.push_back(code); });
        right([&](std::uint32_t code) { on_right.push_back(code); });
        if (on_left.empty() || on_right.empty()) {
            return false;
        }
        for (std::uint32_t own = 0; own < n_concepts(); ++own) {
            const auto held = [&](std::uint32_t code) { return holds(own, code); };
            if (std::ranges::all_of(on_left, held) && std::ranges::none_of(on_right, held)) {
                out = Cut::on(own);
                return true;
            }
            if (std::ranges::all_of(on_right, held) && std::ranges::none_of(on_left, held)) {
                return false;
            }
        }
        return false;
    }
    template <typename Step, typename Add>
    void cuts_keeping(std::span<const std::uint32_t> codes, std::span<const std::uint32_t> kept,
                      Step, Add add) const {
        for_each_cut(codes, [&](Cut cut) {
            const auto held = [&](std::uint32_t code) { return holds(cut.code(), code); };
            if (std::ranges::all_of(kept, held)) {
                add(cut, true);
            } else if (std::ranges::none_of(kept, held)) {
                add(cut, false);
            }
        });
    }

    RowTest test(Cut cut) const {
        return {feature.codes.data(), first(cut.code()), last(cut.code()) - first(cut.code())};
    }
    RowTest test_anywhere(Cut cut) const { return test(cut); }
    Missing side_of(Cut cut, double value, double second) const {
        const bool held = value >= first(cut.code()) && value <= last(cut.code());
        return held                                    ? Missing::left
               : value == second || std::isnan(second) ? Missing::right
                                                       : Missing::untold;
    }
    static std::int32_t code_of(double value) {
        return value < 0 ? -1 : static_cast<std::int32_t>(value);
    }
    static bool same_test(Cut a, Cut b) { return a.code() == b.code(); }
    // Which of the concepts that part alike is the cut does not depend on the box.
    static bool restores(Cut now, Cut before) { return now.code() == before.code(); }

    std::int32_t n_cells() const { return static_cast<std::int32_t>(n_concepts()); }
    static std::int32_t cell(Cut cut) { return static_cast<std::int32_t>(cut.code()); }
    static double unit() { return 1.0; }
    static double gap(Cut, double) { return 1.0; }
    static double span(double) { return 1.0; }
    static double length(Cut, double) { return 1.0; }

    static double most_sets(double n, bool) { return std::exp2(n); }
    // A cut keeps the codes of a concept, or those of no such.
    static std::vector<double> sets_by_cuts(double n, std::size_t most_cuts) {
        std::vector<double> out{1.0};
        double sets = 1.0;
        for (double k = 1; k < n && out.size() <= most_cuts; ++k) {
            sets *= (4 * n - k + 1) / k;
            out.push_back(std::min(sets, std::exp2(n)));
        }
        return out;
    }

private:
    std::uint32_t n_levels() const { return static_cast<std::uint32_t>(feature.n_codes); }
    std::uint32_t n_concepts() const {
        return n_levels() + static_cast<std::uint32_t>(feature.numbers.size() / 2);
    }
    std::uint32_t first(std::uint32_t own) const { return end_of(own, 0); }
    std::uint32_t last(std::uint32_t own) const { return end_of(own, 1); }
    std::uint32_t end_of(std::uint32_t own, std::size_t which) const {
        return own < n_levels()
                   ? own
                   : static_cast<std::uint32_t>(feature.numbers[2 * (own - n_levels()) + which]);
    }
    bool holds(std::uint32_t own, std::uint32_t code) const {
        return code >= first(own) && code <= last(own);
    }
    // Where its codes begin and end among those of a box.
    std::pair<std::size_t, std::size_t> place(std::span<const std::uint32_t> codes,
                                              std::uint32_t own) const {
        const auto from = std::ranges::lower_bound(codes, first(own));
        const auto end = std::ranges::upper_bound(codes, last(own));
        return {static_cast<std::size_t>(from - codes.begin()),
                static_cast<std::size_t>(end - codes.begin())};
    }
};

}  // namespace slp::columns
