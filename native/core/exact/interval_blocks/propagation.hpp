// The chain rule over one block (interval_blocks/descent.hpp): derivatives by its members become
// derivatives by the sides of their splits, along the same rows of triangles as the sums.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exact/interval_blocks/current_block.hpp"
#include "exact/interval_blocks/depth_vectors.hpp"
#include "exact/interval_blocks/query_paths.hpp"
#include "exact/interval_blocks/ranks.hpp"
#include "exact/interval_blocks/search.hpp"
#include "exact/interval_blocks/setting.hpp"
#include "exact/interval_blocks/triangle.hpp"
#include "exact/interval_blocks/waiting.hpp"

namespace slp::exact {

template <bool kVector>
class Propagation {
public:
    using Cell = MemberValue<kVector>;
    using Triangle = TriangleOf<Cell>;
    using Waiting = WaitingBlock<kVector>;

    Propagation(const IntervalSetting& setting, const QueryBatch& queries, double cut,
                CurrentBlock<kVector>& block, WaitingBlocks<kVector>& waiting)
        : s_(setting),
          by_depth_(setting.by_depth),
          queries_(queries),
          cut_(cut),
          f_(block),
          waiting_(waiting),
          path_(block.vectors.length()) {}

    // Splits on the inner feature, from long members to short ones, as their sides are members of
    // the same block. Drops the members that a query reaches with too small a probability, and
    // notes the others.
    void sweep_inside() {
        for (std::size_t query = 0; query < queries_.n; ++query) {
            sweep_inside(query);
        }
    }

    // Sends derivatives to other blocks; they are not used afterwards.
    void send() {
        for (std::size_t query = 0; query < queries_.n; ++query) {
            if (f_.derivatives(query)) {
                weigh_splits(query);
                send_copies(query);
            }
        }
        send_splits();
    }

private:
    std::size_t length() const { return f_.vectors.length(); }

    void add_splits(std::uint32_t feature, double probability) {
        if (queries_.splits != nullptr) {
            (*queries_.splits)[feature] += probability;
        }
    }

    // --- splits on the inner feature ---

