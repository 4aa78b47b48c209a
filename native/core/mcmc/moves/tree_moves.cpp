#include "mcmc/moves/tree_moves.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "mcmc/edit_tree.hpp"

namespace slp::mcmc {

namespace {

std::size_t cuts_of(const Table& table) {
    std::size_t out = 0;
    for (const Feature& feature : table.features) {
        out += feature.most_cuts(static_cast<std::size_t>(feature.n_codes));
    }
    return out;
}

}  // namespace

TreeMoves::TreeMoves(const Problem& problem, const Geometry& geometry, const LeafModel& leaf,
                     LocalProcess& process, std::vector<ProofNode>& drawn,
                     std::vector<std::uint32_t>& rows)
    : problem_(problem),
      geometry_(geometry),
      leaf_(leaf),
      process_(process),
      drawn_(drawn),
      rows_(rows),
      splits_(problem),
      informed_(cuts_of(problem.table)),
      statistics_(leaf.n_statistics()) {}

TreeMoves::Made TreeMoves::propose(Randomness& random, double power, ProposalKind kind,
                                   const Proof& proof) {
    left_rows_.resize(problem_.table.n_rows);  // once; most chains make no tree moves
    right_rows_.resize(problem_.table.n_rows);
    marks_.resize((problem_.table.n_rows + 63) / 64);
    proof_ = &proof;
    ascending_of_ = nullptr;
    power_ = power;
    plan_.clear();
    switch (kind) {
        case ProposalKind::cgm: return cgm(random);
        case ProposalKind::wu: return wu(random);
        case ProposalKind::rotate: return rotate(random);
        case ProposalKind::perturb: return perturb(random, false);
        case ProposalKind::twig: return twig(random);
        default: return informed(random);
    }
}

// --- nodes and counts -------------------------------------------------------------------------

bool TreeMoves::is_prunable(std::uint32_t i, std::uint32_t replaced) const {
    const auto is_leaf = [&](std::uint32_t j) {
        return (j == replaced ? drawn_[0] : old(j)).n_parts() == 0;
    };
    return old(i).can_stop && is_leaf(i + 1) && is_leaf(right_of(proof_->nodes, i + 1));
}

TreeMoves::NodeCounts TreeMoves::count(std::uint32_t replaced) const {
    NodeCounts out;
    const auto n = static_cast<std::uint32_t>(proof_->nodes.size());
    for (std::uint32_t i = 0; i < n; ++i) {
        if (i == replaced) {
            i += old(i).all.n_nodes - 1;
        } else if (old(i).n_parts() == 0) {
            out.growable += old(i).can_split;
        } else {
            ++out.internal;
            out.prunable += is_prunable(i, replaced);
        }
    }
    if (replaced == kNone) {
        return out;
    }
    for (std::uint32_t i = 0; i < drawn_.size(); ++i) {
        const ProofNode& node = drawn_[i];
        if (node.n_parts() == 0) {
            out.growable += node.can_split;
        } else {
            ++out.internal;
            out.prunable += node.can_stop && drawn_[i + 1].n_parts() == 0 &&
                            drawn_[right_of(drawn_, i + 1)].n_parts() == 0;
        }
    }
    return out;
}

std::uint32_t TreeMoves::internal(std::size_t k) const {
    std::uint32_t i = 0;
    while (old(i).n_parts() == 0 || k-- > 0) {
        ++i;
    }
    return i;
}

std::uint32_t TreeMoves::parent_of(std::uint32_t i) {
    path_to(proof_->nodes, i, path_);
    return path_[path_.size() - 2];
}

std::int32_t TreeMoves::rule_of(std::int32_t state, RuleKind kind) const {
    const Rules& rules = problem_.grammar.states[static_cast<std::size_t>(state)];
    for (std::size_t r = 0; r < rules.size(); ++r) {
        if (rules[r].kind == kind) {
            return static_cast<std::int32_t>(r);
        }
    }
    return -1;
}

Rows TreeMoves::ascending(const ProofNode& node) {
    if (ascending_of_ == &node) {
        return ascending_;
    }
    ascending_of_ = &node;
    const Rows rows = proof_->rows_of(node);
    ascending_.assign(rows.begin(), rows.end());
    if (node.n_parts() == 0) {
        return ascending_;
    }
    if (rows.size() == problem_.table.n_rows) {
        std::iota(ascending_.begin(), ascending_.end(), 0U);
        return ascending_;
    }
    if (rows.size() < marks_.size() / 4) {
        std::sort(ascending_.begin(), ascending_.end());
        return ascending_;
    }
    for (const std::uint32_t row : rows) {
        marks_[row / 64] |= std::uint64_t{1} << (row % 64);
    }
    std::uint32_t* out = ascending_.data();
    for (std::size_t w = 0; w < marks_.size(); ++w) {
        for (std::uint64_t bits = std::exchange(marks_[w], 0); bits != 0; bits &= bits - 1) {
            *out++ = static_cast<std::uint32_t>(w * 64) +
                     static_cast<std::uint32_t>(std::countr_zero(bits));
        }
    }
    return ascending_;
}

// --- splits -----------------------------------------------------------------------------------

void TreeMoves::list_splits(const ProofNode& node, std::int32_t feature) {
    process_.enter(ascending(node), node.state);
    splits_.list(process_, rule_of(node.state, RuleKind::split), feature);
}

NodeKey TreeMoves::key_of(const ProofNode& node) const {
    return {geometry_.box_of(proof_->rows_of(node)).key, node.state};
}

LikelySplits TreeMoves::list_likely(const ProofNode& node) {
    return list_likely(ascending(node), node.state);
}

LikelySplits TreeMoves::list_likely(Rows rows, std::int32_t state) {
    process_.enter(rows, state);
    splits_.list(process_, rule_of(state, RuleKind::split), -1);
    return splits_.likely(rows);
}

std::shared_ptr<const LikelySplits> TreeMoves::likely_splits(const ProofNode& node) {
    return informed_.likely(key_of(node), [&] { return list_likely(node); });
}

const InformedSplits& TreeMoves::informed_splits(const ProofNode& node) {
    return informed_.informed(key_of(node), power_, [&] { return list_likely(node); });
}

TreeMoves::Drawn TreeMoves::draw_split(Randomness& random, const ProofNode& node, bool informed) {
    const std::int32_t rule = rule_of(node.state, RuleKind::split);
    if (!informed) {
        Choice choice;
        process_.draw(random, ascending(node), node.state, rule, 0.0, choice);
        return {choice.taken, choice.log_split};
    }
    const InformedSplits& splits = informed_splits(node);
    const LikelySplit& split = splits.draw(random);
    const auto feature = static_cast<std::int32_t>(split.feature);
    return {{rule, feature, split.cut}, splits.log_probability(split)};
}

double TreeMoves::log_probability(const ProofNode& node, const Taken& taken, bool informed) {
    return informed ? informed_splits(node).log_probability(taken) : node.log_split;
}

// --- plans ------------------------------------------------------------------------------------

std::uint32_t TreeMoves::plan_leaf() {
    plan_.emplace_back();
    return static_cast<std::uint32_t>(plan_.size() - 1);
}

std::uint32_t TreeMoves::plan_split(const Taken& taken, std::uint32_t left,
                                    std::uint32_t right) {
    const auto& feature = problem_.table.features[static_cast<std::size_t>(taken.feature)];
    plan_.push_back({taken.feature, feature.test(taken.cut), left, right});
    return static_cast<std::uint32_t>(plan_.size() - 1);
}

std::uint32_t TreeMoves::plan_test(const Taken& taken, std::uint32_t left, std::uint32_t right) {
    plan_.push_back({taken.feature, test_anywhere(problem_.table, taken), left, right});
    return static_cast<std::uint32_t>(plan_.size() - 1);
}

std::uint32_t TreeMoves::plan_subtree(std::uint32_t i, bool optional, bool restores) {
    const auto first = static_cast<std::uint32_t>(plan_.size());
    const std::uint32_t n = old(i).all.n_nodes;
    for (std::uint32_t j = i; j < i + n; ++j) {
        if (old(j).n_parts() == 0) {
            plan_leaf();
            continue;
        }
        const std::uint32_t right = right_of(proof_->nodes, j + 1);
        plan_test(old(j).taken, first + (j + 1 - i), first + (right - i));
        plan_.back().optional = optional;
        plan_.back().restores = restores ? &old(j).taken : nullptr;
    }
    return first;
}

std::uint32_t TreeMoves::plan_preorder(const Preorder& tree, std::size_t& next) {
    const auto first = static_cast<std::uint32_t>(plan_.size());
    std::vector<std::uint32_t> open;  // splits whose right side is not planned yet
    do {
        const auto here = static_cast<std::uint32_t>(plan_.size());
        const Taken& taken = tree[next++];
        if (taken.feature >= 0) {
            plan_split(taken, here + 1, kNone);
            open.push_back(here);
            continue;
        }
        plan_leaf();
        if (open.empty()) {
            break;
        }
        plan_[open.back()].right = here + 1;
        open.pop_back();
    } while (next < tree.size());
    return first;
}

bool TreeMoves::restored(const Taken& now, const Taken& before) const {
    const auto& feature = problem_.table.features[static_cast<std::size_t>(now.feature)];
    return feature.restores(now.cut, before.cut);
}

// What a goal's plan takes in its rows; null if that is no choice of its state or no tree.
const TreeMoves::Planned* TreeMoves::take_planned(const PlannedGoal& goal, Taken& taken) {
    const Planned* planned = &plan_[goal.plan];
    while (planned->feature >= 0) {
        parted_ = part({rows_.data() + goal.begin, goal.size}, planned->test,
                       left_rows_.data(), right_rows_.data());
        if (parted_.n_left > 0 && parted_.n_right > 0) {
            const auto f = static_cast<std::size_t>(planned->feature);
            const Feature& feature = problem_.table.features[f];
            Cut cut;
            if (feature.plain()) {
                cut = feature.plain_cut(parted_.low, parted_.high);
            } else {
                const Rows left(left_rows_.data(), parted_.n_left);
                const Rows right(right_rows_.data(), parted_.n_right);
                if (!cut_between(feature, {&left, 1}, {&right, 1}, cut)) {
                    return nullptr;
                }
            }
            taken = {rule_of(goal.state, RuleKind::split), planned->feature, cut};
            const bool back = planned->restores == nullptr || restored(taken, *planned->restores);
            return back && taken.rule >= 0 ? planned : nullptr;
        }
        if (!planned->optional) {
            return nullptr;
        }
        planned = &plan_[parted_.n_left > 0 ? planned->left : planned->right];
    }
    taken = {rule_of(goal.state, RuleKind::leaf), kLeaf, {}};
    return taken.rule >= 0 ? planned : nullptr;
}

TreeMoves::Parted TreeMoves::part(Rows rows, RowTest test, std::uint32_t* left,
                                  std::uint32_t* right) {
    Parted out;
    const auto part = [&](auto passes) {
        for (const std::uint32_t row : rows) {
            const std::uint32_t code = test.code[row];
            const bool goes_left = passes(row);
            left[out.n_left] = row;
            right[out.n_right] = row;
            out.n_left += goes_left;
            out.n_right += !goes_left;
            out.low = std::max(out.low, goes_left ? code : 0);
            out.high = std::min(out.high, goes_left ? kNone : code);
        }
    };
    test.for_rows(part);
    return out;
}

bool TreeMoves::cut_between(const Feature& feature, RowSets left, RowSets right, Cut& out) {
    const auto rows_of = [](RowSets sets) {
        return [sets](auto use) {
            for (const Rows rows : sets) {
                std::ranges::for_each(rows, use);
            }
        };
    };
    return feature.cut_between(rows_of(left), rows_of(right), out);
}

bool TreeMoves::build(std::uint32_t at, std::uint32_t plan) {
    const ProofNode& top = old(at);
    std::ranges::copy(ascending(top), rows_.begin());
    drawn_.clear();
    goals_.assign(1, {plan, top.state, 0, top.size});
    Choice choice;
    while (!goals_.empty()) {
        const PlannedGoal goal = goals_.back();
        goals_.pop_back();
        const std::span<std::uint32_t> rows(rows_.data() + goal.begin, goal.size);
        Taken taken;
        const Planned* planned = take_planned(goal, taken);
        if (planned == nullptr || !process_.find(rows, goal.state, taken, choice)) {
            return false;
        }
        drawn_.push_back(node_of(choice, goal.state, top.begin + goal.begin, goal.size));
        if (taken.feature >= 0) {
            // The rows are parted: see take_planned.
            const std::uint32_t left = parted_.n_left;
            std::copy_n(left_rows_.begin(), left, rows.begin());
            std::copy_n(right_rows_.begin(), parted_.n_right, rows.begin() + left);
            goals_.push_back(
                {planned->right, choice.right_state, goal.begin + left, parted_.n_right});
            goals_.push_back({planned->left, choice.left_state, goal.begin, left});
        }
    }
    add_up(drawn_, rows_, problem_, leaf_, statistics_);
    return true;
}

TreeMoves::Made TreeMoves::made(std::uint32_t at, double log_forth, double log_back) {
    at_ = at;
    log_ratio_ = drawn_[0].all.log_draw - old(at).all.log_draw + log_back - log_forth;
    return Made::tree;
}

}  // namespace slp::mcmc
