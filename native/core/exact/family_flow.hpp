// The chain rule over one family (family_descent.hpp): derivatives by its members become derivatives
// by the sides of their splits, along the rows of the triangles that the sums ran along.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exact/families.hpp"
#include "exact/family_at_hand.hpp"
#include "exact/family_lanes.hpp"
#include "exact/family_places.hpp"
#include "exact/family_ranks.hpp"
#include "exact/family_setting.hpp"
#include "exact/family_triangle.hpp"
#include "exact/family_waiting.hpp"

namespace slp::exact {

template <bool kVector>
class FamilyFlow {
public:
    using Cell = FamilyCell<kVector>;
    using Triangle = FamilyTriangle<Cell>;
    using Waiting = WaitingFamily<kVector>;

    FamilyFlow(const FamilySetting& setting, const Lanes& lanes, double cut,
               FamilyAtHand<kVector>& family, WaitingFamilies<kVector>& waiting)
        : s_(setting),
          chain_(setting.chain),
          lanes_(lanes),
          cut_(cut),
          f_(family),
          waiting_(waiting),
          path_(family.places.depth()) {}

    // Splits on the inner feature, from long members to short ones, as their sides are members of the
    // same family. Gives up the members that a lane hardly comes to, and notes the others.
    void sweep_inside() {
        for (std::size_t lane = 0; lane < lanes_.n; ++lane) {
            sweep_inside(lane);
        }
    }

    // All that goes to other families; afterwards the derivatives are nobody's.
    void send() {
        for (std::size_t lane = 0; lane < lanes_.n; ++lane) {
            if (f_.derivatives(lane)) {
                weigh_splits(lane);
                send_copies(lane);
            }
        }
        send_splits();
    }

private:
    std::size_t depth() const { return f_.places.depth(); }

    void add_splits(std::uint32_t feature, double probability) {
        if (lanes_.splits != nullptr) {
            (*lanes_.splits)[feature] += probability;
        }
    }

    // --- splits on the inner feature ---

    void sweep_inside(std::size_t lane) {
        const std::size_t k = f_.ranks.k;
        f_.lanes.clear(lane);
        const Derivatives<kVector> own = f_.derivatives(lane);
        if (!own) {
            return;
        }
        const std::size_t turn = lanes_.both() ? 0 : f_.lanes.inner_turn(lane);
        for (std::size_t i = 0; i < k; ++i) {
            for (std::size_t j = k; j-- > std::max<std::size_t>(i, f_.ranks.first_member[i]);) {
                double* const at = own.at(i, j);
                if (!(f_.places.mass(at, f_.values().row(i)[j]) > cut_)) {
                    std::fill_n(at, depth(), 0.0);
                    continue;
                }
                f_.lanes.note(lane, i, j);
                split_inside(own, i, j, turn);
            }
        }
    }

    void split_inside(const Derivatives<kVector>& own, std::size_t i, std::size_t j,
                      std::size_t turn) {
        const std::size_t member = i * f_.ranks.k + j;
        const auto [from, end] = f_.ranks.inner_splits(i, j);
        if (from >= end) {
            return;
        }
        const Triangle& values = f_.values();
        const double* const at = own.at(i, j);
        const double share = f_.shares.common(member) * f_.shares.of_inner(member);
        for (std::size_t t = 0; t < depth(); ++t) {
            path_[t] = at[t] * chain_.links[t].split;
        }
        double sum = 0;
        for (std::size_t m = from; m < end; ++m) {
            const Cell left = values.row(i)[m], right = values.row(m + 1)[j];
            double* const to_left = own.at(i, m);
            double* const to_right = own.at(m + 1, j);
            if (lanes_.both()) {
                f_.places.add_both(path_.data(), share, left, right, to_left, to_right, sum);
            } else if (m < turn) {
                f_.places.add_one(path_.data(), share, left, to_right);
            } else {
                f_.places.add_one(path_.data(), share, right, to_left);
            }
        }
        add_splits(s_.inner, sum);
    }

    // --- members of other families ---

    // Turns the derivatives by members into those by their splits, shares of features left out.
    void weigh_splits(std::size_t lane) {
        const Derivatives<kVector> derivatives = f_.derivatives(lane);
        const LaneRow* const members = f_.lanes.members(lane);
        for (std::size_t i = 0; i < f_.ranks.k; ++i) {
            for (std::size_t j = members[i].first; j < members[i].end; ++j) {
                double* const own = derivatives.at(i, j);
                const double common = f_.shares.common(i * f_.ranks.k + j);
                for (std::size_t t = 0; t < depth(); ++t) {
                    own[t] *= common * chain_.links[t].split;
                }
            }
        }
    }

    // Members that are another family's go there.
    void send_copies(std::size_t lane) {
        const FamilyRanks& ranks = f_.ranks;
        const Derivatives<kVector> derivatives = f_.derivatives(lane);
        for (std::size_t i = 0; i < ranks.k; ++i) {
            const std::size_t end = std::min<std::size_t>(ranks.first_member[i], ranks.k);
            for (std::size_t j = i; j < end; ++j) {
                const double* const own = derivatives.at(i, j);
                if (std::all_of(own, own + depth(), [](double x) { return x == 0.0; })) {
                    continue;
                }
                const FamilyRanks::Source& source = ranks.source[i];
                Waiting& to = f_.sides.family(2 * source.split + (source.is_left ? 0 : 1));
                double* const out =
                    waiting_.make_derivatives(to, lane).at(source.row, source.row + (j - i));
                for (std::size_t t = 0; t < depth(); ++t) {
                    out[t] += own[t];
                }
            }
        }
    }

