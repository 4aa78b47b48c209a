// Subsets of levels, of which the cuts of a box are those between neighbours in the order of their
// responses there (slp.columns.ordered_subsets). The set with the first level is on the left.
//
// The number of a cut is how many levels are before it in the order of its box, the rest the number
// of that order (level_orders.hpp). Of the k levels of a box each cut weighs as one of the 2^(k-1)
// - 1 partitions.

#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "problem/columns/feature.hpp"
#include "problem/columns/subsets.hpp"

namespace slp::columns {

struct OrderedSubsets {
    static constexpr bool kPlain = false, kSingle = false, kOrdered = false, kAnyPartition = false,
                          kNamesPairs = false, kLooksAtResponse = true;

    const Feature& feature;

    bool sound(std::size_t n_codes) const {
        return n_codes <= LevelOrders::kMostLevels && feature.orders != nullptr &&
               feature.orders->has_leaf();
    }

    static std::size_t most_cuts(std::size_t n_codes) { return n_codes < 2 ? 0 : n_codes - 1; }
    template <typename Add>
    void for_each_cut(std::span<const std::uint32_t> codes, std::span<const std::uint32_t> rows,
                      Add add) const {
        std::vector<std::uint32_t> sorted;
        if (!std::ranges::is_sorted(rows)) {
            sorted.assign(rows.begin(), rows.end());
            std::ranges::sort(sorted);
            rows = sorted;
        }
        const auto found = feature.orders->find(codes, feature.codes, rows);
        if (found.cuts.empty()) {
            return;
        }
        const std::uint32_t order = feature.orders->number(found.codes);
        for (const std::uint32_t before : found.cuts) {
            add(Cut::of_order(before, order));
        }
    }
    // The sides are those of a box.
    template <typename Left, typename Right>
    bool cut_between(Left left, Right right, Cut& out) const {
        std::vector<std::uint32_t> rows;
        left([&](std::uint32_t row) { rows.push_back(row); });
        const std::size_t n_left = rows.size();
        right([&](std::uint32_t row) { rows.push_back(row); });
        const auto on_left = marks_of(std::span(rows).first(n_left));
        const auto on_right = marks_of(std::span(rows).subspan(n_left));
        std::vector<std::uint32_t> here;
        std::size_t before = 0;  // how many codes go left
        for (std::uint32_t word = 0; word < on_left.size(); ++word) {
            if ((on_left[word] & on_right[word]) != 0) {
                return false;
            }
            before += static_cast<std::size_t>(std::popcount(on_left[word]));
            for (std::uint64_t bits = on_left[word] | on_right[word]; bits != 0; bits &= bits - 1) {
                here.push_back(64 * word + static_cast<std::uint32_t>(std::countr_zero(bits)));
            }
        }
        const auto is_left = [&](std::uint32_t code) {
            return (on_left[code / 64] >> code % 64 & 1) != 0;
        };
        if (before == 0 || before == here.size() || !is_left(here[0])) {
            return false;
        }
        for (const auto side : {std::span(rows).first(n_left), std::span(rows).subspan(n_left)}) {
            if (!std::ranges::is_sorted(side)) {
                std::ranges::sort(side);
            }
        }
        const auto found = feature.orders->find(here, feature.codes, rows);
        const bool first = is_left(found.codes[0]);  // the left ones are the first, or the last
        before = first ? before : here.size() - before;
        const auto middle = found.codes.begin() + static_cast<std::ptrdiff_t>(before);
        if (!std::ranges::binary_search(found.cuts, static_cast<std::uint32_t>(before)) ||
            !std::all_of(found.codes.begin(), middle,
                         [&](std::uint32_t code) { return is_left(code) == first; })) {
            return false;
        }
        out = Cut::of_order(static_cast<std::uint32_t>(before),
                            feature.orders->number(found.codes));
        return true;
    }
    // The nearest cuts below and above the levels kept, or steps on the way there.
    template <typename Step, typename Add>
    void cuts_keeping(std::span<const std::uint32_t> codes, std::span<const std::uint32_t> kept,
                      std::span<const std::uint32_t> rows, Step step, Add add) const {
        const auto found = feature.orders->find(codes, feature.codes, rows);
        if (found.cuts.empty()) {
            return;
        }
        const std::uint32_t order = feature.orders->number(found.codes);
        const LevelOrder& own = feature.orders->at(order);
        std::uint32_t least = UINT32_MAX, most = 0;
        for (const std::uint32_t code : kept) {
            least = std::min(least, own.place(code));
            most = std::max(most, own.place(code));
        }
        const auto below = std::ranges::upper_bound(found.cuts, least);
        const auto above = std::ranges::upper_bound(found.cuts, most);
        if (below != found.cuts.begin()) {
            const std::uint32_t at = *(found.cuts.begin() + step(below - found.cuts.begin()) - 1);
            add(Cut::of_order(at, order), own.place_of_first() >= at);
        }
        if (above != found.cuts.end()) {
            const std::uint32_t at = *(found.cuts.end() - step(found.cuts.end() - above));
            add(Cut::of_order(at, order), own.place_of_first() < at);
        }
    }

