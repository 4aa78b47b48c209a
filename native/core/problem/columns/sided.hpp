// Missing values that take a side, around another kind. The last code of the feature is theirs.
//
// Where a box has missing values, each cut of the other codes has two versions: with the missing
// values on the right, and on the left; its numbers then are n_codes and 2 n_codes more. Besides,
// `Cut::on` the code of missing values is the test for these: left goes what is missing.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "problem/columns/feature.hpp"

namespace slp::columns {

// `Kind`: one that is plain.
template <typename Kind>
struct Sided {
    static constexpr bool kPlain = false, kSingle = false, kOrdered = Kind::kOrdered,
                          kAnyPartition = false,
                          kNamesPairs = Kind::kNamesPairs, kLooksAtResponse = false;

    const Feature& feature;
    Kind other{feature};

    bool sound(std::size_t n_codes) const { return other.sound(n_codes - 1); }

    std::uint32_t n() const { return static_cast<std::uint32_t>(feature.n_codes); }
    Cut without_side(Cut cut) const {
        return Cut::written(cut.number() % n(), cut.rest() % n());
    }
    Missing side(Cut cut) const { return static_cast<Missing>(cut.number() / n()); }
    Cut with_side(Cut cut, Missing side) const {
        const std::uint32_t more = static_cast<std::uint32_t>(side) * n();
        return Cut::written(cut.number() + more, cut.rest() + more);
    }
    Cut on_missing() const { return Cut::on(feature.missing()); }
    bool tests_missing(Cut cut) const { return cut.number() % n() == feature.missing(); }

    static std::size_t most_cuts(std::size_t n_codes) { return 2 * n_codes + 1; }
    // Of each cut first the one with missing values on the right; the test for missing values last.
    template <typename Add>
    void for_each_cut(std::span<const std::uint32_t> codes, Add add) const {
        if (codes.empty() || codes.back() != feature.missing()) {
            other.for_each_cut(codes, add);
            return;
        }
        other.for_each_cut(codes.first(codes.size() - 1), [&](Cut cut) {
            add(with_side(cut, Missing::right));
            add(with_side(cut, Missing::left));
        });
        if (codes.size() > 1) {
            add(on_missing());
        }
    }
    template <typename Left, typename Right>
    bool cut_between(Left left, Right right, Cut& out) const {
        struct Seen {
            bool values = false, misses = false;
        };
        const auto look = [&](auto rows) {
            Seen seen;
            rows([&](std::uint32_t code) {
                (code == feature.missing() ? seen.misses : seen.values) = true;
            });
            return seen;
        };
        const Seen a = look(left), b = look(right);
        if ((a.misses && b.misses) || !b.values) {
            return false;
        }
        if (!a.values) {
            out = on_missing();
            return a.misses;
        }
        const auto of_values = [&](auto rows) {
            return [this, rows](auto use) {
                rows([&](std::uint32_t code) {
                    if (code != feature.missing()) {
                        use(code);
                    }
                });
            };
        };
        if (!other.cut_between(of_values(left), of_values(right), out)) {
            return false;
        }
        out = with_side(out, a.misses   ? Missing::left
                             : b.misses ? Missing::right
                                        : Missing::untold);
        return true;
    }
    // Missing rows go to the side of those kept; if none is, to the other side. Also the test for
    // missing values, if it keeps the codes on one side.
    template <typename Step, typename Add>
    void cuts_keeping(std::span<const std::uint32_t> codes, std::span<const std::uint32_t> kept,
                      Step step, Add add) const {
        if (codes.back() != feature.missing()) {
            other.cuts_keeping(codes, kept, step, add);
            return;
        }
        const bool keeps_missing = kept.back() == feature.missing();
        const auto values = codes.first(codes.size() - 1);
        const auto kept_values = kept.first(kept.size() - (keeps_missing ? 1 : 0));
        if (!kept_values.empty() && values.size() > kept_values.size()) {
            other.cuts_keeping(values, kept_values, step, [&](Cut cut, bool keep_left) {
                const bool left = keep_left == keeps_missing;
                add(with_side(cut, left ? Missing::left : Missing::right), keep_left);
            });
        }
        if (!values.empty() && (!keeps_missing || kept.size() == 1)) {
            add(on_missing(), keeps_missing);
        }
    }

    RowTest sided(RowTest test, Cut cut) const {
        test.missing = feature.missing();
        test.missing_left = side(cut) == Missing::left;
        return test;
    }
    RowTest of_missing() const {  // no value passes
        return {feature.codes.data(), UINT32_MAX, 0, 0, feature.missing(), true};
    }
    RowTest test(Cut cut) const {
        return tests_missing(cut) ? of_missing() : sided(other.test(without_side(cut)), cut);
    }
    RowTest test_anywhere(Cut cut) const {
        return tests_missing(cut) ? of_missing()
                                  : sided(other.test_anywhere(without_side(cut)), cut);
    }
    Missing side_of(Cut cut, double value, double second) const {
        const bool is_missing = value != value;
        if (tests_missing(cut)) {
            return is_missing ? Missing::left : Missing::right;
        }
        return is_missing ? side(cut) : other.side_of(without_side(cut), value, second);
    }
    std::int32_t code_of(double value) const { return other.code_of(value); }
    bool same_test(Cut a, Cut b) const {
        if (tests_missing(a) || tests_missing(b)) {
            return tests_missing(a) == tests_missing(b);
        }
        return side(a) == side(b) && other.same_test(without_side(a), without_side(b));
    }
    bool restores(Cut now, Cut before) const {
        if (tests_missing(now) || tests_missing(before)) {
            return now.number() == before.number();
        }
        const Missing was = side(before);
        return (was == Missing::untold || (was == Missing::left) == (side(now) == Missing::left)) &&
               other.restores(without_side(now), without_side(before));
    }

    // The last one is that of the test for missing values.
    std::int32_t n_cells() const { return other.n_cells_with_missing(); }
    std::int32_t cell(Cut cut) const {
        return tests_missing(cut) ? n_cells() - 1 : other.cell(without_side(cut));
    }
    double threshold(Cut cut) const
        requires(kOrdered)
    {
        return tests_missing(cut) ? std::numeric_limits<double>::infinity()
                                  : other.threshold(without_side(cut));
    }
    double unit() const { return other.unit(); }
    double gap(Cut cut, double unit) const {
        return tests_missing(cut) ? other.gap_of_missing(unit)
                                  : other.gap(without_side(cut), unit);
    }
    double span(double unit) const { return other.span(unit); }
    double length(Cut cut, double unit) const {
        return tests_missing(cut) ? 1.0 : other.length(without_side(cut), unit);
    }

    static double most_sets(double n, bool misses) { return Kind::most_sets(n, misses); }
    // All at once: few boxes have a long path.
    static std::vector<double> sets_by_cuts(double n, std::size_t) {
        return {1.0, Kind::sets_with_missing(n)};
    }

    // Whether one cut is another with missing values on the other side: `left` has them on the
    // left.
    bool are_versions(Cut right, Cut left) const {
        return side(right) == Missing::right &&
               with_side(without_side(right), Missing::left) == left;
    }
};

}  // namespace slp::columns
