#include "mcmc/tree_weights.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "mcmc/part_rows.hpp"

namespace slp::mcmc {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TreeWeigher::TreeWeigher(const Problem& problem, const Geometry& geometry,
                         std::span<const std::uint32_t> least, bool by_partition)
    : problem_(problem),
      geometry_(geometry),
      least_(least),
      by_partition_(by_partition),
      process_(problem, geometry),
      rows_(problem.table.n_rows),
      scratch_(problem.table.n_rows),
      marks_((problem.table.n_rows + 63) / 64) {}

double TreeWeigher::log_weight(std::span<const TreeNode> tree, const std::function<bool()>& go_on) {
    done_.clear();
    open_.clear();
    if (!lay_out(tree)) {
        return -INFINITY;
    }
    const PartState root{0, problem_.grammar.start};
    stack_.assign(1, root);
    while (!stack_.empty()) {
        const PartState place = stack_.back();
        const std::uint64_t key = key_of(place);
        if (done_.contains(key)) {
            stack_.pop_back();
            continue;
        }
        const auto [found, is_new] = open_.try_emplace(key);
        if (is_new && !find_edges(place, go_on, found->second)) {
            return kUnknown;
        }
        if (known(found->second, stack_)) {
            done_[key] = sum(place, found->second);
            open_.erase(found);
        }
    }
    return done_[key_of(root)];
}

bool TreeWeigher::lay_out(std::span<const TreeNode> tree) {
    parts_.assign(tree.size(), {});
    std::iota(rows_.begin(), rows_.end(), 0U);
    // Children and leaves, from the last node to the first.
    std::vector<std::uint32_t> tops;
    for (std::size_t i = tree.size(); i-- > 0;) {
        Part& own = parts_[i];
        if (tree[i].feature >= 0) {
            if (tops.size() < 2) {
                return false;
            }
            own.left = tops.back();
            tops.pop_back();
            own.right = tops.back();
            tops.pop_back();
            own.n_leaves = parts_[own.left].n_leaves + parts_[own.right].n_leaves;
        }
        tops.push_back(static_cast<std::uint32_t>(i));
    }
    if (tops.size() != 1) {
        return false;
    }
    parts_[0].size = problem_.table.n_rows;
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const std::size_t f = static_cast<std::size_t>(tree[i].feature);
        if (tree[i].feature >= 0 && (f >= problem_.table.features.size() ||
                                     !part(tree[i], static_cast<std::uint32_t>(i)))) {
            return false;
        }
    }
    return true;
}

bool TreeWeigher::part(const TreeNode& node, std::uint32_t number) {
    Part& own = parts_[number];
    const Feature& feature = problem_.table.features[static_cast<std::size_t>(node.feature)];
    const std::span<std::uint32_t> rows(rows_.data() + own.begin, own.size);
    own.taken = {-1, node.feature,
                 Cut::written(static_cast<std::uint32_t>(node.low),
                              static_cast<std::uint32_t>(node.high))};
    const std::uint32_t n = part_rows(rows, feature.test(own.taken.cut), scratch_.data());
    if (n == 0 || n == own.size) {
        return false;
    }
    own.left_key = geometry_.box_of(rows.first(n)).key;
    Part &left = parts_[own.left], &right = parts_[own.right];
    left.begin = own.begin;
    left.size = n;
    right.begin = own.begin + n;
    right.size = own.size - n;
    return true;
}

Rows TreeWeigher::ascending_rows(const Part& part) {
    for (std::uint32_t i = 0; i < part.size; ++i) {
        const std::uint32_t row = rows_[part.begin + i];
        marks_[row / 64] |= std::uint64_t{1} << row % 64;
    }
    std::uint32_t n = 0;
    for (std::size_t w = 0; w < marks_.size(); ++w) {
        for (std::uint64_t word = std::exchange(marks_[w], 0); word != 0; word &= word - 1) {
            scratch_[n++] = static_cast<std::uint32_t>(64 * w) +
                            static_cast<std::uint32_t>(std::countr_zero(word));
        }
    }
    return {scratch_.data(), n};
}

bool TreeWeigher::possible(PartState place) const {
    const auto& states = problem_.grammar.states;
    const auto state = static_cast<std::size_t>(place.state);
    return (states.open() ? states.least_leaves(state) : least_[state]) <=
           parts_[place.part].n_leaves;
}

