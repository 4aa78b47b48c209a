#include "mcmc/mover.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace slp::mcmc {

namespace {

constexpr std::uint32_t kNoLimit = std::numeric_limits<std::uint32_t>::max();

}  // namespace

Mover::Mover(const Problem& problem, const Geometry& geometry, const TreeTests& tests,
             const std::vector<Proposal>& mixture, double most_boxes)
    : problem_(problem),
      tests_(tests),
      mixture_(mixture),
      weights_(weights_of(mixture)),
      process_(problem, geometry),
      tester_(tests, problem, geometry),
      exact_(problem, geometry, most_boxes),
      moves_(problem, geometry, process_, drawn_, rows_),
      rows_(problem.table.n_rows),
      right_rows_(problem.table.n_rows),
      marks_((problem.table.n_rows + 63) / 64),
      statistics_(problem.leaf.n_statistics()) {
    std::uint64_t n = 0;
    for (const std::uint32_t count : problem.table.counts) {
        rows_up_to_.push_back(n += count);
    }
}

// --- proposals --------------------------------------------------------------------------------

std::pair<std::size_t, Outcome> Mover::step(Randomness& random, double power, State& state) {
    return mixture_step(random, mixture_, weights_, state.turns,
                        [&](const Proposal& proposal, std::uint32_t turn) {
                            return propose(random, power, proposal, turn, state.proof);
                        });
}

std::pair<std::size_t, bool> Mover::step(Randomness& random, double power, Ladder& ladder,
                                         Tally& tally) {
    powers_.assign(1, power);
    for (const double r : ladder.spacing) {
        powers_.push_back(powers_.back() * std::exp(-std::exp(r)));
    }
    for (std::size_t j = 0; j < ladder.rungs.size(); ++j) {
        const auto [proposal, outcome] = step(random, powers_[j], ladder.rungs[j]);
        if (j == 0) {
            ++tally[proposal][static_cast<std::size_t>(outcome)];
        }
    }
    const std::size_t j = random.index(ladder.spacing.size());
    Proof& cold = ladder.rungs[j].proof;
    Proof& hot = ladder.rungs[j + 1].proof;
    const double difference = hot.all().log_likelihood - cold.all().log_likelihood;
    const bool swapped =
        accepts(random, power > 0 ? (powers_[j] - powers_[j + 1]) * difference : 0.0);
    if (swapped) {  // turns belong to the rungs, proofs move
        std::swap(cold, hot);
    }
    return {j, swapped};
}

Outcome Mover::propose(Randomness& random, double power, const Proposal& proposal,
                       std::uint32_t turn, Proof& proof) {
    const std::uint32_t n = proof.all().n_points;
    if (turn >= n && proposal.kind < ProposalKind::cgm) {
        return Outcome::stayed;
    }
    switch (proposal.kind) {
        case ProposalKind::cut_at_root: return cut(random, power, {0, false}, false, proof);
        case ProposalKind::cut_uniformly: {
            const auto number = static_cast<std::uint32_t>(random.index(n));
            return cut(random, power, point_by_number(proof.nodes, number), true, proof);
        }
        case ProposalKind::exact_subtree: return redraw_exactly(random, power, proof);
        case ProposalKind::cut_at_each:
            return cut(random, power, point_breadth_first(proof.nodes, turn, queue_), false, proof);
        default: return move_tree(random, power, proposal.kind, proof);
    }
}

// Draws a subtree anew and accepts or rejects it. After a failure the chain stays.
Outcome Mover::cut(Randomness& random, double power, Point point, bool counted, Proof& proof) {
    path_to(proof.nodes, point.node, path_);
    const Node& goal = proof.nodes[point.node];
    take_rows(proof, goal);
    if (!grow(random, goal, point.of_split ? goal.taken.rule : -1, 0.0, room(proof, goal))) {
        return Outcome::failed;
    }
    return decide(random, power, counted, false, proof);
}

