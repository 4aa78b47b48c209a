// What a thread of sums by levels holds (level_sums.hpp): an item's edges, and its sorted rows.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "arena.hpp"
#include "exact/side_sums.hpp"
#include "problem/edges.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"
#include "search/limited_states.hpp"
#include "search/sorted_box.hpp"

namespace slp::exact {

// Opens items; one for each thread.
class ItemOpener {
public:
    ItemOpener(const Problem& problem, const Geometry& geometry, Budget& budget)
        : splitter(geometry), builder(problem, geometry), arena(budget) {}

    void open(const Box& box, std::int32_t state) {
        splits = builder.only_stops(state) ? std::span<BoxSplit>() : splitter.splits(box, arena);
        item = builder.edges(box, splits, state, arena);
    }

    Splitter splitter;
    EdgeBuilder builder;
    Arena arena;
    std::span<BoxSplit> splits;
    ItemEdges item;
};

// Looks at the rows of items of two levels at most; one for each thread.
class Looker {
public:
    Looker(const Problem& problem, const search::LimitedStates& states, bool likelihood,
           std::size_t n_rows, Budget& budget)
        : problem_(problem),
          states_(states),
          sums_(problem, states_, likelihood),
          charge_(budget) {
        const std::size_t d = problem.table.features.size(), k = problem.leaf.n_statistics();
        charge_.add(search::SortedBox::bytes(n_rows, d, k) + 2 * n_rows * d * (8 * k + 17));
    }

    void take(const Box& box) {
        box_ = &box;
        sorted_.fill(problem_, box.rows);
    }
    void look(const BoxSplit& split) {
        const std::span<const std::uint32_t> rows = box_->rows;
        right_.resize(rows.size());
        problem_.table.features[split.feature].test(split.cut).for_rows([&](auto goes_left) {
            for (std::size_t i = 0; i < rows.size(); ++i) {
                right_[i] = goes_left(rows[i]) ? 0 : 1;
            }
        });
        sums_.find(sorted_, right_);
    }
    void look_at_all() {
        right_.assign(box_->rows.size(), 0);
        sums_.find(sorted_, right_);
    }
    SideSum side(bool right, std::int32_t state) { return sums_.sum(right, state); }
    const search::CutList& cuts() const { return sums_.cuts(false); }
    // The cuts of both sides.
    std::uint64_t n_cuts() const {
        return std::uint64_t{sums_.cuts(false).first.back()} + sums_.cuts(true).first.back();
    }
    search::LimitedStates& states() { return states_; }

private:
    const Problem& problem_;
    search::LimitedStates states_;
    SideSums sums_;
    Charge charge_;
    const Box* box_ = nullptr;
    search::SortedBox sorted_;
    std::vector<std::uint8_t> right_;
};

}  // namespace slp::exact
