// The chain rule over one block (interval_blocks/descent.hpp): derivatives by its members become
// derivatives by the sides of their splits, along the same rows of triangles as the sums.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exact/interval_blocks/current_block.hpp"
#include "exact/interval_blocks/ranks.hpp"
#include "exact/interval_blocks/search.hpp"
#include "exact/interval_blocks/setting.hpp"
#include "exact/interval_blocks/state_vectors.hpp"
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
        : grammar_(setting.grammar),
          queries_(queries),
          cut_(cut),
          f_(block),
          waiting_(waiting),
          path_(block.vectors.length()),
          shared_(block.vectors.length()),
          unused_(queries.both() && queries.sums == nullptr ? grammar_.rule_of_term.size() : 0) {}

    // Splits on the inner feature, from long members to short ones, as their sides are members of
    // the same block. Drops the members that a query reaches with too small a probability, and
    // notes the others.
    void sweep_inside() {
        for (std::size_t query = 0; query < queries_.n; ++query) {
            f_.queries.clear(query);
            if (f_.derivatives(query)) {
                sweep_inside(query);
            }
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

    // Where splits are counted.
    double* of_terms() {
        return queries_.sums == nullptr ? unused_.data() : queries_.sums->terms.data();
    }

    // The derivatives by the splits of a member, without the probabilities of features.
    void weigh(const double* own, std::size_t member, double* out) const {
        for (std::size_t s = 0; s < length(); ++s) {
            out[s] = own[s] == 0.0 ? 0.0 : own[s] * f_.weight_of_splits(grammar_.nodes[s], member);
        }
    }

    // --- splits on the inner feature ---

    void sweep_inside(std::size_t query) {
        const std::size_t k = f_.ranks.k;
        const Derivatives<kVector> own = f_.derivatives(query);
        const std::size_t turn = queries_.both() ? 0 : f_.queries.inner_turn(query);
        for (std::size_t i = 0; i < k; ++i) {
            for (std::size_t j = k; j-- > std::max<std::size_t>(i, f_.ranks.first_member[i]);) {
                double* const at = own.at(i, j);
                const Cell& value = f_.values().row(i)[j];
                if (!(f_.vectors.mass(at, value) > cut_)) {
                    std::fill_n(at, length(), 0.0);
                } else if (const Range states = f_.vectors.cut_off(at, value, cut_);
                           states.end != 0) {
                    f_.queries.note(query, i, j, states);
                    split_inside(own, i, j, states, turn);
                }
            }
        }
    }

    void split_inside(const Derivatives<kVector>& own, std::size_t i, std::size_t j,
                      Range states, std::size_t turn) {
        const std::size_t member = i * f_.ranks.k + j;
        const auto [from, end] = f_.ranks.inner_splits(i, j);
        if (from >= end) {
            return;
        }
        const Triangle& values = f_.values();
        const SplitWeights of_split = f_.probabilities.of_inner() + member;
        const SplitWeights weights = f_.inner_splits.weights_of(i, j);
        double* const sums = of_terms();
        weigh(own.at(i, j), member, path_.data());
        f_.inner_splits.for_each(from, end, [&](std::uint32_t c, std::size_t begin,
                                                std::size_t to) {
            const auto runs = grammar_.runs_of(c, is_whole(i, j));
            for (std::size_t m = begin; m < to; ++m) {
                const Cell left = values.row(i)[m], right = values.row(m + 1)[j];
                double* const to_left = own.at(i, m);
                double* const to_right = own.at(m + 1, j);
                if (queries_.both()) {
                    f_.vectors.add_both(runs, path_.data(), states, of_split, weights + m, left,
                                        right, to_left, to_right, sums);
                } else {
                    const bool is_left = m >= turn;
                    f_.vectors.add_one(is_left, runs, path_.data(), states, of_split, weights + m,
                                       is_left ? right : left, is_left ? to_left : to_right);
                }
            }
        });
    }

    bool is_whole(std::size_t i, std::size_t j) const {
        return f_.is_root && i == 0 && j + 1 == f_.ranks.k;
    }

    // --- members of other blocks ---

    // Turns the derivatives by members into those by their splits, without the probabilities of
    // features.
    void weigh_splits(std::size_t query) {
        const Derivatives<kVector> derivatives = f_.derivatives(query);
        const Range* const members = f_.queries.members(query);
        for (std::size_t i = 0; i < f_.ranks.k; ++i) {
            for (std::size_t j = members[i].first; j < members[i].end; ++j) {
                weigh(derivatives.at(i, j), i * f_.ranks.k + j, derivatives.at(i, j));
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
                double* const out = waiting_.make_derivatives(f_.sides.block(source.side), query)
                                        .at(source.row, source.row + (j - i));
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
            const SplitWeights of_split = f_.probabilities.of_outer(number++);
            f_.ranks.order_by(splits.front().feature);
            for (std::uint32_t e = 0; e < splits.size(); ++e) {
                f_.sides.prefetch(first + e + 3);
                f_.split.find(splits[e], f_.ranks);
                for (std::size_t query = 0; query < queries_.n; ++query) {
                    if (!f_.derivatives(query) || !f_.queries.have_split(query)) {
                        continue;
                    }
                    if (queries_.both()) {
                        send_both(of_split, first + e, of_terms());
                    } else {
                        f_.queries.find_turns(splits[e], query);
                        send_one(query, of_split, first + e, true);
                        send_one(query, of_split, first + e, false);
                    }
                }
            }
        });
    }

    // Calls use(runs, j, states, weight) for the members (i, j) with j from `from` to end - 1 that
    // the query reaches.
    template <typename Use>
    void for_each_member(std::size_t query, std::uint32_t split, std::size_t i, std::size_t from,
                         std::size_t end, Use use) {
        const Range* const states = f_.queries.states(query) + i * f_.ranks.k;
        const SplitWeights weights = f_.firsts.weights(f_.split, split, i, from);
        f_.split.for_each(i, from, [&](std::uint32_t c, std::size_t begin, std::size_t to) {
            const auto runs = grammar_.runs_of(c);
            for (std::size_t j = begin; j < std::min(to, end); ++j) {
                if (states[j].end != 0) {
                    use(is_whole(i, j) ? grammar_.runs_of(c, true) : runs, j, states[j],
                        weights + j);
                }
            }
        });
    }

    // Query 0 follows both sides of the current split.
    void send_both(SplitWeights of_split, std::uint32_t split, double* sums) {
        const std::size_t k = f_.ranks.k;
        Waiting &left = f_.sides.block(2 * split), &right = f_.sides.block(2 * split + 1);
        const Derivatives<kVector> to_left = waiting_.make_derivatives(left, 0);
        const Derivatives<kVector> to_right = waiting_.make_derivatives(right, 0);
        const SideRanks &ranks_l = f_.ranks.left_ranks, &ranks_r = f_.ranks.right_ranks;
        const Derivatives<kVector> derivatives = f_.derivatives(0);
        const Range* const members = f_.queries.members(0);
        for (std::size_t i = 0; i < k; ++i) {
            const std::size_t row_l = ranks_l.below[i], row_r = ranks_r.below[i];
            const double* const own = derivatives.at(i, 0);
            const std::size_t from = std::max(f_.ranks.start[i], members[i].first);
            if (from >= members[i].end) {
                continue;
            }
            const auto add = [&](auto runs, std::size_t j, Range states, SplitWeights w) {
                const std::uint32_t l = ranks_l.last[j], r = ranks_r.last[j];
                f_.vectors.add_both(runs, own + j * length(), states, of_split + (i * k + j), w,
                                    left.values->row(row_l)[l], right.values->row(row_r)[r],
                                    to_left.at(row_l, l), to_right.at(row_r, r), sums);
            };
            for_each_member(0, split, i, from, members[i].end, add);
        }
    }

    // Sends a query to one side. In each row of members, only those that send the query's row to
    // this side add to it.
    void send_one(std::size_t query, SplitWeights of_split, std::uint32_t split, bool is_left) {
        const std::size_t k = f_.ranks.k;
        const SideRanks& there = is_left ? f_.ranks.left_ranks : f_.ranks.right_ranks;
        const SideRanks& beside = is_left ? f_.ranks.right_ranks : f_.ranks.left_ranks;
        const Triangle& other = f_.sides.values(2 * split + (is_left ? 1 : 0));
        const Derivatives<kVector> derivatives = f_.derivatives(query);
        const Range* const members = f_.queries.members(query);
        const std::uint32_t* const turns = f_.queries.turns();
        const std::uint32_t* const both = f_.queries.ends_of_both();
        Derivatives<kVector> to;
        for (std::size_t i = 0; i < k; ++i) {
            const std::uint32_t from = std::max(f_.ranks.start[i], members[i].first);
            const std::uint32_t first = is_left ? from : std::max(from, turns[i]);
            const std::uint32_t turn = std::max(turns[i], both == nullptr ? 0 : both[i]);
            const std::uint32_t end = is_left ? std::min(members[i].end, turn) : members[i].end;
            if (first >= end) {
                continue;
            }
            if (!to) {
                to = waiting_.make_derivatives(f_.sides.block(2 * split + (is_left ? 0 : 1)),
                                               query);
            }
            const double* const own = derivatives.at(i, 0);
            const Cell* const values = other.row(beside.below[i]);
            const auto add = [&](auto runs, std::size_t j, Range states, SplitWeights w) {
                const double* from_member = own + j * length();
                if (both != nullptr && j < both[i] && !runs.empty()) {
                    from_member = share(from_member, i, j, is_left);
                }
                f_.vectors.add_one(is_left, runs, from_member, states, of_split + (i * k + j), w,
                                   values[beside.last[j]], to.at(there.below[i], there.last[j]));
            };
            for_each_member(query, split, i, first, end, add);
        }
    }

    // The part of a member's derivatives that goes with a row down one of both sides.
    const double* share(const double* own, std::size_t i, std::size_t j, bool is_left) {
        const std::uint32_t feature = f_.ranks.feature_number();
        if (f_.ranks.feature().absent == Untold::error) {
            throw UntoldFault{feature, false};
        }
        const double left = f_.queries.share_left(i, j), part = is_left ? left : 1.0 - left;
        for (std::size_t s = 0; s < length(); ++s) {
            shared_[s] = own[s] * part;
        }
        return shared_.data();
    }

    const BlockGrammar& grammar_;
    const QueryBatch& queries_;
    double cut_;
    CurrentBlock<kVector>& f_;
    WaitingBlocks<kVector>& waiting_;
    std::vector<double> path_, shared_, unused_;  // by state, by state, by term
};

}  // namespace slp::exact
