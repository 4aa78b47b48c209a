#include "search/branching.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "problem/columns/left_sides.hpp"

namespace slp::search {

namespace {

// Edges that are valued between two looks at the caller.
constexpr std::uint32_t kEdgesPerLook = 1 << 12;

}  // namespace

Branching::Branching(const Problem& problem, const Geometry& geometry, bool likelihood,
                     NodeTable& table, Trees& trees, Budget& budget,
                     std::function<void()> look_at_caller)
    : problem_(problem),
      geometry_(geometry),
      table_(table),
      trees_(trees),
      leaf_(problem, likelihood),
      weights_(problem),
      last_(problem, leaf_, weights_),
      bits_(problem, budget),
      two_levels_(problem, leaf_, weights_, bits_, budget),
      splitter_(geometry),
      binary_(problem, geometry, leaf_, budget),
      builder_(problem, geometry),
      look_at_caller_(std::move(look_at_caller)),
      split_arena_(budget),
      orders_(problem.table, budget),
      alike_(budget),
      own_(leaf_.width()),
      right_(leaf_.width()) {}

double Branching::bound(const Branch& branch) {
    const double a = branch.below[0].high, b = branch.below[1].high;
    return a == -INFINITY || b == -INFINITY ? -INFINITY : branch.log_weight + a + b;
}

void Branching::find_splits(const Box& box) {
    if (!splits_.empty() && split_key_ == box.key) {  // the keys of its rows make that of a box
        return;
    }
    splits_ = {};  // also where memory ends below
    split_arena_.release({});
    split_key_ = box.key;
    looks_.reset();
    leaf_.sum(box.rows, own_.data());
    if (binary_.ready()) {
        splits_ = binary_.splits(box, split_arena_, sums_);
        return;
    }
    splits_ = splitter_.splits(box, split_arena_);
    try {
        orders_.look();
        find_sums(box);
    } catch (...) {
        splits_ = {};
        throw;
    }
}

Branching::Edges Branching::edges(const Box& box, std::int32_t product, Arena& arena) {
    Edges out{{}, {}, -INFINITY};
    find_splits(box);
    if (!builder_.only_stops(product)) {
        BoxSplit* const splits = arena.allocate<BoxSplit>(splits_.size());
        std::ranges::copy(splits_, splits);
        out.splits = {splits, splits_.size()};
    }
    out.item = builder_.edges(box, out.splits, product, arena);
    for (const RuleEdges& rule : out.item.rules) {
        if (rule.kind == RuleKind::leaf) {
            out.stop = std::max(out.stop, rule.log_factor + leaf_.log_leaf(own_.data()));
        }
    }
    return out;
}

Opened Branching::open(const Box& box, std::int32_t product, Arena& arena) {
    const Edges found = edges(box, product, arena);
    Opened item;
    item.low = found.stop;
    item.tree = item.low > -INFINITY ? kLeafTree : kNoTree;
    Branch* const begin = arena.allocate<Branch>(found.item.n_edges);
    Branch* end = begin;
    for (const RuleEdges& rule : found.item.rules) {
        alike_.start(rule.edges.size());
        const auto items_below = [&rule](std::uint32_t e) {
            return std::pair(rule.edges[e].left, rule.edges[e].right);
        };
        for (std::uint32_t e = 0; e < rule.edges.size(); ++e) {
            const Edge& edge = rule.edges[e];
            if (e % kEdgesPerLook == 0) {
                look_at_caller_();
            }
            // Among branches with the same items below, only the one of the largest weight matters.
            const std::uint32_t first = alike_.first(items_below, e);
            if (first != e && edge.is_at_most(rule.edges[first])) {
                continue;
            }
            const Branch branch = branch_of(rule, edge, box, found.splits);
            take_value(item, branch);
            if (branch.high > item.low + rounding_of(item.low)) {
                *end++ = branch;
            }
        }
    }
    end = std::remove_if(begin, end, [&](const Branch& branch) {
        return branch.high <= item.low + rounding_of(item.low);
    });
    item.branches = {begin, end};
    item.high = item.low;
    for (const Branch& branch : item.branches) {
        item.high = std::max(item.high, branch.high);
    }
    return item;
}

Branching::Whole Branching::open_whole(const Box& box, std::int32_t product, Arena& arena) {
    const Edges found = edges(box, product, arena);
    Branch* const begin = arena.allocate<Branch>(found.item.n_edges);
    Branch* end = begin;
    Whole out;
    for (const RuleEdges& rule : found.item.rules) {
        if (rule.kind == RuleKind::leaf) {
            out.stops.push_back(rule.log_factor + leaf_.log_leaf(own_.data()));
        }
        for (const Edge& edge : rule.edges) {
            if ((end - begin) % kEdgesPerLook == 0) {
                look_at_caller_();
            }
            *end++ = branch_of(rule, edge, box, found.splits);
        }
    }
    out.branches = {begin, end};
    return out;
}

bool Branching::look_at(const Box& box) {
    find_splits(box);
    if (!looks_) {
        looks_ = two_levels_.prepare(box, splits_, sums_, own_.data());
    } else if (*looks_) {
        two_levels_.move_to(box);
    }
    return *looks_;
}

std::size_t Branching::number_of(const BoxSplit& split) const {
    const auto at = std::ranges::lower_bound(
        splits_, std::pair(split.feature, split.cut.number()), {},
        [](const BoxSplit& other) { return std::pair(other.feature, other.cut.number()); });
    return static_cast<std::size_t>(at - splits_.begin());
}

double Branching::promise(const Box& box, const Branch& branch) {
    find_splits(box);
    double out = branch.log_weight;
    for (std::size_t i = 0; i < 2; ++i) {
        const Below& below = branch.below[i];
        const std::int32_t state = below.product / problem_.n_owed();
        out += below.solved() ? below.low
                              : std::max(below.low, two_levels_.log_stump(
                                                        number_of(*branch.split), i == 0, state));
    }
    return out;
}

void Branching::look_below(const Box& box, Branch& branch) {
    branch.looked = true;
    for (std::size_t i = 0; i < 2 && branch.split != nullptr; ++i) {
        Below& below = branch.below[i];
        if (below.solved() || table_.find(below.key) != nullptr) {
            continue;
        }
        if (last_.takes(below.product / problem_.n_owed())) {
            split_below(box, *branch.split, i == 0, below);
        } else if (leaf_.has_best_parting()) {
            part_below(box, *branch.split, i == 0, below);
        } else if (look_at(box)) {
            look_below(box, number_of(*branch.split), i == 0, below);
        } else {
            continue;
        }
        branch.high = std::min(branch.high, bound(branch));
        if (!below.solved()) {
            const TreeRef leaf = below.stop > -INFINITY ? kLeafTree : kNoTree;
            table_.store(below.key, below.stop, below.high, leaf, 1);
        }
    }
}

void Branching::look_below(const Box& box, std::size_t number, bool left, Below& below) {
    const std::size_t width = leaf_.width();
    const double* const on_left = sums_ + number * width;
    for (std::size_t i = 0; i < width; ++i) {
        right_[i] = left ? on_left[i] : own_[i] - on_left[i];
    }
    const std::int32_t state = below.product / problem_.n_owed();
    const Sizes sizes = splits_[number].side(box, left).sizes;
    const double stop = weights_.log_stop_above(state, sizes) + leaf_.log_leaf(right_.data());
    const double split = two_levels_.log_split_above(number, left, state);
    const double high = std::max(stop, split);
    below.high = std::max(below.low, std::min(below.high, high));
    // Of features of two codes, the split of the side is one of the box.
    if (two_valued() && split > below.low && two_levels_.last_split() != nullptr) {
        below.low = below.high = split;
        const TreeRef tree = tree_of(*two_levels_.last_split(), kLeafTree, kLeafTree);
        table_.store(below.key, below.low, below.high, tree, 1);
        trees_.drop(tree);
    }
}

void Branching::split_below(const Box& box, const BoxSplit& split, bool left, Below& below) {
    rows_.resize(box.rows.size());
    const Box side = geometry_.side(box, split, left, rows_.data());
    const std::int32_t state = below.product / problem_.n_owed();
    leaf_.sum(side.rows, right_.data());
    const double stop =
        weights_.log_stop_above(state, side.sizes) + leaf_.log_leaf(right_.data());
    const double high =
        std::max(stop, last_.log_split_above(state, side.rows, right_.data()));
    below.high = std::max(below.low, std::min(below.high, high));
}

void Branching::part_below(const Box& box, const BoxSplit& split, bool left, Below& below) {
    rows_.resize(box.rows.size());
    const Box side = geometry_.side(box, split, left, rows_.data());
    const std::int32_t state = below.product / problem_.n_owed();
    double high = weights_.log_split_above(state, side.sizes);
    if (high > -INFINITY) {
        high += leaf_.log_best_parting(side.rows);
    }
    if (!problem_.counted() || below.product % problem_.n_owed() == 0) {
        leaf_.sum(side.rows, right_.data());
        high = std::max(high, weights_.log_stop_above(state, side.sizes) +
                                  leaf_.log_leaf(right_.data()));
    }
    below.high = std::max(below.low, std::min(below.high, high));
}

void Branching::open_start(Opened& item, const Box& box, Arena& arena) {
    if (splits_.empty() || split_key_ != box.key) {  // it takes the sums over the box alone
        splits_ = {};
        leaf_.sum(box.rows, own_.data());
    }
    Branch* const begin = arena.allocate<Branch>(static_cast<std::size_t>(problem_.n_owed()));
    Branch* end = begin;
    double high = -INFINITY;
    for (std::int32_t owed = 0; owed < problem_.n_owed(); ++owed) {
        const std::int32_t product = problem_.root_product(owed);
        if (!builder_.room(product, box.sizes)) {
            continue;
        }
        Branch& branch = *end++;
        branch = {0.0, 0.0, nullptr, {below(box, product, key_of(box, product), own_.data()),
                                      Below{{}, -1, 0.0, 0.0, 0.0}}, false};
        branch.high = bound(branch);
        take_value(item, branch);
        high = std::max(high, branch.high);
    }
    item.branches = {begin, end};
    item.high = high;
}

Branch Branching::branch_of(const RuleEdges& rule, const Edge& edge, const Box& box,
                            std::span<const BoxSplit> splits) {
    const double* const own = own_.data();
    const std::size_t width = leaf_.width();
    Branch branch{rule.log_factor + edge.log_probability(), 0.0, nullptr, {}, false};
    if (rule.kind == RuleKind::call) {
        branch.below = {below(box, edge.left_state, edge.left, own),
                        Below{{}, -1, 0.0, 0.0, 0.0}};
    } else {
        const BoxSplit& split = splits[edge.split];
        const double* const left = sums_ + edge.split * width;
        for (std::size_t i = 0; i < width; ++i) {
            right_[i] = own[i] - left[i];
        }
        branch.split = &split;
        branch.below = {below(split.side(box, true), edge.left_state, edge.left, left),
                        below(split.side(box, false), edge.right_state, edge.right,
                              right_.data())};
    }
    branch.high = bound(branch);
    return branch;
}

Below Branching::below(const Box& side, std::int32_t product, Key key, const double* sums) {
    const std::int32_t state = product / problem_.n_owed();
    const bool counted = problem_.counted(), stops = !counted || product % problem_.n_owed() == 0;
    Below out{key, product, -INFINITY, -INFINITY, -INFINITY};
    if (stops) {
        const double leaf = leaf_.log_leaf(sums);
        out.stop = weights_.log_stop_below(state, side.sizes) + leaf;
        out.high = weights_.log_stop_above(state, side.sizes) + leaf;
    }
    if (!counted || !stops) {
        const double weight = weights_.log_split_above(state, side.sizes);
        if (weight > -INFINITY) {
            out.high = std::max(out.high, weight + leaf_.log_parted(sums));
        }
    }
    out.low = out.stop;
    if (const Entry* const entry = table_.find(key)) {
        out.low = std::max(out.low, entry->low);
        out.high = std::min(out.high, entry->high);
    }
    return out;
}

void Branching::refresh(Opened& item, Branch& branch) {
    for (Below& below : branch.below) {
        if (below.product >= 0) {
            refresh(below, table_.find(below.key));
        }
    }
    branch.high = std::min(branch.high, bound(branch));
    take_value(item, branch);
}

void Branching::refresh(Below& below, const Entry* entry) {
    below.low = below.stop;
    if (entry != nullptr) {
        below.low = std::max(below.low, entry->low);
        below.high = std::min(below.high, entry->high);
    }
}

void Branching::take_value(Opened& item, const Branch& branch) {
    const double value = branch.low();
    if (!(value > item.low)) {
        return;
    }
    std::array<TreeRef, 2> trees{kLeafTree, kLeafTree};
    for (std::size_t i = 0; i < 2; ++i) {
        const Below& below = branch.below[i];
        const Entry* const entry = below.product < 0 ? nullptr : table_.find(below.key);
        if (entry != nullptr && entry->low >= below.low) {
            trees[i] = entry->tree;
        }
    }
    if (branch.split == nullptr) {
        trees_.keep(trees[0]);
    } else {
        trees[0] = tree_of(*branch.split, trees[0], trees[1]);
    }
    trees_.drop(item.tree);
    item.tree = trees[0];
    item.low = value;
}

TreeRef Branching::tree_of(const BoxSplit& split, TreeRef left, TreeRef right) {
    trees_.keep(left);  // making room may take the items that hold them
    trees_.keep(right);
    while (!trees_.room() && table_.size() > 0) {
        table_.forget_half();
    }
    const TreeRef made = trees_.make(split.feature, split.cut, left, right);
    trees_.drop(left);
    trees_.drop(right);
    return made;
}

// A right side is the box less the left side.
void Branching::find_sums(const Box& box) {
    const std::size_t width = leaf_.width();
    sums_ = split_arena_.allocate<double>(splits_.size() * width);
    for_each_feature(splits_, [&](std::span<const BoxSplit> own, std::uint32_t first) {
        const Feature& feature = problem_.table.features[own.front().feature];
        double* out = sums_ + first * width;
        look_at_caller_();
        if (own.size() == 1) {
            std::fill_n(out, width, 0.0);
            const RowTest test = feature.test(own[0].cut);
            for (const std::uint32_t row : box.rows) {
                if (test.goes_left(row)) {
                    leaf_.add(row, out);
                }
            }
            return;
        }
        by_code_.resize(
            std::max(by_code_.size(), static_cast<std::size_t>(feature.n_codes) * width));
        codes_.clear();
        for (const std::uint32_t row : box.rows) {
            codes_.push_back(feature.codes[row]);
        }
        std::sort(codes_.begin(), codes_.end());
        codes_.erase(std::unique(codes_.begin(), codes_.end()), codes_.end());
        for (const std::uint32_t code : codes_) {
            std::fill_n(by_code_.data() + code * width, width, 0.0);
        }
        for (const std::uint32_t row : box.rows) {
            leaf_.add(row, by_code_.data() + feature.codes[row] * width);
        }
        if (!feature.plain()) {
            std::vector<double> sum(width), kept(width);
            const LeftSides sides{
                .clear = [&] { std::fill(sum.begin(), sum.end(), 0.0); },
                .add =
                    [&](std::size_t i) {
                        const double* const from = by_code_.data() + codes_[i] * width;
                        for (std::size_t k = 0; k < width; ++k) {
                            sum[k] += from[k];
                        }
                    },
                .keep = [&] { kept = sum; },
                .back = [&] { sum = kept; },
                .cut = [&](std::size_t j) { std::copy_n(sum.data(), width, out + j * width); }};
            for_each_left_side(feature, codes_, own, sides);
            return;
        }
        std::fill_n(right_.data(), width, 0.0);
        std::size_t next = 0;
        const bool single = feature.single();
        for (const BoxSplit& split : own) {
            if (single) {
                std::copy_n(by_code_.data() + split.cut.code() * width, width, out);
            } else {  // not every cut is a split: leaves may need several rows
                for (; next < codes_.size() && codes_[next] <= split.cut.last_left(); ++next) {
                    const double* const from = by_code_.data() + codes_[next] * width;
                    for (std::size_t k = 0; k < width; ++k) {
                        right_[k] += from[k];
                    }
                }
                std::copy_n(right_.data(), width, out);
            }
            out += width;
        }
    });
}

}  // namespace slp::search