    // --- splits on outer features ---

    void send_splits() {
        std::size_t number = 0;
        for_each_feature(f_.splits, [&](std::span<const BoxSplit> splits, std::uint32_t first) {
            const Feature& feature = f_.feature_of(splits);
            const double* const share = f_.shares.of_outer(number++);
            f_.ranks.order_by(feature);
            for (std::uint32_t e = 0; e < splits.size(); ++e) {
                f_.sides.prefetch(first + e + 3);
                f_.ranks.find_start(feature, splits[e]);
                for (std::size_t lane = 0; lane < lanes_.n; ++lane) {
                    if (!f_.derivatives(lane) || !f_.lanes.have_split(lane)) {
                        continue;
                    }
                    if (lanes_.both()) {
                        add_splits(splits[e].feature, send_both(share, first + e));
                    } else {
                        f_.lanes.find_turns(feature, splits[e], lane);
                        send_left(lane, share, first + e);
                        send_right(lane, share, first + e);
                    }
                }
            }
        });
    }

    // The probability of the split at hand, lane 0 following both sides.
    double send_both(const double* share, std::uint32_t split) {
        const std::size_t k = f_.ranks.k;
        Waiting &left = f_.sides.family(2 * split), &right = f_.sides.family(2 * split + 1);
        const Derivatives<kVector> to_left = waiting_.make_derivatives(left, 0);
        const Derivatives<kVector> to_right = waiting_.make_derivatives(right, 0);
        const SideRanks &ranks_l = f_.ranks.left_ranks, &ranks_r = f_.ranks.right_ranks;
        const std::uint32_t* const last_l = ranks_l.last.data();
        const std::uint32_t* const last_r = ranks_r.last.data();
        const std::uint8_t* const alive = f_.lanes.alive(0);
        const Derivatives<kVector> derivatives = f_.derivatives(0);
        const LaneRow* const members = f_.lanes.members(0);
        double sum = 0;
        for (std::size_t i = 0; i < k; ++i) {
            const std::size_t row_l = ranks_l.below[i], row_r = ranks_r.below[i];
            const double* const own = derivatives.at(i, 0);
            for (std::size_t j = std::max(f_.ranks.start[i], members[i].first); j < members[i].end;
                 ++j) {
                if (!kVector || alive[i * k + j] != 0) {
                    f_.places.add_both(own + j * depth(), share[i * k + j],
                                       left.values->row(row_l)[last_l[j]],
                                       right.values->row(row_r)[last_r[j]],
                                       to_left.at(row_l, last_l[j]), to_right.at(row_r, last_r[j]),
                                       sum);
                }
            }
        }
        return sum;
    }

    void send_left(std::size_t lane, const double* share, std::uint32_t split) {
        const std::uint32_t* const turns = f_.lanes.turns();
        send_one(lane, share, split, true, [=](std::size_t i, LaneRow row) {
            return LaneRow{row.first, std::min(row.end, turns[i])};
        });
    }

    void send_right(std::size_t lane, const double* share, std::uint32_t split) {
        const std::uint32_t* const turns = f_.lanes.turns();
        send_one(lane, share, split, false, [=](std::size_t i, LaneRow row) {
            return LaneRow{std::max(row.first, turns[i]), row.end};
        });
    }

    // range: of a row of members those that send the lane's row to this side.
    template <typename Range>
    void send_one(std::size_t lane, const double* share, std::uint32_t split, bool is_left,
                  Range range) {
        const std::size_t k = f_.ranks.k;
        const SideRanks& there = is_left ? f_.ranks.left_ranks : f_.ranks.right_ranks;
        const SideRanks& beside = is_left ? f_.ranks.right_ranks : f_.ranks.left_ranks;
        const Triangle& other = f_.sides.values(2 * split + (is_left ? 1 : 0));
        const std::uint8_t* const alive = f_.lanes.alive(lane);
        const Derivatives<kVector> derivatives = f_.derivatives(lane);
        const LaneRow* const members = f_.lanes.members(lane);
        const std::uint32_t* const start = f_.ranks.start.data();
        Derivatives<kVector> to;
        for (std::size_t i = 0; i < k; ++i) {
            const auto [first, end] =
                range(i, LaneRow{std::max(start[i], members[i].first), members[i].end});
            if (first >= end) {
                continue;
            }
            if (!to) {
                to = waiting_.make_derivatives(f_.sides.family(2 * split + (is_left ? 0 : 1)), lane);
            }
            const double* const own = derivatives.at(i, 0);
            const Cell* const values = other.row(beside.below[i]);
            for (std::size_t j = first; j < end; ++j) {
                if (!kVector || alive[i * k + j] != 0) {
                    f_.places.add_one(own + j * depth(), share[i * k + j], values[beside.last[j]],
                                      to.at(there.below[i], there.last[j]));
                }
            }
        }
    }

    const FamilySetting& s_;
    const Chain& chain_;
    const Lanes& lanes_;
    double cut_;
    FamilyAtHand<kVector>& f_;
    WaitingFamilies<kVector>& waiting_;
    std::vector<double> path_;  // by place
};

}  // namespace slp::exact