    void sweep_inside(std::size_t query) {
        const std::size_t k = f_.ranks.k;
        f_.queries.clear(query);
        const Derivatives<kVector> own = f_.derivatives(query);
        if (!own) {
            return;
        }
        const std::size_t turn = queries_.both() ? 0 : f_.queries.inner_turn(query);
        for (std::size_t i = 0; i < k; ++i) {
            for (std::size_t j = k; j-- > std::max<std::size_t>(i, f_.ranks.first_member[i]);) {
                double* const at = own.at(i, j);
                if (!(f_.vectors.mass(at, f_.values().row(i)[j]) > cut_)) {
                    std::fill_n(at, length(), 0.0);
                    continue;
                }
                f_.queries.note(query, i, j);
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
        const double probability =
            f_.probabilities.common(member) * f_.probabilities.of_inner(member);
        for (std::size_t t = 0; t < length(); ++t) {
            path_[t] = at[t] * by_depth_.nodes[t].split;
        }
        double sum = 0;
        for (std::size_t m = from; m < end; ++m) {
            const Cell left = values.row(i)[m], right = values.row(m + 1)[j];
            double* const to_left = own.at(i, m);
            double* const to_right = own.at(m + 1, j);
            if (queries_.both()) {
                f_.vectors.add_both(path_.data(), probability, left, right, to_left, to_right,
                                    sum);
            } else if (m < turn) {
                f_.vectors.add_one(path_.data(), probability, left, to_right);
            } else {
                f_.vectors.add_one(path_.data(), probability, right, to_left);
            }
        }
        add_splits(s_.inner, sum);
    }

    // --- members of other blocks ---

    // Turns the derivatives by members into those by their splits, without the probabilities of
    // features.
    void weigh_splits(std::size_t query) {
        const Derivatives<kVector> derivatives = f_.derivatives(query);
        const MemberRange* const members = f_.queries.members(query);
        for (std::size_t i = 0; i < f_.ranks.k; ++i) {
            for (std::size_t j = members[i].first; j < members[i].end; ++j) {
                double* const own = derivatives.at(i, j);
                const double common = f_.probabilities.common(i * f_.ranks.k + j);
                for (std::size_t t = 0; t < length(); ++t) {
                    own[t] *= common * by_depth_.nodes[t].split;
                }
            }
        }
    }

    // Derivatives of members of another block go there.
    void send_copies(std::size_t query) {
        const BlockRanks& ranks = f_.ranks;
        const Derivatives<kVector> derivatives = f_.derivatives(query);
        for (std::size_t i = 0; i < ranks.k; ++i) {
            const std::size_t end = std::min<std::size_t>(ranks.first_member[i], ranks.k);
            for (std::size_t j = i; j < end; ++j) {
                const double* const own = derivatives.at(i, j);
                if (std::all_of(own, own + length(), [](double x) { return x == 0.0; })) {
                    continue;
                }
                const BlockRanks::Source& source = ranks.source[i];
                Waiting& to = f_.sides.block(2 * source.split + (source.is_left ? 0 : 1));
                double* const out =
                    waiting_.make_derivatives(to, query).at(source.row, source.row + (j - i));
                for (std::size_t t = 0; t < length(); ++t) {
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
            const double* const probability = f_.probabilities.of_outer(number++);
            f_.ranks.order_by(feature);
            for (std::uint32_t e = 0; e < splits.size(); ++e) {
                f_.sides.prefetch(first + e + 3);
                f_.ranks.find_start(feature, splits[e]);
                for (std::size_t query = 0; query < queries_.n; ++query) {
                    if (!f_.derivatives(query) || !f_.queries.have_split(query)) {
                        continue;
                    }
                    if (queries_.both()) {
                        add_splits(splits[e].feature, send_both(probability, first + e));
                    } else {
                        f_.queries.find_turns(feature, splits[e], query);
                        send_left(query, probability, first + e);
                        send_right(query, probability, first + e);
                    }
                }
            }
        });
    }

    // The probability of the current split; query 0 follows both sides.
    double send_both(const double* probability, std::uint32_t split) {
        const std::size_t k = f_.ranks.k;
        Waiting &left = f_.sides.block(2 * split), &right = f_.sides.block(2 * split + 1);
        const Derivatives<kVector> to_left = waiting_.make_derivatives(left, 0);
        const Derivatives<kVector> to_right = waiting_.make_derivatives(right, 0);
        const SideRanks &ranks_l = f_.ranks.left_ranks, &ranks_r = f_.ranks.right_ranks;
        const std::uint32_t* const last_l = ranks_l.last.data();
        const std::uint32_t* const last_r = ranks_r.last.data();
        const std::uint8_t* const alive = f_.queries.alive(0);
        const Derivatives<kVector> derivatives = f_.derivatives(0);
        const MemberRange* const members = f_.queries.members(0);
        double sum = 0;
        for (std::size_t i = 0; i < k; ++i) {
            const std::size_t row_l = ranks_l.below[i], row_r = ranks_r.below[i];
            const double* const own = derivatives.at(i, 0);
            for (std::size_t j = std::max(f_.ranks.start[i], members[i].first);
                 j < members[i].end; ++j) {
                if (!kVector || alive[i * k + j] != 0) {
                    f_.vectors.add_both(
                        own + j * length(), probability[i * k + j],
                        left.values->row(row_l)[last_l[j]], right.values->row(row_r)[last_r[j]],
                        to_left.at(row_l, last_l[j]), to_right.at(row_r, last_r[j]), sum);
                }
            }
        }
        return sum;
    }

    void send_left(std::size_t query, const double* probability, std::uint32_t split) {
        const std::uint32_t* const turns = f_.queries.turns();
        send_one(query, probability, split, true, [=](std::size_t i, MemberRange row) {
            return MemberRange{row.first, std::min(row.end, turns[i])};
        });
    }

    void send_right(std::size_t query, const double* probability, std::uint32_t split) {
        const std::uint32_t* const turns = f_.queries.turns();
        send_one(query, probability, split, false, [=](std::size_t i, MemberRange row) {
            return MemberRange{std::max(row.first, turns[i]), row.end};
        });
    }

    // range: of a row of members those that send the query's row to this side.
    template <typename Range>
    void send_one(std::size_t query, const double* probability, std::uint32_t split, bool is_left,
                  Range range) {
        const std::size_t k = f_.ranks.k;
        const SideRanks& there = is_left ? f_.ranks.left_ranks : f_.ranks.right_ranks;
        const SideRanks& beside = is_left ? f_.ranks.right_ranks : f_.ranks.left_ranks;
        const Triangle& other = f_.sides.values(2 * split + (is_left ? 1 : 0));
        const std::uint8_t* const alive = f_.queries.alive(query);
        const Derivatives<kVector> derivatives = f_.derivatives(query);
        const MemberRange* const members = f_.queries.members(query);
        const std::uint32_t* const start = f_.ranks.start.data();
        Derivatives<kVector> to;
        for (std::size_t i = 0; i < k; ++i) {
            const auto [first, end] =
                range(i, MemberRange{std::max(start[i], members[i].first), members[i].end});
            if (first >= end) {
                continue;
            }
            if (!to) {
                to = waiting_.make_derivatives(f_.sides.block(2 * split + (is_left ? 0 : 1)),
                                               query);
            }
            const double* const own = derivatives.at(i, 0);
            const Cell* const values = other.row(beside.below[i]);
            for (std::size_t j = first; j < end; ++j) {
                if (!kVector || alive[i * k + j] != 0) {
                    f_.vectors.add_one(own + j * length(), probability[i * k + j],
                                       values[beside.last[j]],
                                       to.at(there.below[i], there.last[j]));
                }
            }
        }
    }

    const IntervalSetting& s_;
    const DepthGrammar& by_depth_;
    const QueryBatch& queries_;
    double cut_;
    CurrentBlock<kVector>& f_;
    WaitingBlocks<kVector>& waiting_;
    std::vector<double> path_;  // by depth
};

}  // namespace slp::exact
