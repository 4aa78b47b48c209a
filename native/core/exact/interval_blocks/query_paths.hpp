// Which members of the current block each query reaches, and which side of their splits it takes.
//
// A new row may lie between two values. Then the side that it takes depends on which values occur
// in the member. At an outer split, member (i, j) sends the row right from some j on: with more
// rows the threshold above a given code is lower.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <vector>

#include "exact/interval_blocks/ranks.hpp"
#include "exact/interval_blocks/search.hpp"
#include "exact/interval_blocks/setting.hpp"
#include "exact/interval_blocks/state_vectors.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"

namespace slp::exact {

// All of it is scratch that the next block overwrites.
class QueryPaths {
public:
    QueryPaths(const IntervalSetting& setting, const QueryBatch& queries, BlockRanks& ranks)
        : s_(setting),
          queries_(queries),
          ranks_(ranks),
          members_(queries.n * ranks.most()),
          states_(queries.n * ranks.most() * ranks.most()),
          turn_(ranks.most()) {}

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

    // Of a query, by member (i, j) at i * k + j: the states in which it reaches the member.
    const Range* states(std::size_t query) const {
        return states_.data() + query * ranks_.k * ranks_.k;
    }
    // Of a query, by row: the members that it reaches.
    const Range* members(std::size_t query) const {
        return members_.data() + query * ranks_.most();
    }

    // --- the current split: that of the last `find_start` ---

    // Whether it is one of a member that the query reaches.
    bool have_split(std::size_t query) const {
        const Range* const rows = members(query);
        const std::uint32_t* const start = ranks_.start.data();
        for (std::size_t i = 0; i < ranks_.k; ++i) {
            if (std::max(start[i], rows[i].first) < rows[i].end) {
                return true;
            }
        }
        return false;
    }

    // Finds `turns`.
    void find_turns(const BoxSplit& split, std::size_t query) {
        const Feature& feature = ranks_.feature();
        const double value = queries_.rows[query][split.feature];
        const auto none = static_cast<std::uint32_t>(ranks_.k);
        if (feature.kind == FeatureKind::levels) {
            std::fill_n(turn_.begin(), ranks_.k,
                        value == static_cast<double>(split.low) ? none : 0);
            return;
        }
        // The largest code above the split's that leaves the threshold between them at the row or
        // below: thresholds do not fall as it grows.
        const auto above =
            std::views::iota(split.low + 1, static_cast<std::uint32_t>(feature.n_codes));
        const auto end = std::ranges::partition_point(above, [&](std::uint32_t high) {
            return s_.geometry.threshold(feature, split.low, high) <= value;
        });
        if (end == above.begin()) {
            std::fill_n(turn_.begin(), ranks_.k, none);
        } else {
            ranks_.find_right(split.low + static_cast<std::uint32_t>(end - above.begin()), turn_);
        }
    }

    // By row: members (i, j) from j = turns()[i] on send the query's row right.
    const std::uint32_t* turns() const { return turn_.data(); }

    // --- splits on the inner feature ---

    // The first cut between ranks at which the query's row goes left.
    std::size_t inner_turn(std::size_t query) const {
        const Feature& inner = s_.problem.table.features[s_.inner];
        const double value = queries_.rows[query][s_.inner];
        std::size_t m = 0;
        while (m + 1 < ranks_.k && value >= s_.geometry.threshold(inner, ranks_.code_of_rank[m],
                                                                  ranks_.code_of_rank[m + 1])) {
            ++m;
        }
        return m;
    }

private:
    const IntervalSetting& s_;
    const QueryBatch& queries_;
    BlockRanks& ranks_;
    std::vector<Range> members_;       // query by query, by row
    std::vector<Range> states_;        // query by query, by member
    std::vector<std::uint32_t> turn_;  // by row
};

}  // namespace slp::exact
