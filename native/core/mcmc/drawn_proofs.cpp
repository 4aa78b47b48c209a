// What the transitions draw: rows, proofs and subtrees.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

#include "mcmc/transitions.hpp"

namespace slp::mcmc {

// Puts a goal's rows into `rows_`, ascending.
void ProofTransitions::take_rows(const Proof& proof, const ProofNode& node) {
    const Rows rows = proof.rows_of(node);
    if (rows.size() == problem_.table.n_rows) {
        std::iota(rows_.begin(), rows_.end(), 0U);
        return;
    }
    if (node.n_parts() == 0 || rows.size() < marks_.size() / 4) {
        std::copy(rows.begin(), rows.end(), rows_.begin());
        if (node.n_parts() != 0) {
            std::sort(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(rows.size()));
        }
        return;
    }
    for (const std::uint32_t row : rows) {
        marks_[row / 64] |= std::uint64_t{1} << (row % 64);
    }
    std::uint32_t* out = rows_.data();
    for (std::size_t w = 0; w < marks_.size(); ++w) {
        for (std::uint64_t bits = marks_[w]; bits != 0; bits &= bits - 1) {
            *out++ = static_cast<std::uint32_t>(w * 64) +
                     static_cast<std::uint32_t>(std::countr_zero(bits));
        }
        marks_[w] = 0;
    }
}

// The test of a split on the rows of its box.
RowTest ProofTransitions::test_of(const Taken& taken) const {
    return problem_.table.features[static_cast<std::size_t>(taken.feature)].test(taken.cut);
}

// Makes `drawn_`, the subtree of a goal whose rows are in `rows_`. False if `choose` (rows, state,
// whether it is the goal itself -> choice) comes to a dead end, or there are more than `room`
// leaves.
template <typename Choose>
bool ProofTransitions::grow_by(const ProofNode& goal, std::uint32_t room, Choose choose) {
    drawn_.clear();
    goals_.assign(1, {goal.state, 0, goal.size});
    std::uint32_t n_leaves = 0;
    Choice choice;
    while (!goals_.empty()) {
        if (n_leaves + goals_.size() > room) {
            return false;
        }
        const GoalToGrow next = goals_.back();
        goals_.pop_back();
        const Rows rows{rows_.data() + next.begin, next.size};
        if (!choose(rows, next.state, choice)) {
            return false;
        }
        drawn_.push_back(node_of(choice, next.state, goal.begin + next.begin, next.size));
        if (choice.taken.feature >= 0) {
            const std::uint32_t left = part_rows({rows_.data() + next.begin, next.size},
                                                 test_of(choice.taken), right_rows_.data());
            goals_.push_back({choice.right_state, next.begin + left, next.size - left});
            goals_.push_back({choice.left_state, next.begin, left});
        } else if (choice.taken.feature == kCall) {
            goals_.push_back({choice.left_state, next.begin, next.size});
        } else {
            ++n_leaves;
        }
    }
    add_up(drawn_, rows_, problem_, leaf_, statistics_);
    return true;
}

bool ProofTransitions::grow(Randomness& random, const ProofNode& goal, std::int32_t rule,
                            double end_early, std::uint32_t room) {
    return grow_by(goal, room, [&](Rows rows, std::int32_t state, Choice& out) {
        return process_.draw(random, rows, state, std::exchange(rule, -1), end_early, out);
    });
}

bool ProofTransitions::draw(Randomness& random, double end_early, Proof& out) {
    std::iota(rows_.begin(), rows_.end(), 0U);
    ProofNode root;
    root.state = problem_.grammar.start;
    root.size = problem_.table.n_rows;
    if (!grow(random, root, -1, end_early, kNoLimit)) {
        return false;
    }
    out = {drawn_, rows_};
    return true;
}

bool ProofTransitions::fresh(Randomness& random, std::uint32_t tries, State& state) {
    for (std::uint32_t i = 0; i < tries; ++i) {
        if (draw(random, 0.0, fresh_) && accepts(random, fresh_.all().log_excess) &&
            holds(fresh_)) {
            std::swap(state.proof, fresh_);
            return true;
        }
    }
    return false;
}

// Makes a proof of the root goal, one of the choices given taken at each goal, in preorder, by
// `choose` (rows, state, what is taken -> choice). False if it refuses one, or their number is not
// that of the goals.
template <typename Choose>
bool ProofTransitions::build_by(std::span<const Taken> choices, Proof& out, Choose choose) {
    std::iota(rows_.begin(), rows_.end(), 0U);
    ProofNode root;
    root.state = problem_.grammar.start;
    root.size = problem_.table.n_rows;
    std::size_t next = 0;
    const bool made = grow_by(root, kNoLimit, [&](Rows rows, std::int32_t state, Choice& choice) {
        return next < choices.size() && choose(rows, state, choices[next++], choice);
    });
    if (!made || next != choices.size()) {
        return false;
    }
    out = {drawn_, rows_};
    return true;
}

bool ProofTransitions::build(std::span<const Taken> choices, Proof& out) {
    return build_by(choices, out,
                    [&](Rows rows, std::int32_t state, const Taken& taken, Choice& choice) {
                        return process_.find(rows, state, taken, choice);
                    });
}

bool ProofTransitions::build_tree(std::span<const Taken> nodes, Proof& out) {
    const auto n_features = static_cast<std::int32_t>(problem_.table.features.size());
    return build_by(nodes, out, [&](Rows, std::int32_t, const Taken& taken, Choice& choice) {
        choice = Choice{};
        choice.taken = taken;
        return taken.feature < n_features && taken.feature != kCall;
    });
}

// --- exact subtrees ---------------------------------------------------------------------------

// Draws the subtree of the highest goal that fits, on the path of a row of the data, from its exact
// distribution given the rest. Every goal below one that fits does, so it is the last that fits on
// the way up.
Outcome ProofTransitions::redraw_exactly(Randomness& random, double power, Proof& proof) {
    const std::uint64_t number = random.index(rows_up_to_.back());
    const auto row = std::upper_bound(rows_up_to_.begin(), rows_up_to_.end(), number);
    path_of_row(proof, static_cast<std::uint32_t>(row - rows_up_to_.begin()));
    std::size_t below = path_.size();
    while (below > 0 && fits(proof, path_[below - 1])) {
        --below;
    }
    if (below == path_.size()) {
        return Outcome::stayed;
    }
    path_.resize(below + 1);
    const ProofNode& goal = proof.nodes[path_.back()];
    take_rows(proof, goal);
    exact_.prepare({rows_.data(), goal.size}, goal.state, power);
    Taken taken;
    if (!grow_by(goal, room(proof, goal), [&](Rows rows, std::int32_t state, Choice& out) {
            return exact_.draw(random, rows, state, taken) &&
                   process_.find(rows, state, taken, out);
        })) {
        return Outcome::failed;
    }
    return decide(random, power, false, true, proof);
}

bool ProofTransitions::fits(Proof& proof, std::uint32_t position) {
    ProofNode& node = proof.nodes[position];
    if (node.fits < 0) {
        node.fits = exact_.fits(proof.rows_of(node)) ? 1 : 0;
    }
    return node.fits == 1;
}

bool ProofTransitions::root_fits() {
    std::iota(rows_.begin(), rows_.end(), 0U);
    return exact_.fits(rows_);
}

// Positions of the goals whose boxes hold a distinct row, from the root down, into `path_`.
void ProofTransitions::path_of_row(const Proof& proof, std::uint32_t row) {
    path_.assign(1, 0);
    while (proof.nodes[path_.back()].n_parts() > 0) {
        const ProofNode& node = proof.nodes[path_.back()];
        const std::uint32_t left = path_.back() + 1;
        const bool goes_left = node.n_parts() == 1 || test_of(node.taken).goes_left(row);
        path_.push_back(goes_left ? left : right_of(proof.nodes, left));
    }
}

}  // namespace slp::mcmc
