// Sums over the left sides of cuts, for every kind of feature. Plain ones have faster ways of their
// own where they are found most.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "problem/columns/kinds.hpp"

namespace slp {

// Of a cut, or what has one.
constexpr Cut cut_of(Cut cut) {
    return cut;
}
template <typename Split>
    requires requires(const Split& split) { split.cut; }
constexpr Cut cut_of(const Split& split) {
    return split.cut;
}

// Whether the i-th of some splits of a box, which are in canonical order, differs from a neighbour
// in the side of missing values alone. `feature` is that of the split.
template <typename Splits>
bool has_other_version(const Feature& feature, const Splits& splits, std::size_t i) {
    if (!feature.has_versions()) {
        return false;
    }
    const auto are_versions = [&](std::size_t a, std::size_t b) {
        if constexpr (requires { splits[a].feature; }) {
            if (splits[a].feature != splits[b].feature) {
                return false;
            }
        }
        return feature.are_versions(cut_of(splits[a]), cut_of(splits[b]));
    };
    return (i + 1 < splits.size() && are_versions(i, i + 1)) || (i > 0 && are_versions(i - 1, i));
}

// What adds up a left side: `add(i)` the rows with the i-th code; `keep` and `back` remember the
// sum and return to it; `cut(j)` says that it is the left side of the j-th cut. Cuts come in any
// order, each once.
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

// Those of cuts by the places of codes in an order: left are the last ones, or the first ones.
template <typename Cuts, typename Sides>
void for_each_end_of_order(const Feature& feature, std::span<const std::uint32_t> codes,
                           const Cuts& cuts, const Sides& sides) {
    const LevelOrder& order = *feature.test(cut_of(cuts[0])).order;
    std::vector<std::size_t> at(order.size());
    for (std::size_t i = 0; i < codes.size(); ++i) {
        at[order.place(codes[i])] = i;
    }
    sides.clear();
    for (std::size_t j = cuts.size(), next = at.size(); j-- > 0;) {
        const RowTest test = feature.test(cut_of(cuts[j]));
        if (test.least != 0) {
            for (; next > test.least; --next) {
                sides.add(at[next - 1]);
            }
            sides.cut(j);
        }
    }
    sides.clear();
    for (std::size_t j = 0, next = 0; j < cuts.size(); ++j) {
        const RowTest test = feature.test(cut_of(cuts[j]));
        if (test.least == 0) {
            for (; next <= test.width; ++next) {
                sides.add(at[next]);
            }
            sides.cut(j);
        }
    }
}

// Goes through the left sides of cuts (or what has one), which are some of those of a box in which
// these codes (ascending) occur, in canonical order.
template <typename Cuts, typename Sides>
void for_each_left_side(const Feature& feature, std::span<const std::uint32_t> codes,
                        const Cuts& cuts, const Sides& sides) {
    if (feature.looks_at_response()) {
        if (cuts.size() > 0) {
            for_each_end_of_order(feature, codes, cuts, sides);
        }
        return;
    }
    const bool ordered = feature.ordered();
    std::size_t next = 0;
    sides.clear();
    for (std::size_t j = 0; j < cuts.size(); ++j) {
        const RowTest test = feature.test(cut_of(cuts[j]));
        if (!ordered || test.least != 0) {  // the last: of missing values alone
            sides.clear();
            for (std::size_t i = 0; i < codes.size(); ++i) {
                if (test.code_goes_left(codes[i])) {
                    sides.add(i);
                }
            }
            sides.cut(j);
            continue;
        }
        for (; next < codes.size() && codes[next] <= test.width; ++next) {
            sides.add(next);
        }
        if (test.missing_left) {
            sides.keep();
            sides.add(codes.size() - 1);
            sides.cut(j);
            sides.back();
        } else {
            sides.cut(j);
        }
    }
}

}  // namespace slp
