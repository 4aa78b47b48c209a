// The block that a descent (interval_blocks/descent.hpp) is working on: its members, their splits,
// and the queries that reach them.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "arena.hpp"
#include "budget.hpp"
#include "exact/interval_blocks/member_splits.hpp"
#include "exact/interval_blocks/ranks.hpp"
#include "exact/interval_blocks/search.hpp"
#include "exact/interval_blocks/setting.hpp"
#include "exact/interval_blocks/split_probabilities.hpp"
#include "exact/interval_blocks/state_vectors.hpp"
#include "exact/interval_blocks/waiting.hpp"
#include "exact/memo.hpp"
#include "problem/applicable_rules.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"

namespace slp::exact {

// Which members of the current block each query reaches, and which side of their splits it takes.
//
// A new row may lie between two values. Then the side that it takes depends on which values occur
// in the member. At an outer split, member (i, j) sends the row right from some j on: with more
// rows the threshold above a given code is lower. All of it is scratch that the next block
// overwrites.
class QueryPaths {
public:
    QueryPaths(const IntervalSetting& setting, const QueryBatch& queries, BlockRanks& ranks)
        : s_(setting),
          queries_(queries),
          ranks_(ranks),
          members_(queries.n * ranks.most()),
          states_(queries.n * ranks.most() * ranks.most()),
          turn_(ranks.most()),
          both_(ranks.most()),
          weight_left_(ranks.most() + 1),
          weight_(ranks.most() + 1) {}

    std::size_t bytes() const { return states_.size() * sizeof(Range); }

    // --- members ---

    void clear(std::size_t query) {
        const std::size_t k = ranks_.k;
        std::fill_n(members_.data() + query * ranks_.most(), k,
                    Range{static_cast<std::uint32_t>(k), 0});
        std::fill_n(states_.data() + query * k * k, k * k, Range{0, 0});
    }

    // The query reaches member (i, j) in these states. Of a row i, from high j to low ones.
    void note(std::size_t query, std::size_t i, std::size_t j, Range states) {
        states_[(query * ranks_.k + i) * ranks_.k + j] = states;
        Range& row = members_[query * ranks_.most() + i];
        row.first = static_cast<std::uint32_t>(j);
        row.end = std::max(row.end, static_cast<std::uint32_t>(j + 1));
    }

    // For a query, by member (i, j) at i * k + j: the states in which it reaches the member.
    const Range* states(std::size_t query) const {
        return states_.data() + query * ranks_.k * ranks_.k;
    }
    // For a query, by row: the members that it reaches.
    const Range* members(std::size_t query) const {
        return members_.data() + query * ranks_.most();
    }

    // --- the current split: that of the last `find_start` ---

    // Whether it is one of a member that the query reaches.
    bool have_split(std::size_t query) const {
        const Range* const rows = members(query);
        for (std::size_t i = 0; i < ranks_.k; ++i) {
            if (std::max(ranks_.start[i], rows[i].first) < rows[i].end) {
                return true;
            }
        }
        return false;
    }

    // Finds `turns` and `ends_of_both`.
    void find_turns(const BoxSplit& split, std::size_t query) {
        const Feature& feature = ranks_.feature();
        const double value = queries_.rows[query][split.feature];
        const auto none = static_cast<std::uint32_t>(ranks_.k);
        takes_both_ = false;
        if (feature.single()) {
            const bool goes_left = feature.side_of(split.cut, value) == Missing::left;
            std::fill_n(turn_.begin(), ranks_.k, goes_left ? none : 0);
            if (!goes_left) {
                find_both(split, value);
            }
            return;
        }
        // The largest code above the split's that leaves the threshold between them at the row or
        // below: thresholds do not fall as it grows.
        const std::uint32_t low = split.cut.last_left();
        const auto above = std::views::iota(low + 1, static_cast<std::uint32_t>(feature.n_codes));
        const auto end = std::ranges::partition_point(above, [&](std::uint32_t high) {
            return feature.threshold(Cut::between(low, high)) <= value;
        });
        if (end == above.begin()) {
            std::fill_n(turn_.begin(), ranks_.k, none);
        } else {
            ranks_.find_right(low + static_cast<std::uint32_t>(end - above.begin()), turn_);
        }
    }

