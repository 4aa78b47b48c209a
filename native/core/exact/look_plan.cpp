#include "exact/look_plan.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>

#include "arena.hpp"
#include "search/limited_states.hpp"

namespace slp::exact {

namespace {

// With one level a pass is short anyway, and with four the last two are a small part of the work.
constexpr int kLeastLevels = 2, kMostLevels = 3;

}  // namespace

std::optional<LookPlan> look_plan(const Problem& problem, const Geometry& geometry) {
    search::LimitedStates states(problem);
    const int levels = states.levels(problem.grammar.start);
    if (levels < kLeastLevels || levels > kMostLevels || !problem.leaf.falls_with_rows() ||
        problem.leaf.in_boxes()) {
        return std::nullopt;
    }
    Budget unlimited(SIZE_MAX);
    Splitter splitter(geometry);
    Arena arena;
    const auto d = static_cast<double>(problem.table.features.size());
    const Box root = geometry.root();
    const std::span<const BoxSplit> splits = splitter.splits(root, arena);
    const auto n = static_cast<double>(splits.size());
    const auto n_rows = static_cast<double>(root.rows.size());
    const auto k = static_cast<double>(problem.leaf.n_statistics());
    // Of the sorted rows and the cuts of one thread (item_looks.hpp).
    const double looker = n_rows * (d * (42 + 16 * k) + 8 * k + 4);
    if (levels == kLeastLevels) {
        return LookPlan{n, n * d * n_rows, looker};
    }
    // Of the boxes below some stand for all. Boxes that several splits make are one.
    constexpr std::size_t kSample = 64;
    const std::size_t step = splits.size() / kSample + 1;
    std::set<Key> sides;
    for (const BoxSplit& split : splits) {
        sides.insert({split.left, root.key - split.left});
    }
    const double distinct = static_cast<double>(sides.size()) / std::max(1.0, 2 * n);
    LookPlan out{0, 0, looker + distinct * n * (4 * n_rows + 2 * 8 * (40 + 8 * d))};
    for (std::size_t i = step / 2; i < splits.size(); i += step) {
        for (const bool is_left : {true, false}) {
            const Arena::Mark mark = arena.mark();
            const Box side = geometry.side(root, splits[i], is_left, arena);
            const double own =
                distinct * static_cast<double>(splitter.splits(side, arena).size() * step);
            out.looks += own;
            out.visits += own * d * static_cast<double>(side.rows.size());
            arena.release(mark);
        }
    }
    return out;
}

}  // namespace slp::exact
