#include "search/limited_depth.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace slp::search {

namespace {

void append(LimitedDepth::Nodes& to, BestCut cut) {
    to.push_back(cut);
    if (cut.feature >= 0) {
        to.insert(to.end(), 2, BestCut{});
    }
}

}  // namespace

LimitedDepth::LimitedDepth(const Problem& problem, bool likelihood, Budget& budget)
    : problem_(problem),
      likelihood_(likelihood),
      d_(problem.table.features.size()),
      k_(problem.leaf.n_statistics()),
      charge_(budget),
      budget_(budget),
      falls_(!likelihood || problem.leaf.falls_with_rows()),
      states_(problem),
      sides_(problem, states_, likelihood),
      shares_(problem),
      levels_(LimitedStates::kMostLevels) {}

bool LimitedDepth::takes(std::int32_t state, std::size_t rows, bool at_start) {
    const int levels = states_.levels(state);
    if (levels < 1 || levels > (at_start && falls_ ? 3 : 2)) {
        return false;
    }
    const auto boxes = static_cast<std::size_t>(1 + 2 * (levels - 1));
    const std::size_t bytes =
        boxes * SortedBox::bytes(rows, d_, k_) + 2 * rows * d_ * (8 * k_ + 17);
    if (bytes > charged_) {
        if (bytes - charged_ > budget_.left() / 4) {
            return false;
        }
        charge_.raise_to(bytes);
        charged_ = bytes;
    }
    return true;
}

LimitedDepth::BestTree LimitedDepth::solve(std::span<const std::uint32_t> rows, std::int32_t state,
                                           const WantedCuts& wanted) {
    stopped_ = false;
    wanted_ = &wanted;
    whole_.fill(problem_, rows);
    BestTree out{};
    const Solved found = solve(whole_, state, wanted.known, 0, &out.tree);
    out.low = found.low;
    out.high = found.high;
    return out;
}

Solved LimitedDepth::solve(const SortedBox& box, std::int32_t number, double known, int level,
                           Nodes* tree) {
    const LimitedState& state = states_.of(number);
    if (state.levels <= 1) {
        return solve_last(box, number, tree);
    }
    LevelOfCuts& own = levels_[static_cast<std::size_t>(level)];
    const bool splits = list_cuts(box, own);
    shares_.find(*state.rule, own.n_valid);
    own.log_share = shares_.log_share;
    const double leaf = likelihood_ ? problem_.leaf.log_marginal(box.sums.data()) : 0.0;
    const double stop = state.log_stop(splits) + leaf;
    BoxSearch work{box,       state, level, {stop, stop, stop},        tree, {},
                   -INFINITY, known, level == 0 && wanted_->all};
    *tree = {BestCut{}};
    const double most_share = shares_.most;
    push_features(work);
    search_cuts(work);
    Solved out = work.found;
    out.high = work.left_out <= out.low + rounding_of(out.low) ? out.low : work.left_out;
    out.cap = level == 0 || !falls_
                  ? INFINITY
                  : std::max({out.high, out.cap, work.left_out,
                              state.split + most_share + cap_of_all(work)});
    return out;
}

// Until no cut is left that is wanted.
void LimitedDepth::search_cuts(BoxSearch& work) {
    while (!work.heap.empty()) {
        if (work.heap.front().bound <= work.floor()) {
            break;
        }
        if (stopped_ || !wanted_->step()) {
            stopped_ = true;
            break;
        }
        std::ranges::pop_heap(work.heap, {}, &CutInterval::bound);
        const CutInterval top = work.heap.back();
        work.heap.pop_back();
        look(work, top);
    }
    for (const CutInterval& part : work.heap) {
        work.left_out = std::max(work.left_out, part.bound);
        tell_between(work, part);
    }
}

Solved LimitedDepth::solve_last(const SortedBox& box, std::int32_t state, Nodes* tree) {
    none_right_.assign(box.n, 0);
    find_sides(box, none_right_);
    BestCut cut;
    const Solved out = sides_.best(false, state, cut);
    tree->clear();
    append(*tree, cut);
    return out;
}