// Makes a move from tree to tree; the grammar has one derivation of each.
Outcome Mover::move_tree(Randomness& random, double power, ProposalKind kind, Proof& proof) {
    switch (moves_.propose(random, power, kind, proof)) {
        case TreeMoves::Made::nothing: return Outcome::stayed;
        case TreeMoves::Made::no_tree: return Outcome::failed;
        case TreeMoves::Made::tree: break;
    }
    const std::uint32_t at = moves_.place();
    path_to(proof.nodes, at, path_);
    if (drawn_[0].all.n_leaves > room(proof, proof.nodes[at])) {
        return Outcome::failed;
    }
    return decide(random, power, false, false, proof, moves_.log_ratio());
}

// Draws the subtree of the highest goal that fits, on the path of a row of the data, from its exact
// distribution given the rest. Every goal below one that fits does, so it is the last that fits on
// the way up.
Outcome Mover::redraw_exactly(Randomness& random, double power, Proof& proof) {
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
    const Node& goal = proof.nodes[path_.back()];
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

// Accepts or rejects the drawn subtree for the end of `path_`. `counted`: the ratio of the numbers
// of choice points is in the acceptance ratio; `always`: that ratio is 1; `log_more`: the log of
// another factor of it. If a test fails, the chain stays.
Outcome Mover::decide(Randomness& random, double power, bool counted, bool always, Proof& proof,
                      double log_more) {
    if (tests_.need_tree() && !tester_.holds(candidate(proof))) {
        return Outcome::failed;
    }
    const Sums old = proof.all();
    const Sums now = sums_with(proof.nodes, path_, drawn_[0].all);
    double log_ratio = log_more;
    if (!always) {
        log_ratio += now.log_excess - old.log_excess +
                    tempered(power, now.log_likelihood - old.log_likelihood);
    }
    if (counted) {
        log_ratio +=
            std::log(static_cast<double>(old.n_points) / static_cast<double>(now.n_points));
    }
    if (!accepts(random, log_ratio)) {
        return Outcome::rejected;
    }
    if (*predicate_ && !(*predicate_)(candidate(proof))) {
        return Outcome::failed;
    }
    const std::uint32_t size = drawn_[0].size;
    replace(proof, path_, drawn_, {rows_.data(), size});
    return Outcome::accepted;
}

// Leaves that the subtree of a goal may have.
std::uint32_t Mover::room(const Proof& proof, const Node& goal) const {
    return tests_.max_leaves > 0 ? tests_.max_leaves - (proof.all().n_leaves - goal.all.n_leaves)
                                 : kNoLimit;
}

bool Mover::fits(Proof& proof, std::uint32_t position) {
    Node& node = proof.nodes[position];
    if (node.fits < 0) {
        node.fits = exact_.fits(proof.rows_of(node)) ? 1 : 0;
    }
    return node.fits == 1;
}

bool Mover::root_fits() {
    std::iota(rows_.begin(), rows_.end(), 0U);
    return exact_.fits(rows_);
}

// Positions of the goals whose boxes hold a distinct row, from the root down, into `path_`.
void Mover::path_of_row(const Proof& proof, std::uint32_t row) {
    path_.assign(1, 0);
    while (proof.nodes[path_.back()].n_parts() > 0) {
        const Node& node = proof.nodes[path_.back()];
        const std::uint32_t left = path_.back() + 1;
        const bool goes_left = node.n_parts() == 1 || test_of(node.taken).goes_left(row);
        path_.push_back(goes_left ? left : right_of(proof.nodes, left));
    }
}

const Proof& Mover::candidate(const Proof& proof) {
    candidate_.nodes.assign(proof.nodes.begin(), proof.nodes.end());
    candidate_.rows.assign(proof.rows.begin(), proof.rows.end());
    replace(candidate_, path_, drawn_, {rows_.data(), drawn_[0].size});
    return candidate_;
}

bool Mover::holds(const Proof& proof) {
    const bool few = tests_.max_leaves == 0 || proof.all().n_leaves <= tests_.max_leaves;
    return few && (!tests_.need_tree() || tester_.holds(proof)) &&
           (!*predicate_ || (*predicate_)(proof));
}

// --- drawing ----------------------------------------------------------------------------------

// Puts a goal's rows into `rows_`, ascending.
void Mover::take_rows(const Proof& proof, const Node& node) {
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
RowTest Mover::test_of(const Taken& taken) const {
    return test_in_box(problem_.table.features[static_cast<std::size_t>(taken.feature)],
                       taken.low);
}

// Makes `drawn_`, the subtree of a goal whose rows are in `rows_`. False if `choose` (rows, state,
// whether it is the goal itself -> choice) comes to a dead end, or there are more than `room`
// leaves.
template <typename Choose>
bool Mover::grow_by(const Node& goal, std::uint32_t room, Choose choose) {
    drawn_.clear();
    goals_.assign(1, {goal.state, 0, goal.size});
    std::uint32_t n_leaves = 0;
    Choice choice;
    while (!goals_.empty()) {
        if (n_leaves + goals_.size() > room) {
            return false;
        }
        const Goal next = goals_.back();
        goals_.pop_back();
        const Rows rows{rows_.data() + next.begin, next.size};
        if (!choose(rows, next.state, choice)) {
            return false;
        }
        Node& node =
            drawn_.emplace_back(node_of(choice, next.state, goal.begin + next.begin, next.size));
        if (choice.taken.feature >= 0) {
            const std::uint32_t left = part_rows({rows_.data() + next.begin, next.size},
                                                 test_of(choice.taken), right_rows_.data());
            goals_.push_back({choice.right_state, next.begin + left, next.size - left});
            goals_.push_back({choice.left_state, next.begin, left});
        } else if (choice.taken.feature == kCall) {
            goals_.push_back({choice.left_state, next.begin, next.size});
        } else {
            ++n_leaves;
            node.own.n_leaves = 1;
            problem_.leaf.sum(rows, statistics_.data());
            node.own.log_likelihood = problem_.leaf.log_marginal(statistics_.data());
        }
    }
    for (std::size_t i = drawn_.size(); i-- > 0;) {
        add_up(drawn_, static_cast<std::uint32_t>(i));
    }
    return true;
}

bool Mover::grow(Randomness& random, const Node& goal, std::int32_t rule, double end_early,
                 std::uint32_t room) {
    return grow_by(goal, room, [&](Rows rows, std::int32_t state, Choice& out) {
        return process_.draw(random, rows, state, std::exchange(rule, -1), end_early, out);
    });
}

bool Mover::draw(Randomness& random, double end_early, Proof& out) {
    std::iota(rows_.begin(), rows_.end(), 0U);
    Node root;
    root.state = problem_.grammar.start;
    root.size = problem_.table.n_rows;
    if (!grow(random, root, -1, end_early, kNoLimit)) {
        return false;
    }
    out = {drawn_, rows_};
    return true;
}

// Makes a proof of the root goal, one of the choices given taken at each goal, in preorder, by
// `choose` (rows, state, what is taken -> choice). False if it refuses one, or their number is not
// that of the goals.
template <typename Choose>
bool Mover::build_by(std::span<const Taken> choices, Proof& out, Choose choose) {
    std::iota(rows_.begin(), rows_.end(), 0U);
    Node root;
    root.state = problem_.grammar.start;
    root.size = problem_.table.n_rows;
    std::size_t next = 0;
    const bool made = grow_by(root, kNoLimit, [&](Rows rows, std::int32_t state, Choice& so) {
        return next < choices.size() && choose(rows, state, choices[next++], so);
    });
    if (!made || next != choices.size()) {
        return false;
    }
    out = {drawn_, rows_};
    return true;
}

bool Mover::build(std::span<const Taken> choices, Proof& out) {
    return build_by(choices, out,
                    [&](Rows rows, std::int32_t state, const Taken& taken, Choice& so) {
                        return process_.find(rows, state, taken, so);
                    });
}

bool Mover::build_tree(std::span<const Taken> nodes, Proof& out) {
    const auto n_features = static_cast<std::int32_t>(problem_.table.features.size());
    return build_by(nodes, out, [&](Rows, std::int32_t, const Taken& taken, Choice& so) {
        so = Choice{};
        so.taken = taken;
        return taken.feature < n_features && taken.feature != kCall;
    });
}

}  // namespace slp::mcmc
