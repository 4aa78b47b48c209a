// The block that a descent (interval_blocks/descent.hpp) is working on: its members, their splits,
// and the queries that reach them.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "arena.hpp"
#include "budget.hpp"
#include "exact/interval_blocks/member_splits.hpp"
#include "exact/interval_blocks/query_paths.hpp"
#include "exact/interval_blocks/ranks.hpp"
#include "exact/interval_blocks/search.hpp"
#include "exact/interval_blocks/setting.hpp"
#include "exact/interval_blocks/sides.hpp"
#include "exact/interval_blocks/split_probabilities.hpp"
#include "exact/interval_blocks/state_vectors.hpp"
#include "exact/interval_blocks/triangle.hpp"
#include "exact/interval_blocks/waiting.hpp"
#include "exact/memo.hpp"
#include "problem/edges.hpp"
#include "problem/geometry.hpp"

namespace slp::exact {

// All of it is scratch that the next block overwrites.
template <bool kVector>
class CurrentBlock {
public:
    using Waiting = WaitingBlock<kVector>;
    using Triangle = TriangleOf<MemberValue<kVector>>;

    CurrentBlock(const IntervalSetting& setting, const Memo& found, const QueryBatch& of,
                 WaitingBlocks<kVector>& waiting, Budget& budget)
        : ranks(setting.problem, setting.geometry, setting.inner),
          firsts(setting, ranks.most()),
          probabilities(setting, ranks.most(), firsts),
          queries(setting, of, ranks),
          vectors(setting.grammar),
          sides(setting.geometry, found, waiting),
          inner_splits(setting, ranks.most(), firsts),
          split(setting, ranks.most()),
          is_root(false),
          s_(setting),
          waiting_(waiting),
          splitter_(setting.geometry),
          arena_(budget),
          start_(arena_.mark()),
          leaf_(setting.problem.leaf.n_statistics()) {}

    // The members that each query reaches are found later.
    void set(Waiting& block) {
        block_ = &block;
        arena_.release(start_);
        splits = outer_splits(splitter_.splits(block.box, arena_), s_.inner, s_.grammar);
        sides.find(block.box, splits);
        ranks.set_rows(block.box);
        for_each_feature(splits, [&](std::span<const BoxSplit> of_feature, std::uint32_t first) {
            ranks.find_sources(of_feature, first);
        });
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
    bool stops(const BlockGrammar::Node& node, std::size_t member) const {
        return node.majority < 0 ||
               has_majority_[static_cast<std::size_t>(node.majority) * ranks.k * ranks.k +
                             member] != 0;
    }
    // The weight of a leaf, without its likelihood.
    double weight_of_leaf(const BlockGrammar::Node& node, std::size_t member) const {
        return !stops(node, member)                       ? 0.0
               : probabilities.splits(node.shares, member) ? node.leaf
                                                           : node.leaf_alone;
    }
    // That of all splits together, without what they weigh among each other.
    double weight_of_splits(const BlockGrammar::Node& node, std::size_t member) const {
        return probabilities.common(node.shares, member) *
               (stops(node, member) ? node.split : node.split_only);
    }

    // Approximate bytes of the scratch memory, without splits.
    std::size_t bytes() const {
        return firsts.bytes() + probabilities.bytes() + queries.bytes();
    }

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
    bool is_root;
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
    Arena::Mark start_;
    Waiting* block_ = nullptr;
    std::vector<double> statistics_, leaf_;   // by rank; of one member
    std::vector<std::uint8_t> has_majority_;  // by set of classes, by member
};

}  // namespace slp::exact