    RowTest test(Cut cut) const {
        const LevelOrder& order = order_of(cut);
        const bool first = order.place_of_first() < cut.number();
        const std::uint32_t least = first ? 0 : cut.number();
        const std::uint32_t end = first ? cut.number() : order.size();
        return {feature.codes.data(), least, end - least - 1, 1, UINT32_MAX, false, &order};
    }
    RowTest test_anywhere(Cut cut) const { return test(cut); }
    Missing side_of(Cut cut, double value, double) const {
        const LevelOrder& order = order_of(cut);
        const std::uint32_t place =
            value < 0 ? UINT32_MAX : order.place(static_cast<std::uint32_t>(value));
        return place == UINT32_MAX ? Missing::untold
               : (place < cut.number()) == (order.place_of_first() < cut.number())
                   ? Missing::left
                   : Missing::right;
    }
    static std::int32_t code_of(double value) { return Subsets::code_of(value); }
    // Whatever the orders of their boxes.
    bool same_test(Cut a, Cut b) const {
        return a.rest() == b.rest()
                   ? a == b
                   : order_of(a).size() == order_of(b).size() && n_left(a) == n_left(b) &&
                         restores(a, b) && restores(b, a);
    }
    bool restores(Cut now, Cut before) const {
        if (now == before) {
            return true;
        }
        const RowTest own = test(now), was = test(before);
        return std::ranges::all_of(order_of(before).codes(), [&](std::uint32_t code) {
            return own.code_goes_left(code) == was.code_goes_left(code);
        });
    }

    static std::int32_t n_cells() { return 1; }
    static std::int32_t cell(Cut) { return 0; }
    static double unit() { return 1.0; }
    static double gap(Cut, double) { return 1.0; }
    static double span(double) { return 1.0; }
    static double length(Cut, double) { return 1.0; }
    double log_share(Cut cut) const {
        const double n = order_of(cut).size() - 1.0;
        return -n * std::numbers::ln2 - std::log1p(-std::exp2(-n));
    }

    std::vector<std::uint64_t> left_words(Cut cut) const {
        const RowTest own = test(cut);
        std::vector<std::uint64_t> out;
        for (const std::uint32_t code : order_of(cut).codes()) {
            if (own.code_goes_left(code)) {
                out.resize(std::max<std::size_t>(out.size(), code / 64 + 1), 0);
                out[code / 64] |= std::uint64_t{1} << code % 64;
            }
        }
        return out;
    }

    static double most_sets(double n, bool misses) { return Subsets::most_sets(n, misses); }
    static std::vector<double> sets_by_cuts(double n, std::size_t most) {
        return Subsets::sets_by_cuts(n, most);
    }

private:
    const LevelOrder& order_of(Cut cut) const { return feature.orders->at(cut.rest()); }
    std::uint32_t n_left(Cut cut) const {
        const LevelOrder& order = order_of(cut);
        return order.place_of_first() < cut.number() ? cut.number() : order.size() - cut.number();
    }
    // The codes of some rows, as binary digits.
    std::vector<std::uint64_t> marks_of(std::span<const std::uint32_t> rows) const {
        std::vector<std::uint64_t> out(static_cast<std::size_t>(feature.n_codes) / 64 + 1, 0);
        for (const std::uint32_t row : rows) {
            out[feature.codes[row] / 64] |= std::uint64_t{1} << feature.codes[row] % 64;
        }
        return out;
    }
};

}  // namespace slp::columns
