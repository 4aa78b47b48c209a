// The cuts of a feature by the codes that occur in a box, and what is on their left sides.
//
// The definitions are those of slp.reference.boxes. Thresholds and tests on levels have faster ways
// of their own where they are found most; these functions take every kind of feature.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "problem/problem.hpp"

namespace slp {

// How many splits a box of so many distinct rows has on a feature, at most.
std::size_t most_splits(const Feature& feature, std::size_t n_rows);

// Appends the cuts of a box in which these codes (ascending) occur, in canonical order: groups by
// the binary digits of the levels after the first, thresholds and levels ascending, of each first
// the one with missing values on the right, the test for missing values last.
void list_cuts(const Feature& feature, std::span<const std::uint32_t> codes,
               std::vector<Cut>& out);

// Whether the i-th of some splits of a box, which are in canonical order, differs from a neighbour
// in the side of missing values alone. `feature` is that of the split.
template <typename Splits>
bool has_other_version(const Feature& feature, const Splits& splits, std::size_t i) {
    if (!feature.holes) {
        return false;
    }
    const auto n = static_cast<std::uint32_t>(feature.n_codes);
    const auto are_versions = [&](std::size_t a, std::size_t b) {
        if (b >= splits.size() || splits[a].low + n != splits[b].low) {
            return false;
        }
        if constexpr (requires { splits[a].feature; }) {
            return splits[a].feature == splits[b].feature;
        }
        return true;
    };
    switch (feature.side_of_missing(splits[i].low)) {
        case Missing::right: return are_versions(i, i + 1);
        case Missing::left: return i > 0 && are_versions(i - 1, i);
        default: return false;
    }
}

// What adds up a left side: `add(i)` the rows with the i-th code; `keep` and `back` remember the
// sum and return to it; `cut(j)` says that it is the left side of the j-th cut.
template <typename Clear, typename Add, typename Keep, typename Back, typename Done>
struct LeftSides {
    Clear clear;
    Add add;
    Keep keep;
    Back back;
    Done cut;
};
template <typename Clear, typename Add, typename Keep, typename Back, typename Done>
LeftSides(Clear, Add, Keep, Back, Done) -> LeftSides<Clear, Add, Keep, Back, Done>;

// Goes through the left sides of cuts (anything with a `low`), which are some of those of a box in
// which these codes (ascending) occur, in canonical order.
template <typename Cuts, typename Sides>
void for_each_left_side(const Feature& feature, std::span<const std::uint32_t> codes,
                        const Cuts& cuts, const Sides& sides) {
    std::size_t next = 0;
    sides.clear();
    for (std::size_t j = 0; j < cuts.size(); ++j) {
        const std::uint32_t low = cuts[j].low, own = feature.without_side(low);
        if (feature.kind != FeatureKind::values && feature.kind != FeatureKind::cuts) {
            sides.clear();
            for (std::size_t i = 0; i < codes.size(); ++i) {
                if (feature.code_goes_left(low, codes[i])) {
                    sides.add(i);
                }
            }
            sides.cut(j);
        } else if (own == feature.missing()) {
            sides.clear();
            sides.add(codes.size() - 1);
            sides.cut(j);
        } else {
            for (; next < codes.size() && codes[next] <= own; ++next) {
                sides.add(next);
            }
            if (feature.side_of_missing(low) == Missing::left) {
                sides.keep();
                sides.add(codes.size() - 1);
                sides.cut(j);
                sides.back();
            } else {
                sides.cut(j);
            }
        }
    }
}

}  // namespace slp
