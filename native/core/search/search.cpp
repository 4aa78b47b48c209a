#include "search/search.hpp"

#include <algorithm>
#include <cmath>

namespace slp::search {

namespace {

// Going on below an item pays until its bound is this much below that of the next best branch.
// Without it the search would change between two branches at every step.
constexpr double kBranchSlack = 0.25;

// The share of the items opened that greedy growth may open.
constexpr double kDiveShare = 0.1;

// The shares of the room that the table and the items that were opened may take; the others are
// trees and the present path.
constexpr double kTableShare = 0.4, kOpenShare = 0.4;

// Branches that are looked below at once, as preparing for it takes long.
constexpr std::size_t kLooks = 4;

// The search begins after some growth from the start, as it may soon end. There is more after so
// many of its steps, and each time that it goes on.
constexpr double kSearchFirst = 2e7;
constexpr BestFirstSearch::Effort kAtFirst{11, 1.2e9}, kMore{20, 1.2e9}, kGoingOn{20, 1.5e9};

bool lower_bound_of(const Branch* x, const Branch* y) {
    return x->high < y->high;
}

}  // namespace

BestFirstSearch::BestFirstSearch(const Problem& problem, const Geometry& geometry,
                                 const SearchPlan& plan)
    : problem_(problem),
      geometry_(geometry),
      plan_(plan),
      budget_(plan.room),
      arena_(budget_),
      trees_(budget_),
      table_(trees_, budget_,
             static_cast<std::size_t>(kTableShare * static_cast<double>(plan.room))),
      open_items_(budget_, static_cast<std::size_t>(kOpenShare * static_cast<double>(plan.room))),
      branching_(problem, geometry, plan.likelihood, table_, trees_, budget_,
                 [this] { look_at_caller(); }),
      limited_(problem, plan.likelihood, budget_) {}

Status BestFirstSearch::run(const Poll& poll, double most_searched) {
    const Caller caller(*this, poll);
    stop_ = false;
    const Status status = until_stopped([&] {
        improve_start(begun_ ? kGoingOn : kAtFirst);
        begun_ = true;
        push_root();
        while (!frames_.empty()) {
            const bool first = searched_ < kSearchFirst;
            stop_ = stop_ || (most_searched > 0 && searched_ >= most_searched);
            step();
            if (first && searched_ >= kSearchFirst) {
                improve_start(kMore);
                improved_.clear();
            }
        }
        return stop_ ? Status::stopped : Status::done;
    });
    stop_ = true;
    while (!frames_.empty()) {  // what is known by then holds
        within_budget([&] {
            if (frames_.back().ready) {
                clean_top(frames_.back());
            }
            return Status::done;
        });
        close();
    }
    return status;
}

// The start owes any number of leaves, where they are counted.
void BestFirstSearch::push_root() {
    const Arena::Mark mark = arena_.mark();
    const Box box = geometry_.root();
    frames_.push_back({box, -1, Key{}, -INFINITY, mark, steps_, {}, {}, nullptr});
    SearchFrame& frame = frames_.back();
    frame.item.high = INFINITY;
    branching_.open_start(frame.item, box, arena_);
    make_heap(frame);
}

// Whether to go on: time, the keyboard, the number of steps.
void BestFirstSearch::go_on() {
    ++steps_;
    ask_caller();
    stop_ = stop_ || told_to_stop_ || (plan_.most_steps > 0 && steps_ >= plan_.most_steps);
}

void BestFirstSearch::ask_caller() {
    const auto now = std::chrono::steady_clock::now();
    if (poll_ != nullptr && !told_to_stop_ && now >= next_poll_) {
        next_poll_ = now + std::chrono::milliseconds(50);
        told_to_stop_ = !(*poll_)(progress());
    }
}

// In the middle of the work on an item.
void BestFirstSearch::look_at_caller() {
    ask_caller();
    if (told_to_stop_) {
        stop_ = true;
        throw Stopped();
    }
}

Progress BestFirstSearch::progress() const {
    Progress out;
    out.items = steps_;
    out.edges = table_.size();
    out.bytes = budget_.used();
    out.peak_bytes = budget_.peak();
    return out;
}

void BestFirstSearch::push(const Box& box, std::int32_t product, Key key, double threshold,
                           Arena::Mark mark) {
    go_on();
    frames_.push_back({box, product, key, threshold, mark, steps_, {}, {}, nullptr});
    SearchFrame& frame = frames_.back();
    frame.item.high = INFINITY;
    if (open_frame(frame)) {
        make_heap(frame);
    }
}

// False where the caller says stop in the middle. Then the items above are left as they are, with
// what is known of this one.
bool BestFirstSearch::open_item(const Box& box, std::int32_t product, Opened& item) {
    if (solves(box, product)) {
        const double before = limited_.steps();
        const bool whole = solve_item(box, product, item, [this] {
            go_on();
            return !stop_;
        });
        opening_ = limited_.steps() - before;
        return whole;
    }
    try {
        item = branching_.open(box, product, arena_);
    } catch (const Stopped&) {
        return false;
    }
    opening_ = branching_.steps(box);
    return true;
}

bool BestFirstSearch::open_frame(SearchFrame& frame) {
    const bool first = !opened(frame.key);
    const Entry* known = table_.find(frame.key);
    frame.held = open_items_.find(frame.key);
    if (frame.held && known != nullptr && known->low >= frame.held->left_out) {
        frame.item.branches = frame.held->branches;
        frame.item.low = -INFINITY;
    } else {
        frame.held = nullptr;
        if (!open_item(frame.box, frame.product, frame.item)) {
            return false;
        }
        searched_ += opening_;
        known = table_.find(frame.key);
    }
    if (known != nullptr) {
        frame.item.high = std::min(frame.item.high, known->high);
        if (known->low > frame.item.low) {
            trees_.keep(known->tree);
            trees_.drop(frame.item.tree);
            frame.item.tree = known->tree;
            frame.item.low = known->low;
        }
    }
    if (first && static_cast<double>(dived_) < kDiveShare * static_cast<double>(steps_) + 500) {
        const std::uint64_t before = steps_;
        dive(frame.box, frame.item, 0);
        dived_ += steps_ - before;
    }
    if (!frame.held) {
        frame.held = open_items_.keep(frame.key, frame.item.low, frame.item.branches);
        if (frame.held) {
            frame.item.branches = frame.held->branches;
        }
    }
    return true;
}

void BestFirstSearch::make_heap(SearchFrame& frame) {
    Branch** const heap = arena_.allocate<Branch*>(frame.item.branches.size());
    for (std::size_t i = 0; i < frame.item.branches.size(); ++i) {
        heap[i] = &frame.item.branches[i];
    }
    frame.heap = {heap, frame.item.branches.size()};
    std::make_heap(frame.heap.begin(), frame.heap.end(), lower_bound_of);
    frame.ready = true;
}

// One step of the frame on top: it ends, or goes on below.
void BestFirstSearch::step() {
    SearchFrame& frame = frames_.back();
    if (!frame.ready || !clean_top(frame) || stop_ || frame.item.high <= frame.threshold) {
        close();
    } else {
        descend(frame);
    }
}

// Brings the best branch up to date; false if none is left that could gain.
bool BestFirstSearch::clean_top(SearchFrame& frame) {
    Opened& item = frame.item;
    while (!frame.heap.empty()) {
        Branch* const top = frame.heap.front();
        const double before = top->high;
        branching_.refresh(item, *top);
        if (top->high < before) {
            sift_top(frame);
            continue;
        }
        if (top->high <= item.low + rounding_of(item.low)) {
            break;
        }
        if (!top->looked && !stop_) {
            look_at_top(frame);
            continue;
        }
        item.high = std::min(item.high, top->high);
        return true;
    }
    frame.heap = {};
    item.high = item.low;
    return false;
}

// Looks below the best branches, until one that was looked below before.
void BestFirstSearch::look_at_top(SearchFrame& frame) {
    const auto all = frame.heap;
    ask_caller();
    stop_ = stop_ || told_to_stop_;
    std::size_t out = 0;
    for (; out < std::min(kLooks, all.size()) && !all[0]->looked; ++out) {
        branching_.look_below(frame.box, *all[0]);
        std::pop_heap(all.begin(), all.end() - static_cast<std::ptrdiff_t>(out), lower_bound_of);
    }
    for (; out > 0; --out) {
        std::push_heap(all.begin(), all.end() - static_cast<std::ptrdiff_t>(out - 1),
                       lower_bound_of);
    }
}

void BestFirstSearch::sift_top(SearchFrame& frame) {
    std::pop_heap(frame.heap.begin(), frame.heap.end(), lower_bound_of);
    std::push_heap(frame.heap.begin(), frame.heap.end(), lower_bound_of);
}

void BestFirstSearch::descend(SearchFrame& frame) {
    Branch& branch = *frame.heap.front();
    double second = -INFINITY;
    for (std::size_t i = 1; i < std::min<std::size_t>(3, frame.heap.size()); ++i) {
        second = std::max(second, frame.heap[i]->high);
    }
    double threshold = std::max(frame.threshold, frame.item.low);
    if (second < INFINITY) {  // else there is no bound to go by
        threshold = std::max(threshold, second - kBranchSlack);
    }
    const auto gap = [](const Below& below) {
        return below.solved() ? -1.0 : below.high - below.low;
    };
    const bool left = gap(branch.below[0]) >= gap(branch.below[1]);
    const Below& below = branch.below[left ? 0 : 1];
    const Below& other = branch.below[left ? 1 : 0];
    threshold -= branch.log_weight + other.high;
    // However numbers are rounded, the bound below must fall.
    if (below.high < INFINITY) {
        threshold = std::min(threshold, below.high - rounding_of(below.high) / 4);
    }
    const Arena::Mark mark = arena_.mark();
    const Box side = branch.split == nullptr
                         ? frame.box
                         : geometry_.side(frame.box, *branch.split, left, arena_);
    push(side, below.product, below.key, threshold, mark);
}

void BestFirstSearch::close() {
    SearchFrame& frame = frames_.back();
    if (frames_.size() > 1) {
        keep(frame.key, frame.item, kOpened + steps_ - frame.began);
    } else {
        std::swap(tree_, frame.item.tree);
        trees_.drop(frame.item.tree);
        low_ = frame.item.low;
        high_ = std::min(high_, frame.item.high);
    }
    arena_.release(frame.mark);
    frames_.pop_back();
}

bool BestFirstSearch::opened(Key key) const {
    const Entry* const entry = table_.find(key);
    return entry != nullptr && entry->work >= kOpened;
}

void BestFirstSearch::keep(Key key, Opened& item, std::uint64_t work) {
    const auto short_work = static_cast<std::uint32_t>(std::min<std::uint64_t>(work, 0xFFFFFFFF));
    table_.store(key, item.low, item.high, item.tree, short_work);
    trees_.drop(item.tree);
    item.tree = kNoTree;
}

FoundTree BestFirstSearch::found() const {
    FoundTree out{{}, low_, high_, table_.size(), table_.lost(), steps_, budget_.peak()};
    if (tree_ != kNoTree) {
        add_tree(tree_, out.tree);
    }
    return out;
}

// Adds the tree's nodes.
void BestFirstSearch::add_tree(TreeRef tree, TreeNodes& out) const {
    std::vector<TreeRef> stack{tree};
    while (!stack.empty()) {
        const TreeRef at = stack.back();
        stack.pop_back();
        const bool splits = trees_.is_split(at);
        if (!splits) {
            out.add_leaf();
        } else {
            out.add(static_cast<std::int32_t>(trees_[at].feature), trees_[at].cut);
            stack.push_back(trees_[at].right);
            stack.push_back(trees_[at].left);
        }
    }
}

}  // namespace slp::search
