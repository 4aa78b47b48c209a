// The block that a descent (interval_blocks/descent.hpp) is working on: its members, their splits,
// and the queries that reach them.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "arena.hpp"
#include "budget.hpp"
#include "exact/interval_blocks/depth_vectors.hpp"
#include "exact/interval_blocks/query_paths.hpp"
#include "exact/interval_blocks/ranks.hpp"
#include "exact/interval_blocks/search.hpp"
#include "exact/interval_blocks/setting.hpp"
#include "exact/interval_blocks/sides.hpp"
#include "exact/interval_blocks/split_probabilities.hpp"
#include "exact/interval_blocks/triangle.hpp"
#include "exact/interval_blocks/waiting.hpp"
#include "exact/memo.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"

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
          probabilities(setting.problem, setting.by_depth, setting.inner, ranks.most()),
          queries(setting, of, ranks),
          vectors(setting.by_depth),
          sides(setting.geometry, found, waiting),
          s_(setting),
          waiting_(waiting),
          splitter_(setting.geometry),
          arena_(budget),
          start_(arena_.mark()) {}

    // The members that each query reaches are found later.
    void set(Waiting& block) {
        block_ = &block;
        arena_.release(start_);
        splits = without_feature(splitter_.splits(block.box, arena_), s_.inner);
        sides.find(block.box, splits);
        ranks.set_rows(block.box);
        for_each_feature(splits, [&](std::span<const BoxSplit> of_feature, std::uint32_t first) {
            ranks.find_sources(feature_of(of_feature), of_feature, first);
        });
        probabilities.count(ranks, splits);
    }

    // Approximate bytes of the scratch memory, without splits.
    std::size_t bytes() const { return probabilities.bytes() + queries.bytes(); }

    const Triangle& values() const { return *block_->values; }
    // Empty for a query that has not arrived.
    Derivatives<kVector> derivatives(std::size_t query) const {
        return waiting_.derivatives(*block_, query);
    }

    const Feature& feature_of(std::span<const BoxSplit> of_feature) const {
        return s_.problem.table.features[of_feature.front().feature];
    }

    BlockRanks ranks;
    SplitProbabilities probabilities;
    QueryPaths queries;
    DepthVectors<kVector> vectors;
    BlockSides<kVector> sides;
    std::span<const BoxSplit> splits;  // on outer features

private:
    const IntervalSetting& s_;
    WaitingBlocks<kVector>& waiting_;
    Splitter splitter_;
    Arena arena_;
    Arena::Mark start_;
    Waiting* block_ = nullptr;
};

}  // namespace slp::exact
