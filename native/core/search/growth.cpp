// Trees to begin with and below the items that are opened: greedy growth, and growth that departs
// from it in few places (limited discrepancy search, Harvey & Ginsberg 1995).

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "search/search.hpp"

namespace slp::search {

namespace {

// Levels of growth.
constexpr int kDeepestGrowth = 400;

// Steps of opening items at each node of the best tree, and what departures may cost there.
constexpr double kAtNodes = 2e8;
constexpr int kMostAtNodes = 9;

// Steps that an item takes beside those of opening it.
constexpr double kOverhead = 1e4;

// The most that is spent to rank the branches of an item: pairs of splits, times the words of bits
// that are counted and 60 for the rest.
constexpr double kMostLook = 6e6;

// What it costs to follow the branch of a rank (0: the best) in a box of so many distinct rows.
// Ranks far down are tried soon, as each doubling costs the same. A departure in a small box can
// gain little, so it costs more.
int cost_of(std::size_t rank, std::size_t rows) {
    constexpr double kPerDoubling = 2, kPerHalving = 0.5, kSmall = 8;
    if (rank == 0) {
        return 0;
    }
    const double halvings = std::max(0.0, kSmall - std::log2(static_cast<double>(rows)));
    return static_cast<int>(kPerDoubling * std::log2(static_cast<double>(rank + 1)) +
                            kPerHalving * halvings);
}

}  // namespace

// Greedy growth: the sides of the branch of the largest value, and on below them, where they are
// new and may gain. Then the values of the item and its branches are those of the trees grown.
void BestFirstSearch::dive(const Box& box, Opened& item, int depth) {
    Branch* best = nullptr;
    for (Branch& branch : item.branches) {
        if (branch.low() > -INFINITY && (best == nullptr || branch.low() > best->low())) {
            best = &branch;
        }
    }
    if (best == nullptr || depth == kDeepestGrowth || stop_) {
        return;
    }
    for (const bool left : {true, false}) {
        const Below& below = best->below[left ? 0 : 1];
        if (below.product < 0 || below.solved() || opened(below.key) || stop_) {
            continue;
        }
        const Arena::Mark mark = arena_.mark();
        const Box side = best->split == nullptr
                             ? box
                             : geometry_.side(box, *best->split, left, arena_);
        go_on();
        Opened inner;
        if (open_item(side, below.product, inner)) {
            dive(side, inner, depth + 1);
            keep(below.key, inner, kOpened);
        }
        arena_.release(mark);
    }
    branching_.refresh(item, *best);
    double high = item.low;
    for (const Branch& branch : item.branches) {
        high = std::max(high, branch.high);
    }
    item.high = std::min(item.high, high);
}

// Where memory or time ends, the search goes on with the trees found by then.
void BestFirstSearch::improve_start(const Effort& effort) {
    const Arena::Mark mark = arena_.mark();
    until_stopped([&] {
        improving_ = 0;
        most_improving_ = effort.steps;
        from_start(1, effort.departures, &BestFirstSearch::improve);
        improving_ = 0;
        most_improving_ = kAtNodes;
        from_start(2, kMostAtNodes, &BestFirstSearch::regrow);
        return Status::done;
    });
    arena_.release(mark);
}

void BestFirstSearch::from_start(int least, int most, void (BestFirstSearch::*grow)(const Item&,
                                                                                    int, int)) {
    const Box root = geometry_.root();
    for (int departures = least; departures <= most && !stop_; ++departures) {
        for (std::int32_t owed = 0; owed < problem_.n_owed(); ++owed) {
            const std::int32_t start = problem_.root_product(owed);
            (this->*grow)({root, start, branching_.key_of(root, start)}, departures, 0);
        }
    }
}

// Improves the subtrees of the best tree, which are cheaper to grow than the whole, from the top
// down.
void BestFirstSearch::regrow(const Item& at, int departures, int depth) {
    if (depth == kDeepestGrowth || improving_ > most_improving_ || stop_) {
        return;
    }
    if (depth > 0) {
        improve(at, departures, depth);
    }
    const Arena::Mark mark = arena_.mark();
    Opened item;
    if (!open_item(at.box, at.product, item)) {
        arena_.release(mark);
        return;
    }
    improving_ += opening_;
    const auto best = std::ranges::max_element(item.branches, {}, &Branch::low);
    if (best != item.branches.end() && best->low() >= item.low - rounding_of(item.low)) {
        for (const bool left : {true, false}) {
            const Below& below = best->below[left ? 0 : 1];
            if (below.product < 0 || below.solved()) {
                continue;
            }
            const Arena::Mark inner = arena_.mark();
            const Box side = best->split == nullptr
                                 ? at.box
                                 : geometry_.side(at.box, *best->split, left, arena_);
            regrow({side, below.product, below.key}, departures, depth + 1);
            arena_.release(inner);
        }
        branching_.refresh(item, *best);
    }
    keep(at.key, item, kOpened);
    arena_.release(mark);
}

// Below the item: the branch of the largest promise, and others as far as departures may cost.
void BestFirstSearch::improve(const Item& at, int departures, int depth) {
    int& done = improved_[at.key];
    if (done > departures || depth == kDeepestGrowth || improving_ > most_improving_ || stop_) {
        return;
    }
    done = departures + 1;
    go_on();
    const Arena::Mark mark = arena_.mark();
    Opened item;
    if (!open_item(at.box, at.product, item)) {
        arena_.release(mark);
        return;
    }
    improving_ += opening_ + kOverhead;
    using Ranked = std::pair<double, Branch*>;
    const std::span ranked(arena_.allocate<Ranked>(item.branches.size()), item.branches.size());
    const auto size = static_cast<double>(branching_.n_splits());
    const double look = 2 * size * size * (static_cast<double>(at.box.rows.size()) / 64 + 60);
    for (std::size_t i = 0; i < ranked.size(); ++i) {
        Branch& branch = item.branches[i];
        const bool looks = look <= kMostLook && branching_.looks_below(at.box, branch);
        ranked[i] = {looks ? branching_.promise(at.box, branch) : branch.low(), &branch};
        improving_ += looks ? look / size : 0.0;
    }
    std::size_t n = 0;
    while (n < ranked.size() && cost_of(n, at.box.rows.size()) <= departures) {
        ++n;
    }
    const auto nth = ranked.begin() + static_cast<std::ptrdiff_t>(n);
    std::partial_sort(ranked.begin(), nth, ranked.end(), std::greater());
    for (std::size_t rank = 0; rank < n; ++rank) {
        Branch& branch = *ranked[rank].second;
        const int left_over = departures - cost_of(rank, at.box.rows.size());
        for (const bool left : {true, false}) {
            const Below& below = branch.below[left ? 0 : 1];
            if (below.product < 0 || below.solved() || branch.high <= item.low) {
                continue;
            }
            const Arena::Mark inner = arena_.mark();
            const Box side = branch.split == nullptr
                                 ? at.box
                                 : geometry_.side(at.box, *branch.split, left, arena_);
            improve({side, below.product, below.key}, left_over, depth + 1);
            arena_.release(inner);
        }
        branching_.refresh(item, branch);
    }
    keep(at.key, item, kOpened);
    arena_.release(mark);
}

}  // namespace slp::search
