#include "search/ranking.hpp"

#include <algorithm>
#include <cmath>

#include "log_sum.hpp"

namespace slp::search {

namespace {

// Going on below a candidate pays until its bound is this much below the next best one.
constexpr double kCandidateSlack = 0.1;

// The most levels of an item below the start.
constexpr int kDeepestItem = 2000;

// Options that an item gets between two looks at the caller.
constexpr std::uint32_t kOptionsPerLook = 1 << 12;

// Bytes of an item besides its options.
constexpr std::size_t kPerNode = 256;

}  // namespace

Ranking::Ranking(BestFirstSearch& search, bool known, std::uint64_t most_steps)
    : search_(search), known_(known), most_steps_(most_steps), charge_(search.budget_) {
    search_.open_items_.clear();
}

Status Ranking::next(const Poll& poll) {
    const BestFirstSearch::Caller caller(search_, poll);
    stop_ = false;
    tree_ = {};
    value_ = 0.0;
    const Arena::Mark mark = search_.arena_.mark();
    bool whole = false;
    const Status status = until_stopped([&] {
        if (!root_.open) {
            open_start();
        }
        whole = emit(root_, search_.geometry_.root(), given_, 0);
        return stop_ ? Status::stopped : Status::done;
    });
    search_.arena_.release(mark);
    given_ += whole && status == Status::done;
    if (!whole || status != Status::done) {
        tree_ = {};
        value_ = -INFINITY;
    }
    return status;
}

double Ranking::bound() const {
    if (!root_.open) {
        return search_.high_;
    }
    const double next = given_ < root_.found.size() ? root_.found[given_].bound : root_.top();
    return std::min(next, search_.high_);
}

// False to end: time, the keyboard, the number of steps.
bool Ranking::go_on() {
    search_.ask_caller();
    stop_ = stop_ || search_.told_to_stop_ || (most_steps_ > 0 && steps_ >= most_steps_);
    return !stop_;
}

// --- items ---------------------------------------------------------------------------------------

Ranking::RankedItem& Ranking::node_of(const Below& below) {
    const auto found = nodes_.find(below.key);
    if (found != nodes_.end()) {
        return found->second;
    }
    charge_.add(kPerNode);
    return nodes_[below.key];
}

void Ranking::open(RankedItem& node, const Box& box, std::int32_t product) {
    ++steps_;
    const Arena::Mark mark = search_.arena_.mark();
    Branching::Whole whole = search_.branching_.open_whole(box, product, search_.arena_);
    node.stops = std::move(whole.stops);
    node.product = product;
    solve_first_cuts(node, whole.branches, box);
    add_options(node, whole.branches);
    search_.arena_.release(mark);
}

void Ranking::open_start() {
    const Box box = search_.geometry_.root();
    const Arena::Mark mark = search_.arena_.mark();
    Opened item;
    search_.branching_.open_start(item, box, search_.arena_);
    search_.trees_.drop(item.tree);
    add_options(root_, item.branches);
    search_.arena_.release(mark);
}

void Ranking::add_options(RankedItem& node, std::span<const Branch> branches) {
    const std::size_t bytes =
        2 * (node.stops.size() + branches.size()) * (sizeof(Candidate) + sizeof(double));
    charge_.add(bytes);
    try {
        node.open = std::make_unique<OpenItem>(search_.budget_, -INFINITY, branches);
        for (std::uint32_t i = 0; i < node.stops.size() + branches.size(); ++i) {
            if (i % kOptionsPerLook == 0) {
                search_.look_at_caller();
            }
            push(node, {INFINITY, i, {0, 0}});
        }
    } catch (...) {  // an item without some of its options would prove what is not so
        node = {};
        charge_.give_back(bytes);
        throw;
    }
}

// Unless there is no such derivation.
void Ranking::push(RankedItem& node, Candidate candidate) {
    candidate.bound = std::min(candidate.bound, bound_of(node, candidate).value);
    if (candidate.bound > -INFINITY) {
        node.heap.push_back(candidate);
        std::push_heap(node.heap.begin(), node.heap.end());
    }
}

// The ranks (i, j) follow (i - 1, j), and (0, j) follows (0, j - 1): each pair once.
void Ranking::push_successors(RankedItem& node, const Candidate& found) {
    if (found.option < node.stops.size()) {
        return;
    }
    charge_.add(4 * sizeof(Candidate));
    const auto [i, j] = found.ranks;
    push(node, {found.bound, found.option, {i + 1, j}});
    if (i == 0 && branch_of(node, found).below[1].product >= 0) {
        push(node, {found.bound, found.option, {0, j + 1}});
    }
}

Ranking::Bound Ranking::bound_of(const RankedItem& node, const Candidate& candidate) {
    if (candidate.option < node.stops.size()) {
        return {node.stops[candidate.option], true};
    }
    Branch& branch = branch_of(node, candidate);
    const Bound left = bound_of(branch.below[0], candidate.ranks[0]);
    const Bound right = bound_of(branch.below[1], candidate.ranks[1]);
    return {log_product(branch.log_weight, log_product(left.value, right.value)),
            left.exact && right.exact};
}

Ranking::Bound Ranking::bound_of(Below& below, std::uint32_t rank) {
    if (below.product < 0) {  // the second item of a call
        return {0.0, true};
    }
    const auto at = nodes_.find(below.key);
    const RankedItem* const node =
        at == nodes_.end() || at->second.open == nullptr ? nullptr : &at->second;
    if (node != nullptr && rank < node->found.size()) {
        return {node->found[rank].bound, true};
    }
    if (node != nullptr && (node->heap.empty() || !node->found.empty())) {
        return {node->top(), node->heap.empty()};
    }
    Branching::refresh(below, search_.table_.find(below.key));
    if (node != nullptr) {
        return {known_ ? node->top() : std::min(below.high, node->top()),
                !known_ && rank == 0 && below.solved()};
    }
    return {known_ ? below.low : below.high, rank == 0 && (known_ || below.solved())};
}

Box Ranking::side_of(const Box& box, const Branch& branch, bool left) {
    return branch.split == nullptr
               ? box
               : search_.geometry_.side(box, *branch.split, left, search_.arena_);
}

// --- the search ----------------------------------------------------------------------------------

// Until the derivation of this rank is found, or its value cannot be above the threshold.
void Ranking::work(RankedItem& node, const Box& box, std::uint32_t rank, double threshold,
                   int depth) {
    if (depth > kDeepestItem) {
        throw OutOfBudget();
    }
    while (node.found.size() <= rank && !node.heap.empty() && go_on()) {
        const Candidate top = node.heap.front();
        const Bound now = bound_of(node, top);
        if (now.value < top.bound) {
            std::pop_heap(node.heap.begin(), node.heap.end());
            node.heap.pop_back();
            push(node, top);
        } else if (top.bound <= threshold) {
            return;
        } else if (now.exact) {
            std::pop_heap(node.heap.begin(), node.heap.end());
            node.heap.pop_back();
            node.found.push_back(top);
            push_successors(node, top);
        } else if (top.bound <= node.best - node.slack) {
            solve_cuts(node, node.open->branches, box, 2 * node.slack);
        } else if (Branch& branch = branch_of(node, top); !known_ && !branch.looked) {
            search_.branching_.look_below(box, branch);
        } else {
            descend(node, box, threshold, depth);
        }
    }
}

// Goes on below the best candidate, on the side of the larger gap.
void Ranking::descend(RankedItem& node, const Box& box, double threshold, int depth) {
    const Candidate top = node.heap.front();
    Branch& branch = branch_of(node, top);
    std::array<Bound, 2> bounds{};
    std::array<double, 2> gaps{};
    for (std::size_t i = 0; i < 2; ++i) {
        const Below& below = branch.below[i];
        bounds[i] = bound_of(branch.below[i], top.ranks[i]);
        gaps[i] = bounds[i].exact ? -1.0
                  : top.ranks[i] > 0 ? static_cast<double>(INFINITY)
                                     : below.high - below.low;
    }
    const std::size_t side = gaps[0] >= gaps[1] ? 0 : 1;
    for (std::size_t i = 1; i < std::min<std::size_t>(3, node.heap.size()); ++i) {
        if (node.heap[i].bound < INFINITY) {
            threshold = std::max(threshold, node.heap[i].bound - kCandidateSlack);
        }
    }
    threshold -= branch.log_weight + bounds[1 - side].value;
    // However numbers are rounded, the bound below must fall.
    if (const double own = bounds[side].value; own < INFINITY) {
        threshold = std::min(threshold, own - rounding_of(own) / 4);
    }
    const Arena::Mark mark = search_.arena_.mark();
    const Box inner = side_of(box, branch, side == 0);
    RankedItem& below = node_of(branch.below[side]);
    const std::int32_t product = branch.below[side].product;
    if (below.open || below.solved || top.ranks[side] > 0 || !solve(below, inner, product)) {
        if (!below.open) {
            open(below, inner, product);
        }
        work(below, inner, top.ranks[side], threshold, depth + 1);
    }
    search_.arena_.release(mark);
}

// --- what is given out ---------------------------------------------------------------------------

bool Ranking::emit(RankedItem& node, const Box& box, std::uint32_t rank, int depth) {
    work(node, box, rank, -INFINITY, depth);
    if (node.found.size() <= rank) {
        return false;
    }
    const Candidate found = node.found[rank];
    if (found.option < node.stops.size()) {
        tree_.add_leaf();
        value_ += node.stops[found.option];
        return true;
    }
    const Branch& branch = branch_of(node, found);
    value_ += branch.log_weight;
    if (branch.split != nullptr) {
        tree_.add(static_cast<std::int32_t>(branch.split->feature), branch.split->cut);
    }
    for (std::size_t i = 0; i < 2; ++i) {
        const Arena::Mark mark = search_.arena_.mark();
        const Below& below = branch.below[i];
        if (below.product >= 0 &&
            !emit(below, side_of(box, branch, i == 0), found.ranks[i], depth + 1)) {
            return false;
        }
        search_.arena_.release(mark);
    }
    return true;
}

bool Ranking::emit(const Below& below, const Box& box, std::uint32_t rank, int depth) {
    RankedItem& node = node_of(below);
    if (!node.open) {
        if (known_ && rank == 0) {
            emit_known(below);
            return true;
        }
        open(node, box, below.product);
    }
    return emit(node, box, rank, depth);
}

// The tree that the search found.
void Ranking::emit_known(const Below& below) {
    const Entry* const entry = search_.table_.find(below.key);
    const bool better = entry != nullptr && entry->low >= below.low && entry->tree != kNoTree;
    value_ += better ? entry->low : below.stop;
    search_.add_tree(better ? entry->tree : kLeafTree, tree_);
}

}  // namespace slp::search