bool TreeWeigher::find_edges(PartState place, const std::function<bool()>& go_on,
                            std::vector<PartEdge>& out) {
    const Part& own = parts_[place.part];
    const bool is_leaf = own.taken.feature == kLeaf;
    const auto& rules = problem_.grammar.states[static_cast<std::size_t>(place.state)];
    for (std::size_t r = 0; r < rules.size(); ++r) {
        const Rule& rule = rules[r];
        if (!go_on()) {
            return false;
        }
        if (!(rule.log_weight > -INFINITY)) {
            continue;
        }
        switch (rule.kind) {
            case RuleKind::leaf:
                if (is_leaf) {
                    out.push_back({static_cast<std::int32_t>(r), 0, {}, kUnknown});
                }
                break;
            case RuleKind::call:
                if (const PartState called{place.part, rule.state}; possible(called)) {
                    out.push_back({static_cast<std::int32_t>(r), 1, {called, {}}, kUnknown});
                }
                break;
            case RuleKind::split:
                if (!is_leaf) {
                    by_partition_ ? find_partition(place, r, out)
                                  : find_split(place, r, out);
                }
                break;
        }
    }
    return true;
}

void TreeWeigher::add_split(const Part& part, std::size_t rule, std::int32_t left,
                            std::int32_t right, double log_weight,
                            std::vector<PartEdge>& out) const {
    const PartState first{part.left, left}, second{part.right, right};
    if (possible(first) && possible(second)) {
        out.push_back({static_cast<std::int32_t>(rule), 2, {first, second}, log_weight});
    }
}

void TreeWeigher::find_split(PartState place, std::size_t r, std::vector<PartEdge>& out) {
    const Part& own = parts_[place.part];
    const auto f = static_cast<std::size_t>(own.taken.feature);
    const Rule& rule = problem_.grammar.states[static_cast<std::size_t>(place.state)][r];
    const auto cell = static_cast<std::size_t>(
        problem_.table.features[f].cell(own.taken.cut));
    if (const std::int32_t left = rule.transitions[2 * cell]; left >= 0) {
        add_split(own, r, left, rule.transitions[2 * cell + 1], kUnknown, out);
    }
}

void TreeWeigher::find_partition(PartState place, std::size_t r, std::vector<PartEdge>& out) {
    const Part& own = parts_[place.part];
    const Rows rows = ascending_rows(own);
    if (!process_.enter(rows, place.state)) {
        return;
    }
    const Key other = geometry_.box_of(rows).key - own.left_key;
    Choice choice;
    if (process_.take_part_by_key(static_cast<std::int32_t>(r), own.left_key, choice)) {
        add_split(own, r, choice.left_state, choice.right_state,
                  choice.log_draw + choice.log_excess, out);
    } else if (process_.take_part_by_key(static_cast<std::int32_t>(r), other, choice)) {
        add_split(own, r, choice.right_state, choice.left_state,
                  choice.log_draw + choice.log_excess, out);
    }
}

bool TreeWeigher::known(const std::vector<PartEdge>& edges, std::vector<PartState>& missing) const {
    bool all = true;
    for (const PartEdge& edge : edges) {
        for (std::uint32_t g = 0; g < edge.n_goals; ++g) {
            const auto found = done_.find(key_of(edge.goals[g]));
            if (found == done_.end()) {
                missing.push_back(edge.goals[g]);
                all = false;
            }
            if (found == done_.end() || found->second == -INFINITY) {
                break;  // the right side may not be needed
            }
        }
    }
    return all;
}

double TreeWeigher::sum(PartState place, const std::vector<PartEdge>& edges) {
    terms_.clear();
    bool entered = false;
    for (const PartEdge& edge : edges) {
        double below = 0.0;
        for (std::uint32_t g = 0; g < edge.n_goals && below > -INFINITY; ++g) {
            below += done_.at(key_of(edge.goals[g]));
        }
        if (below == -INFINITY) {
            continue;
        }
        double own = edge.log_weight;
        if (std::isnan(own)) {
            const Part& part = parts_[place.part];
            if (!entered && !process_.enter(ascending_rows(part), place.state)) {
                return -INFINITY;
            }
            entered = true;
            Taken taken = part.taken;
            taken.rule = edge.rule;
            if (edge.n_goals < 2) {
                taken.feature = edge.n_goals == 0 ? kLeaf : kCall;
            }
            Choice choice;
            if (!process_.take(taken, choice)) {
                continue;
            }
            own = choice.log_draw + choice.log_excess;
        }
        terms_.push_back(own + below);
    }
    if (terms_.empty()) {
        return -INFINITY;
    }
    const double top = *std::ranges::max_element(terms_);
    double total = 0.0;
    for (const double term : terms_) {
        total += std::exp(term - top);
    }
    return terms_.size() == 1 ? top : top + std::log(total);
}

}  // namespace slp::mcmc