    // By row: members (i, j) from j = turns()[i] on send the query's row right.
    const std::uint32_t* turns() const { return turn_.data(); }

    // By row: members (i, j) before j = ends_of_both()[i] have two levels, and the query's row
    // neither, so that it goes down both sides. Null where there are none.
    const std::uint32_t* ends_of_both() const { return takes_both_ ? both_.data() : nullptr; }
    // The share of such a row that goes left in a member.
    double share_left(std::size_t i, std::size_t j) const {
        return slp::share_left(ranks_.feature().absent, weight_left_[j + 1] - weight_left_[i],
                               weight_[j + 1] - weight_[i]);
    }

    // --- splits on the inner feature ---

    // The first cut between ranks at which the query's row goes left.
    std::size_t inner_turn(std::size_t query) const {
        const Feature& inner = s_.problem.table.features[s_.inner];
        const double value = queries_.rows[query][s_.inner];
        const auto after = [&](std::size_t m) {
            return Cut::between(ranks_.code_of_rank[m], ranks_.code_of_rank[m + 1]);
        };
        std::size_t m = 0;
        while (m + 1 < ranks_.k && value >= inner.threshold(after(m))) {
            ++m;
        }
        return m;
    }

private:
    void find_both(const BoxSplit& split, double value) {
        const Feature& feature = ranks_.feature();
        for (std::size_t i = 0; i < ranks_.k; ++i) {
            const auto [second, end] = ranks_.pair(i, split.cut.code());
            both_[i] = feature.side_of(split.cut, value, second) == Missing::untold ? end : 0;
            takes_both_ = takes_both_ || both_[i] > ranks_.start[i];
        }
        if (!takes_both_) {
            return;
        }
        const Table& table = s_.problem.table;
        std::fill_n(weight_left_.begin(), ranks_.k + 1, 0.0);
        std::fill_n(weight_.begin(), ranks_.k + 1, 0.0);
        const RowTest test = feature.test(split.cut);
        for (std::size_t r = 0; r < ranks_.rows.size(); ++r) {
            const std::uint32_t row = ranks_.rows[r], rank = ranks_.rank_of_row[r];
            weight_[rank + 1] += table.weight(row);
            weight_left_[rank + 1] += test.goes_left(row) ? table.weight(row) : 0.0;
        }
        std::partial_sum(weight_.begin(), weight_.begin() + ranks_.k + 1, weight_.begin());
        std::partial_sum(weight_left_.begin(), weight_left_.begin() + ranks_.k + 1,
                         weight_left_.begin());
    }

    const IntervalSetting& s_;
    const QueryBatch& queries_;
    BlockRanks& ranks_;
    std::vector<Range> members_;       // query by query, by row
    std::vector<Range> states_;        // query by query, by member
    std::vector<std::uint32_t> turn_;  // by row
    bool takes_both_ = false;
    std::vector<std::uint32_t> both_;  // by row
    std::vector<double> weight_left_, weight_;  // of the ranks below, where some go down both
};

// All of it is scratch that the next block overwrites.
template <bool kVector>
class CurrentBlock {
public:
    using Waiting = WaitingBlock<kVector>;
    using Triangle = TriangleOf<MemberValue<kVector>>;

    CurrentBlock(const IntervalSetting& setting, const Memo& found, const QueryBatch& of,
                 WaitingBlocks<kVector>& waiting, Budget& budget)
        : ranks(setting.problem, setting.geometry, setting.inner),
          firsts(setting, ranks.most(), budget),
          probabilities(setting, ranks.most(), firsts),
          queries(setting, of, ranks),
          vectors(setting.grammar),
          sides(setting.geometry, found, waiting),
          inner_splits(setting, ranks.most(), firsts),
          split(setting, ranks.most()),
          s_(setting),
          waiting_(waiting),
          splitter_(setting.geometry),
          arena_(budget),
          leaf_(setting.problem.leaf.n_statistics()) {}