void LimitedDepth::find_sides(const SortedBox& box, std::span<const std::uint8_t> right) {
    sides_.find(box, right);
    steps_ += static_cast<double>(box.n) * static_cast<double>(d_);
}

// At least what all rows are worth on one side of a cut, whose other side has other rows.
double LimitedDepth::cap_of_all(const BoxSearch& work) {
    const LimitedState &left = states_.of(work.state.left), &right = states_.of(work.state.right);
    Nodes unused;
    const double as_left = solve_last(work.box, work.state.left, &unused).cap;
    const double as_right = work.state.right == work.state.left
                                ? as_left
                                : solve_last(work.box, work.state.right, &unused).cap;
    return std::max(as_left + right.most, left.most + as_right);
}

// Finds the cuts, and how many each feature has; false if there is none.
bool LimitedDepth::list_cuts(const SortedBox& box, LevelOfCuts& level) {
    const auto least = static_cast<std::uint32_t>(problem_.grammar.min_leaf);
    level.first.assign(1, 0);
    level.begin.clear();
    level.valid.clear();
    level.n_valid.assign(d_, 0.0);
    bool any = false;
    for (std::size_t f = 0; f < d_; ++f) {
        const bool single = problem_.table.features[f].single();
        const auto order = box.order_of(f), codes = box.codes_of(f);
        std::uint32_t rows = 0;
        for (std::uint32_t i = 0; i < box.n; ++i) {
            if (i == 0 || codes[i] != codes[i - 1]) {
                level.begin.push_back(i);
                level.valid.push_back(0);
                rows = single ? 0 : rows;
            }
            rows += box.counts[order[i]];
            level.valid.back() = rows >= least && box.data_rows - rows >= least;
        }
        level.first.push_back(static_cast<std::uint32_t>(level.begin.size()));
        for (std::uint32_t cut = 0; cut < n_cuts(level, f); ++cut) {
            level.n_valid[f] += level.valid[level.first[f] + cut];
        }
        any = any || level.n_valid[f] > 0;
    }
    return any;
}

// Of thresholds one less than values; of two levels one.
std::uint32_t LimitedDepth::n_cuts(const LevelOfCuts& level, std::size_t feature) const {
    const std::uint32_t n = level.first[feature + 1] - level.first[feature];
    return n > 2 && problem_.table.features[feature].single() ? n : n - 1;
}

void LimitedDepth::push_features(BoxSearch& work) {
    const LevelOfCuts& level = levels_[static_cast<std::size_t>(work.level)];
    const double left = states_.of(work.state.left).most;
    const double right = states_.of(work.state.right).most;
    for (std::uint32_t f = 0; f < d_; ++f) {
        const auto n = static_cast<std::int32_t>(n_cuts(level, f));
        push(work, {INFINITY, f, -1, n, left, right});
    }
}

void LimitedDepth::push(BoxSearch& work, CutInterval part) {
    if (part.before - part.after < 2) {
        return;
    }
    const LevelOfCuts& level = levels_[static_cast<std::size_t>(work.level)];
    if (falls_) {
        part.bound = std::min(part.bound, work.state.split + level.log_share[part.feature] +
                                              part.left + part.right);
    }
    if (part.bound <= work.floor()) {
        work.left_out = std::max(work.left_out, part.bound);
        tell_between(work, part);
        return;
    }
    work.heap.push_back(part);
    std::ranges::push_heap(work.heap, {}, &CutInterval::bound);
}

void LimitedDepth::tell_between(const BoxSearch& work, const CutInterval& part) const {
    if (work.level > 0 || !falls_ || !wanted_->tell) {
        return;
    }
    const LevelOfCuts& level = levels_[0];
    const auto code_of = [&](std::int32_t cut) {
        return cut_of(work.box, part.feature, static_cast<std::uint32_t>(cut), level).from;
    };
    wanted_->tell({part.feature, code_of(part.after + 1), code_of(part.before - 1),
                   {-INFINITY, -INFINITY}, {part.left, part.right}, {nullptr, nullptr}});
}

