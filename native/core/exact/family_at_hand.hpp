// The family that probability has come to and is about to leave (family_descent.hpp): what its
// members, their splits and the lanes that come to them are.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "exact/arena.hpp"
#include "exact/budget.hpp"
#include "exact/families.hpp"
#include "exact/family_lanes.hpp"
#include "exact/family_places.hpp"
#include "exact/family_ranks.hpp"
#include "exact/family_setting.hpp"
#include "exact/family_shares.hpp"
#include "exact/family_sides.hpp"
#include "exact/family_triangle.hpp"
#include "exact/family_waiting.hpp"
#include "exact/geometry.hpp"
#include "exact/memo.hpp"
#include "exact/problem.hpp"

namespace slp::exact {

// All of it is scratch that the next family overwrites.
template <bool kVector>
class FamilyAtHand {
public:
    using Waiting = WaitingFamily<kVector>;
    using Triangle = FamilyTriangle<FamilyCell<kVector>>;

    FamilyAtHand(const FamilySetting& setting, const Memo& found, const Lanes& of,
                 WaitingFamilies<kVector>& waiting, Budget& budget)
        : ranks(setting.problem, setting.geometry, setting.inner),
          shares(setting.problem, setting.chain, setting.inner, ranks.most()),
          lanes(setting, of, ranks),
          places(setting.chain),
          sides(setting.geometry, found, waiting),
          s_(setting),
          waiting_(waiting),
          splitter_(setting.geometry),
          arena_(budget),
          start_(arena_.mark()) {}

    // Which lanes come to which members is still to be found.
    void set(Waiting& family) {
        family_ = &family;
        arena_.release(start_);
        splits = without_feature(splitter_.splits(family.box, arena_), s_.inner);
        sides.find(family.box, splits);
        ranks.set_rows(family.box);
        for_each_feature(splits, [&](std::span<const BoxSplit> of_feature, std::uint32_t first) {
            ranks.find_sources(feature_of(of_feature), of_feature, first);
        });
        shares.count(ranks, splits);
    }

    // Of the scratch, about, but for splits.
    std::size_t bytes() const { return shares.bytes() + lanes.bytes(); }

    const Triangle& values() const { return *family_->values; }
    // Nothing for a lane that has not come.
    Derivatives<kVector> derivatives(std::size_t lane) const {
        return waiting_.derivatives(*family_, lane);
    }

    const Feature& feature_of(std::span<const BoxSplit> of_feature) const {
        return s_.problem.table.features[of_feature.front().feature];
    }

    FamilyRanks ranks;
    FamilyShares shares;
    FamilyLanes lanes;
    FamilyPlaces<kVector> places;
    FamilySides<kVector> sides;
    std::span<const BoxSplit> splits;  // on outer features

private:
    const FamilySetting& s_;
    WaitingFamilies<kVector>& waiting_;
    Splitter splitter_;
    Arena arena_;
    Arena::Mark start_;
    Waiting* family_ = nullptr;
};

}  // namespace slp::exact
