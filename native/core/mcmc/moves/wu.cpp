// The radical restructure: slp.reference.mh.moves.wu.

#include <algorithm>
#include <cmath>
#include <iterator>

#include "mcmc/moves/tree_moves.hpp"

namespace slp::mcmc {

TreeMoves::Made TreeMoves::wu(Randomness& random) {
    const std::uint32_t n = counts().internal;
    if (n == 0) {
        return Made::nothing;
    }
    const std::uint32_t at = internal(random.index(n));
    blocks_.resize(problem_.table.n_rows);
    std::uint32_t block = 0;
    for (const ProofNode& node : view().subtree(at)) {
        if (node.n_parts() == 0) {
            for (const std::uint32_t row : proof_->rows_of(node)) {
                blocks_[row] = block;
            }
            ++block;
        }
    }
    least_.resize(block);
    most_.resize(block);
    double forth = 0.0;
    if (!restructure(random, at, forth) || !build(at, 0)) {
        return Made::no_tree;
    }
    return made(at, forth, log_restructured(at));
}

// Draws a subtree with the same leaves, as a plan; false if the splits drawn lead to none.
bool TreeMoves::restructure(Randomness& random, std::uint32_t at, double& log_probability) {
    const ProofNode& top = old(at);
    std::ranges::copy(ascending(top), rows_.begin());
    goals_.assign(1, {0, top.state, 0, top.size});
    Choice choice;
    while (!goals_.empty()) {
        const PlannedGoal goal = goals_.back();
        goals_.pop_back();
        const auto here = static_cast<std::uint32_t>(plan_.size());
        if (goal.parent != kNone) {
            (goal.right ? plan_[goal.parent].right : plan_[goal.parent].left) = here;
        }
        const std::span<std::uint32_t> rows(rows_.data() + goal.begin, goal.size);
        if (std::ranges::all_of(rows, [&](auto row) { return blocks_[row] == blocks_[rows[0]]; })) {
            plan_leaf();
            continue;
        }
        const std::int32_t rule = rule_of(goal.state, RuleKind::split);
        if (rule < 0 || !process_.enter(rows, goal.state) || !process_.takes(rule)) {
            return false;
        }
        splits_.list(process_, rule, -1);
        const double sum = keep_blocks_whole(rows);
        if (splits_.splits().empty()) {
            return false;
        }
        const WeighedSplit split = splits_.splits()[splits_.draw(random)];
        log_probability += std::log(split.weight) - std::log(sum);
        const Taken taken{rule, static_cast<std::int32_t>(split.feature), split.cut};
        process_.take(taken, choice);
        const RowTest test = plan_[plan_split(taken, kNone, kNone)].test;
        const std::uint32_t left = part_rows(rows, test, right_rows_.data());
        goals_.push_back({0, choice.right_state, goal.begin + left, goal.size - left, here, true});
        goals_.push_back({0, choice.left_state, goal.begin, left, here, false});
    }
    return true;
}

// Log probability that the present subtree is drawn.
double TreeMoves::log_restructured(std::uint32_t at) {
    double out = 0.0;
    for (const ProofNode& node : view().subtree(at)) {
        if (node.n_parts() > 0) {
            list_splits(node, -1);
            const double sum = keep_blocks_whole(ascending_);
            out += std::log(splits_.splits()[splits_.number(node.taken)].weight) - std::log(sum);
        }
    }
    return out;
}

double TreeMoves::keep_blocks_whole(Rows rows) {
    auto& splits = splits_.splits();
    std::uint32_t feature = kNone;
    std::erase_if(splits, [&](const WeighedSplit& split) {
        const Feature& own = problem_.table.features[split.feature];
        if (!own.plain()) {
            return cuts_block(own.test(split.cut), rows);
        }
        if (split.feature != feature) {
            feature = split.feature;
            mark_cutting(feature, rows);
        }
        const auto after = std::ranges::upper_bound(
            cutting_, split.cut.last_left(), {},
            [](const auto& interval) { return interval.first; });
        return after != cutting_.begin() && split.cut.last_left() < std::prev(after)->second;
    });
    return splits_.sum();
}

bool TreeMoves::cuts_block(const RowTest& test, Rows rows) {
    constexpr std::uint32_t kLeft = 1, kRight = 2;
    std::ranges::fill(least_, 0);
    for (const std::uint32_t row : rows) {
        std::uint32_t& sides = least_[blocks_[row]];
        sides |= test.goes_left(row) ? kLeft : kRight;
        if (sides == (kLeft | kRight)) {
            return true;
        }
    }
    return false;
}

// Puts the codes of a feature at which a split parts a block (thresholds behind them, or tests on
// them) into `cutting_`, as intervals that do not meet.
void TreeMoves::mark_cutting(std::uint32_t f, Rows rows) {
    const Feature& feature = problem_.table.features[f];
    const std::uint32_t* code = feature.codes.data();
    std::ranges::fill(least_, kNone);
    std::ranges::fill(most_, 0);
    for (const std::uint32_t row : rows) {
        std::uint32_t& least = least_[blocks_[row]];
        std::uint32_t& most = most_[blocks_[row]];
        least = std::min(least, code[row]);
        most = std::max(most, code[row]);
    }
    cutting_.clear();
    if (feature.single()) {
        for (const std::uint32_t row : rows) {
            if (least_[blocks_[row]] < most_[blocks_[row]]) {
                cutting_.emplace_back(code[row], code[row] + 1);
            }
        }
    } else {
        for (std::size_t b = 0; b < least_.size(); ++b) {
            if (least_[b] < most_[b]) {
                cutting_.emplace_back(least_[b], most_[b]);
            }
        }
    }
    std::ranges::sort(cutting_);
    std::size_t n = 0;
    for (const auto& interval : cutting_) {
        if (n > 0 && interval.first <= cutting_[n - 1].second) {
            cutting_[n - 1].second = std::max(cutting_[n - 1].second, interval.second);
        } else {
            cutting_[n++] = interval;
        }
    }
    cutting_.resize(n);
}

}  // namespace slp::mcmc
