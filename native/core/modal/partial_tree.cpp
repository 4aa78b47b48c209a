#include "modal/partial_tree.hpp"

#include <algorithm>
#include <utility>

namespace slp::modal {

namespace {

// Depth up to which nodes have places for draws.
constexpr std::uint32_t kDeepestPlace = 60;

}  // namespace

PartialTree::PartialTree(const Problem& problem, const Plan& plan, Budget& budget)
    : problem_(problem), plan_(plan), row_sums_(problem), charge_(budget) {}

void PartialTree::start(std::span<const std::uint32_t> rows, std::int32_t state) {
    charge_.add((8 + 8 * row_sums_.width()) * rows.size());
    rows_.assign(rows.begin(), rows.end());
    scratch_.resize(rows.size());
    single_.resize(rows.size() * row_sums_.width());
    row_sums_.list(rows_, single_.data());
    GrownNode root;
    root.end = static_cast<std::uint32_t>(rows.size());
    root.state = state;
    root.slack = plan_.further;
    add(std::move(root));
}

std::size_t PartialTree::add(GrownNode&& node) {
    const std::size_t number = nodes_.size(), width = row_sums_.width();
    charge_.add(sizeof(GrownNode) + 8 * (width + node.added.size()));
    sums_.resize(sums_.size() + width);
    row_sums_.add_up(single_.data() + node.begin * width, node.end - node.begin,
                     sums_.data() + number * width);
    nodes_.push_back(std::move(node));
    return number;
}

RowSet PartialTree::rows_of(std::size_t node) const {
    const GrownNode& own = nodes_[node];
    const std::size_t width = row_sums_.width();
    return {std::span(rows_).subspan(own.begin, own.end - own.begin),
            single_.data() + own.begin * width, std::span(sums_).subspan(node * width, width)};
}

std::uint32_t PartialTree::part_rows(std::size_t number) {
    const GrownNode& node = nodes_[number];
    const RowTest test = problem_.table.features[node.split.feature].test(node.split.cut);
    std::uint32_t left = node.begin, right = node.begin;
    for (std::uint32_t i = node.begin; i < node.end; ++i) {
        const std::uint32_t row = rows_[i];
        const bool goes_left = test.goes_left(row);
        rows_[left] = row;
        scratch_[right] = row;
        left += goes_left;
        right += !goes_left;
    }
    std::copy(scratch_.begin() + node.begin, scratch_.begin() + right, rows_.begin() + left);
    const auto own = std::span(rows_).subspan(node.begin, node.end - node.begin);
    row_sums_.list(own, single_.data() + node.begin * row_sums_.width());
    return left;
}

std::size_t PartialTree::add_side(std::size_t above, bool left, std::uint32_t middle,
                                  std::int32_t state) {
    GrownNode& node = nodes_[above];
    GrownNode side;
    side.begin = left ? node.begin : middle;
    side.end = left ? middle : node.end;
    side.state = state;
    side.depth = node.depth + 1;
    side.place = side.depth < kDeepestPlace ? 2 * node.place + (left ? 0 : 1) : 0;
    side.slack = node.gains ? plan_.further : node.slack - 1;
    (left ? node.left : node.right) = static_cast<std::int64_t>(nodes_.size());
    if (plan_.smoothing > 0) {
        std::vector<double> sums(row_sums_.width());
        row_sums_.add_up(single_.data() + side.begin * sums.size(), side.end - side.begin,
                         sums.data());
        for (std::size_t i = kStatistics; i < sums.size(); ++i) {
            const double before = node.added.empty() ? 0.0 : node.added[i - kStatistics];
            side.added.push_back(before + sums[i] * plan_.smoothing);
        }
    }
    return add(std::move(side));
}

std::vector<std::size_t> PartialTree::undo_dead_ends() {
    std::vector<std::size_t> again, stack{0};
    while (!stack.empty()) {
        const std::size_t at = stack.back();
        stack.pop_back();
        GrownNode& node = nodes_[at];
        if (node.left < 0) {
            continue;
        }
        const auto left = static_cast<std::size_t>(node.left);
        const auto right = static_cast<std::size_t>(node.right);
        if (!dead(left) && !dead(right)) {
            stack.insert(stack.end(), {right, left});
            continue;
        }
        if (node.gains) {
            node.failed.push_back(node.split);
            charge_.add(sizeof(SplitTaken));
        } else {
            node.stops = true;
        }
        node.left = node.right = -1;
        node.expanded = false;
        const auto own = std::span(rows_).subspan(node.begin, node.end - node.begin);
        std::ranges::sort(own);
        row_sums_.list(own, single_.data() + node.begin * row_sums_.width());
        again.push_back(at);
    }
    return again;
}

Grown PartialTree::grown() const {
    Grown out;
    const std::size_t k = row_sums_.width() - kStatistics;
    for_each([&](std::size_t at) {
        const GrownNode& node = nodes_[at];
        const bool splits = node.left >= 0;
        out.feature.push_back(splits          ? static_cast<std::int32_t>(node.split.feature)
                              : node.expanded ? -1
                                              : -2);
        out.low.push_back(splits ? node.split.cut.number() : 0);
        out.high.push_back(splits ? node.split.cut.rest() : 0);
        out.log_stop.push_back(node.log_stop);
        out.log_likelihood.push_back(node.log_likelihood);
        out.log_split.push_back(splits ? node.log_split : 0.0);
        out.gain.push_back(splits ? node.gain : 0.0);
        const auto sums = rows_of(at).statistics();
        out.statistics.insert(out.statistics.end(), sums.begin(), sums.end());
        for (std::size_t i = 0; i < k && plan_.smoothing > 0; ++i) {
            out.added.push_back(node.added.empty() ? 0.0 : node.added[i]);
        }
    });
    return out;
}

}  // namespace slp::modal
