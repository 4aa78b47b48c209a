// A feature of a coded table: its data, and what passes ask of it, whatever its kind.
//
// The kinds are the other headers of this folder; kinds.hpp says what each of them defines.
// No pass asks which kind a feature is of.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "problem/columns/cut.hpp"
#include "problem/columns/level_orders.hpp"
#include "problem/columns/row_test.hpp"

namespace slp {

// As Python numbers them.
enum class FeatureKind : std::uint8_t {
    values, cuts, levels, subsets, ordered_subsets, concepts
};

// What becomes of a new row where a split does not say its side: it is an error, or it goes to the
// side of more weight (of equal ones to the left), or down both sides in proportion to their
// weights.
enum class Untold : std::uint8_t { error, larger, average };

// Thrown where it is an error. missing: the row misses the value; else it has another level than
// those of the box.
struct UntoldFault {
    std::uint32_t feature;
    bool missing;
};

// The share of a new row without a side that goes left at a split: left, all are the weights of the
// rows of its box that go left, and of all of them. NaN where it is an error.
inline double share_left(Untold way, double left, double all) {
    switch (way) {
        case Untold::larger: return left >= all - left ? 1.0 : 0.0;
        case Untold::average: return left / all;
        default: return std::numeric_limits<double>::quiet_NaN();
    }
}

struct Feature {
    FeatureKind kind = FeatureKind::values;
    std::int32_t n_codes = 0;
    // The values or the cuts, strictly increasing; of concepts see concepts.hpp; empty for levels
    // and subsets.
    std::vector<double> numbers;
    // Where the cells of thresholds begin and end; empty for levels and subsets.
    std::vector<double> breakpoints;
    // Number of the feature's first cell among those of all features.
    std::int32_t first_cell = 0;
    // Length n: the code of each distinct row.
    std::vector<std::uint32_t> codes;
    // Whether the last code is that of missing values, which take a side at each cut.
    bool holes = false;
    // What becomes of a new row that misses the value, and of one with a level that the box of a
    // split by subsets, or by two levels that are left, does not have.
    Untold untold = Untold::error, absent = Untold::average;
    // Of a feature whose cuts depend on the responses: the orders of its levels in boxes, which
    // copies of the problem share.
    std::shared_ptr<LevelOrders> orders{};

    // Whether the left side of every cut is the codes up to one, or one code: the only features
    // that the fastest algorithms take.
    bool plain() const;
    // Whether it is one code, of a plain feature.
    bool single() const;
    // Whether codes other than that of missing values are in an order, which cuts keep: they have
    // thresholds.
    bool ordered() const;
    // Whether every partition of the codes in a box is a cut.
    bool any_partition() const;
    // Whether a cut of a box with two codes says no side of a third one.
    bool names_pairs() const;
    // Whether the cuts of a box depend on its responses; then it may have none though several codes
    // occur.
    bool looks_at_response() const { return orders != nullptr; }
    // Whether a cut may have two versions, which differ in the side of missing values alone.
    bool has_versions() const { return holes; }
    // The code of missing values; one that does not occur where there are none.
    std::uint32_t missing() const {
        return holes ? static_cast<std::uint32_t>(n_codes) - 1 : UINT32_MAX;
    }
    // Whether its data fits its kind.
    bool sound() const;

    // --- the cuts of a box

    // How many a box of so many distinct rows has, at most.
    std::size_t most_cuts(std::size_t n_rows) const;
    // Appends those of a box with these rows, in which these codes (ascending) occur, in canonical
    // order.
    void list_cuts(std::span<const std::uint32_t> here, std::span<const std::uint32_t> rows,
                   std::vector<Cut>& out) const;
    // Of a plain feature: how many cuts a box of so many codes has, and that at a code.
    std::size_t n_plain_cuts(std::size_t n) const;
    Cut plain_cut(std::uint32_t code, std::uint32_t next) const;
    // The cut that has rows on its left side, and others on its right; false if there is none.
    // left, right: call what they are given with each row.
    template <typename Left, typename Right>
    bool cut_between(Left left, Right right, Cut& out) const;
    // Calls add(cut, whether left is kept) for the cuts that keep some codes, `kept`, on one side
    // of a box with these rows and the codes `here` (both ascending). Of an order one cut for each
    // end, the step(n)-th of the n between it and the end.
    template <typename Step, typename Add>
    void cuts_keeping(std::span<const std::uint32_t> here, std::span<const std::uint32_t> kept,
                      std::span<const std::uint32_t> rows, Step step, Add add) const;

    // --- sides

    // Of the rows of the cut's box, and of any rows of the table: by the canonical threshold.
    RowTest test(Cut cut) const;
    RowTest test_anywhere(Cut cut) const;
    // Of a plain feature: of any rows by a threshold, or by the code of a level.
    RowTest plain_test(double operand) const;
    bool goes_left(Cut cut, std::uint32_t row) const { return test(cut).goes_left(row); }
    // The side of a new row's value, which is a number, the code of a level (negative: a level that
    // the table lacks) or, missing, NaN. second: of a feature that names pairs, the level that goes
    // right where the box has two; NaN where it has more.
    Missing side_of(Cut cut, double value,
                    double second = std::numeric_limits<double>::quiet_NaN()) const;
    // The code of a value that is not missing; -1 if the table lacks the level.
    std::int32_t code_of(double value) const;
    // Whether two cuts are the same one of a box, however they are written.
    bool same_cut(Cut a, Cut b) const { return a == b || (looks_at_response() && same_test(a, b)); }
    // Whether two cuts, of two boxes, are the same test.
    bool same_test(Cut a, Cut b) const;
    // Whether, where `before` was, the test `now` of another box would be it again.
    bool restores(Cut now, Cut before) const;
    // Whether it is the test for missing values.
    bool tests_missing(Cut cut) const;
    // Whether two cuts differ in the side of missing values alone, `left` having them on the left.
    bool are_versions(Cut right, Cut left) const;

    // --- numbers

    // Of all cuts in all boxes: the cells (thresholds, levels or sets of these) that rules tell
    // apart, and a cut's cell, counted through all features.
    std::int32_t n_cells() const;
    std::int32_t cell(Cut cut) const;
    // Canonical threshold of a cut of an ordered feature: less goes left. Of the test for missing
    // values it is infinite.
    double threshold(Cut cut) const;
    // The factor of distances of values (`Geometry::gap`); these, from a cut's left to its right
    // and from the least code to the largest; a cut's share of the range (`Geometry::length`).
    double unit() const;
    double gap(Cut cut, double unit) const;
    double span(double unit) const;
    double length(Cut cut, double unit) const;
    // Where `looks_at_response`: the log of a cut's share in the weight of its feature, the same
    // for all cuts of a box; and the codes on its left side as binary digits, 64 in a word, the
    // last of which is not 0. They do not depend on the numbers of orders.
    double log_share(Cut cut) const;
    std::vector<std::uint64_t> left_words(Cut cut) const;
    // Sets of n codes, with or without that of missing values, that a box may have, at most.
    double most_sets(double n, bool misses) const;
    // At index k: sets of n codes that k cuts leave, up to `most_cuts`, at most.
    std::vector<double> sets_by_cuts(double n, std::size_t most_cuts) const;
};

}  // namespace slp
