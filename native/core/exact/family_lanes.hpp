// What goes down the families (families.hpp): which members of the family at hand each lane comes to,
// and which side of their splits it takes.
//
// A new row may lie between two values. Which side of a split it takes then depends on which values
// occur in the member: of an outer split, member (i, j) sends it right from some j on, as the more
// rows there are, the lower is the threshold above a given code.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "exact/families.hpp"
#include "exact/family_ranks.hpp"
#include "exact/family_setting.hpp"
#include "exact/geometry.hpp"
#include "exact/problem.hpp"

namespace slp::exact {

// The members (i, j) of a row i that a lane comes to have j from `first` to `end` - 1.
struct LaneRow {
    std::uint32_t first, end;
};

// All of it is scratch that the next family overwrites.
class FamilyLanes {
public:
    FamilyLanes(const FamilySetting& setting, const Lanes& lanes, FamilyRanks& ranks)
        : s_(setting),
          lanes_(lanes),
          ranks_(ranks),
          members_(lanes.n * ranks.most()),
          alive_(lanes.n * ranks.most() * ranks.most()),
          turn_(ranks.most()) {}

    std::size_t bytes() const { return alive_.size(); }

    // --- members ---

    void clear(std::size_t lane) {
        const std::size_t k = ranks_.k;
        std::fill_n(members_.data() + lane * ranks_.most(), k,
                    LaneRow{static_cast<std::uint32_t>(k), 0});
        std::fill_n(alive_.data() + lane * k * k, k * k, std::uint8_t{0});
    }

    // The lane comes to member (i, j). Of a row i, from high j to low ones.
    void note(std::size_t lane, std::size_t i, std::size_t j) {
        alive_[(lane * ranks_.k + i) * ranks_.k + j] = 1;
        LaneRow& row = members_[lane * ranks_.most() + i];
        row.first = static_cast<std::uint32_t>(j);
        row.end = std::max(row.end, static_cast<std::uint32_t>(j + 1));
    }

    // Of a lane, by member (i, j) at i * k + j: 1 where it comes.
    const std::uint8_t* alive(std::size_t lane) const {
        return alive_.data() + lane * ranks_.k * ranks_.k;
    }
    // Of a lane, by row.
    const LaneRow* members(std::size_t lane) const {
        return members_.data() + lane * ranks_.most();
    }

    // --- the split at hand: that of the last `find_start` ---

    // Whether it is one of a member that the lane comes to.
    bool have_split(std::size_t lane) const {
        const LaneRow* const rows = members(lane);
        const std::uint32_t* const start = ranks_.start.data();
        for (std::size_t i = 0; i < ranks_.k; ++i) {
            if (std::max(start[i], rows[i].first) < rows[i].end) {
                return true;
            }
        }
        return false;
    }

    // Finds `turns`.
    void find_turns(const Feature& feature, const BoxSplit& split, std::size_t lane) {
        const double value = lanes_.rows[lane][split.feature];
        const auto none = static_cast<std::uint32_t>(ranks_.k);
        if (feature.kind == FeatureKind::levels) {
            std::fill_n(turn_.begin(), ranks_.k, value == static_cast<double>(split.low) ? none : 0);
            return;
        }
        // The largest code above the split's that leaves the threshold between them at the row or
        // below: thresholds do not fall as it grows.
        std::uint32_t low = split.low, high = static_cast<std::uint32_t>(feature.n_codes) - 1;
        while (low < high) {
            const std::uint32_t middle = low + (high - low + 1) / 2;
            if (s_.geometry.threshold(feature, split.low, middle) <= value) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        if (low == split.low) {
            std::fill_n(turn_.begin(), ranks_.k, none);
        } else {
            ranks_.find_right(low, turn_);
        }
    }

    // By row: members (i, j) from j = turns()[i] on send the lane's row right.
    const std::uint32_t* turns() const { return turn_.data(); }

    // --- splits on the inner feature ---

    // The first cut between ranks at which the lane's row goes left.
    std::size_t inner_turn(std::size_t lane) const {
        const Feature& inner = s_.problem.table.features[s_.inner];
        const double value = lanes_.rows[lane][s_.inner];
        std::size_t m = 0;
        while (m + 1 < ranks_.k && value >= s_.geometry.threshold(inner, ranks_.code_of_rank[m],
                                                                  ranks_.code_of_rank[m + 1])) {
            ++m;
        }
        return m;
    }

private:
    const FamilySetting& s_;
    const Lanes& lanes_;
    FamilyRanks& ranks_;
    std::vector<LaneRow> members_;     // lane by lane, by row
    std::vector<std::uint8_t> alive_;  // lane by lane, by member
    std::vector<std::uint32_t> turn_;  // by row
};

}  // namespace slp::exact