    // The members that each query reaches are found later.
    void set(Waiting& block) {
        block_ = &block;
        arena_.release({});
        splits = outer_splits(splitter_.splits(block.box, arena_), s_.inner, s_.grammar);
        sides.find(block.box, splits);
        ranks.set_rows(block.box);
        ranks.find_sources(splits);
        is_root = block.box.key == s_.task.root.key;
        firsts.find(ranks, splits);
        inner_splits.find(ranks);
        probabilities.count(ranks, inner_splits, splits);
        find_majorities();
    }

    // Calls use(i, j, statistics, sizes) for each member (i, j), its rows summed up.
    template <typename Use>
    void for_each_member(Use use) {
        const LeafModel& model = s_.problem.leaf;
        const std::size_t n = leaf_.size();
        statistics_.assign(ranks.k * n, 0.0);
        for (std::size_t r = 0; r < ranks.rows.size(); ++r) {
            model.add(ranks.rows[r], statistics_.data() + ranks.rank_of_row[r] * n);
        }
        for (std::size_t i = 0; i < ranks.k; ++i) {
            Sizes sizes = 0;
            std::fill(leaf_.begin(), leaf_.end(), 0.0);
            for (std::size_t j = i; j < ranks.k; ++j) {
                sizes += ranks.sizes[j];
                for (std::size_t c = 0; c < n; ++c) {
                    leaf_[c] += statistics_[j * n + c];
                }
                use(i, j, std::as_const(leaf_), sizes);
            }
        }
    }

    // Whether a leaf has the majority that it needs.
    bool stops(const BlockGrammar::StateWeights& node, std::size_t member) const {
        return node.majority < 0 ||
               has_majority_[static_cast<std::size_t>(node.majority) * ranks.k * ranks.k +
                             member] != 0;
    }
    // The weight of a leaf, without its likelihood.
    double weight_of_leaf(const BlockGrammar::StateWeights& node, std::size_t member) const {
        return !stops(node, member)                       ? 0.0
               : probabilities.splits(node.measure_class, member) ? node.leaf
                                                           : node.leaf_alone;
    }
    // That of all splits together, without what they weigh among each other.
    double weight_of_splits(const BlockGrammar::StateWeights& node, std::size_t member) const {
        return probabilities.common(node.measure_class, member) *
               (stops(node, member) ? node.split : node.split_only);
    }

    // Approximate bytes of the scratch memory, without splits.
    std::size_t bytes() const { return probabilities.bytes() + queries.bytes(); }

    const Triangle& values() const { return *block_->values; }
    // Empty for a query that has not arrived.
    Derivatives<kVector> derivatives(std::size_t query) const {
        return waiting_.derivatives(*block_, query);
    }

    BlockRanks ranks;
    FirstSplits firsts;
    SplitProbabilities probabilities;
    QueryPaths queries;
    StateVectors<kVector> vectors;
    BlockSides<kVector> sides;
    InnerSplits inner_splits;
    MemberSplits split;  // the current one
    bool is_root = false;
    std::span<const BoxSplit> splits;  // on outer features

private:
    void find_majorities() {
        const auto& majorities = s_.grammar.majorities;
        if (majorities.empty()) {
            return;
        }
        const std::size_t n = ranks.k * ranks.k;
        has_majority_.resize(majorities.size() * n);
        for_each_member([&](std::size_t i, std::size_t j, const std::vector<double>& statistics,
                            Sizes) {
            for (std::size_t m = 0; m < majorities.size(); ++m) {
                has_majority_[m * n + i * ranks.k + j] =
                    has_majority(majorities[m], statistics) ? 1 : 0;
            }
        });
    }

    const IntervalSetting& s_;
    WaitingBlocks<kVector>& waiting_;
    Splitter splitter_;
    Arena arena_;
    Waiting* block_ = nullptr;
    std::vector<double> statistics_, leaf_;   // by rank; of one member
    std::vector<std::uint8_t> has_majority_;  // by set of classes, by member
};

}  // namespace slp::exact