// Marks the rows on the right of a cut.
void LimitedDepth::part(const SortedBox& box, std::uint32_t feature, std::uint32_t cut,
                        LevelOfCuts& level) {
    const std::uint32_t* const begin = level.begin.data() + level.first[feature];
    const std::uint32_t end = level.first[feature] + cut + 1 < level.first[feature + 1]
                                  ? begin[cut + 1]
                                  : static_cast<std::uint32_t>(box.n);
    const auto order = box.order_of(feature);
    level.right.assign(box.n, 1);
    for (std::uint32_t i = problem_.table.features[feature].single() ? begin[cut] : 0; i < end;
         ++i) {
        level.right[order[i]] = 0;
    }
}

// Solves both sides of the cut in the middle, as far as these are wanted.
void LimitedDepth::look(BoxSearch& work, const CutInterval& at) {
    LevelOfCuts& level = levels_[static_cast<std::size_t>(work.level)];
    const LimitedState& state = work.state;
    const auto cut = static_cast<std::uint32_t>((at.after + at.before) / 2);
    const bool single = problem_.table.features[at.feature].single();
    const double base = state.split + level.log_share[at.feature];
    const double floor = work.floor();
    part(work.box, at.feature, cut, level);
    Nodes left_tree, right_tree;
    Solved left, right;
    if (state.levels <= 2) {
        find_sides(work.box, level.right);
        BestCut of_left, of_right;
        left = sides_.best(false, state.left, of_left);
        right = sides_.best(true, state.right, of_right);
        append(left_tree, of_left);
        append(right_tree, of_right);
    } else {
        level.sides[0].fill(work.box, level.right, false);
        left = solve(level.sides[0], state.left, floor - base - at.right, work.level + 1,
                     &left_tree);
        level.sides[1].fill(work.box, level.right, true);
        right = solve(level.sides[1], state.right, floor - base - at.left, work.level + 1,
                      &right_tree);
    }
    const std::size_t number = level.first[at.feature] + cut;
    if (level.valid[number]) {
        offer(work, base + left.low + right.low, cut_of(work.box, at.feature, cut, level),
              left_tree, right_tree);
        // Without caps what is on one side of the cut bounds nothing.
        const double on_left = falls_ ? std::min(left.high, at.left) : left.high;
        const double on_right = falls_ ? std::min(right.high, at.right) : right.high;
        work.left_out = std::max(work.left_out, base + on_left + on_right);
        if (work.level == 0 && wanted_->tell) {
            const std::uint32_t from = cut_of(work.box, at.feature, cut, level).from;
            wanted_->tell({at.feature, from, from, {left.low, right.low}, {on_left, on_right},
                           {&left_tree, &right_tree}});
        }
    }
    if (falls_) {
        left.cap = std::min(left.cap, at.left);
        right.cap = std::min(right.cap, at.right);
        work.found.cap = std::max(work.found.cap, base + left.cap + right.cap);
    }
    const auto middle = static_cast<std::int32_t>(cut);
    push(work, {at.bound, at.feature, at.after, middle, at.left, single ? at.right : right.cap});
    push(work, {at.bound, at.feature, middle, at.before, single ? at.left : left.cap, at.right});
}

BestCut LimitedDepth::cut_of(const SortedBox& box, std::uint32_t feature, std::uint32_t cut,
                             const LevelOfCuts& level) const {
    const std::uint32_t* const begin = level.begin.data() + level.first[feature];
    const auto codes = box.codes_of(feature);
    const bool single = problem_.table.features[feature].single();
    return {static_cast<std::int32_t>(feature), codes[begin[cut]],
            single ? codes[begin[cut]] : codes[begin[cut + 1]]};
}

void LimitedDepth::offer(BoxSearch& work, double value, BestCut cut, const Nodes& left,
                         const Nodes& right) {
    if (!(value > work.found.low)) {
        return;
    }
    work.found.low = value;
    *work.tree = {cut};
    work.tree->insert(work.tree->end(), left.begin(), left.end());
    work.tree->insert(work.tree->end(), right.begin(), right.end());
}

}  // namespace slp::search
