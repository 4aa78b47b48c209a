#include "mcmc/transitions.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace slp::mcmc {

namespace {

// Bytes that a filter may take before it frees what it can: for each row of each particle (open
// goals, and the goals above them), and in addition.
constexpr std::size_t kBytesPerRow = 16, kBytesOfFilter = std::size_t{1} << 20;

}  // namespace

ProofTransitions::ProofTransitions(const Problem& problem, const Geometry& geometry,
                                   const TreeTests& tests, const std::vector<Proposal>& mixture,
                                   double most_boxes, const LeafModel& leaf)
    : problem_(problem),
      geometry_(geometry),
      leaf_(leaf),
      tests_(tests),
      mixture_(mixture),
      process_(problem, geometry),
      tester_(tests, problem),
      exact_(problem, geometry, most_boxes),
      moves_(problem, geometry, leaf, process_, drawn_, rows_),
      rows_(problem.table.n_rows),
      right_rows_(problem.table.n_rows),
      marks_((problem.table.n_rows + 63) / 64),
      statistics_(leaf.n_statistics()) {
    std::uint64_t n = 0;
    for (const std::uint32_t count : problem.table.counts) {
        rows_up_to_.push_back(n += count);
    }
}

void ProofTransitions::weigh(std::span<const double> feature_weights) {
    const std::span<const double> own =
        feature_weights.empty() ? problem_.grammar.feature_weights : feature_weights;
    if (!std::ranges::equal(own, process_.splits().feature_weights())) {
        process_.splits().weigh(own);
        moves_.forget();
    }
}

std::vector<std::uint8_t> ProofTransitions::taken_over(const Proof& proof) {
    std::vector<std::uint8_t> out;
    for (const ProofNode& node : proof.nodes) {
        if (node.taken.feature >= 0) {
            process_.enter(proof.rows_of(node), node.state);
            process_.splits().append_taken_over(static_cast<std::size_t>(node.taken.rule), out);
        }
    }
    return out;
}

// --- proposals --------------------------------------------------------------------------------

std::pair<std::size_t, Outcome> ProofTransitions::step(Randomness& random, double power,
                                                       State& state) {
    if (power != power_of_weights_) {
        weights_ = weights_at(mixture_, power);
        power_of_weights_ = power;
    }
    return mixture_step(random, mixture_, weights_, state.turns,
                        [&](const Proposal& proposal, std::uint32_t turn) {
                            return propose(random, power, proposal, turn, state.proof);
                        });
}

Outcome ProofTransitions::propose(Randomness& random, double power, const Proposal& proposal,
                                  std::uint32_t turn, Proof& proof) {
    const std::uint32_t n = proof.all().n_points;
    if (turn >= n && proposal.kind < ProposalKind::cgm) {
        return Outcome::stayed;
    }
    switch (proposal.kind) {
        case ProposalKind::cut_at_root: return cut(random, power, {0, false}, false, proof);
        case ProposalKind::cut_uniformly: {
            const auto number = static_cast<std::uint32_t>(random.index(n));
            return cut(random, power, point_in_sequence(proof.nodes, number), true, proof);
        }
        case ProposalKind::cut_sequence_uniformly: {
            const auto number = static_cast<std::uint32_t>(random.index(n));
            return cut_sequence(random, power, point_in_sequence(proof.nodes, number), true,
                                proof);
        }
        case ProposalKind::cut_sequence_at_each:
            return cut_sequence(random, power, point_in_sequence(proof.nodes, turn), false, proof);
        case ProposalKind::particle_gibbs:
            return redraw_by_particles(random, power, proposal.filter, proof);
        case ProposalKind::exact_subtree: return redraw_exactly(random, power, proof);
        case ProposalKind::cut_at_each:
            return cut(random, power, point_breadth_first(proof.nodes, turn, queue_), false, proof);
        default: return move_tree(random, power, proposal.kind, proof);
    }
}

// Draws a subtree anew and accepts or rejects it. After a failure the chain stays.
Outcome ProofTransitions::cut(Randomness& random, double power, Point point, bool counted,
                              Proof& proof) {
    path_to(proof.nodes, point.node, path_);
    const ProofNode& goal = proof.nodes[point.node];
    take_rows(proof, goal);
    if (!grow(random, goal, point.of_split ? goal.taken.rule : -1, 0.0, room(proof, goal))) {
        return Outcome::failed;
    }
    return decide(random, power, counted, false, proof);
}

// Draws anew what the sequence of choices has from a point on: the subtree of the point's goal, and
// on the way up all right parts of goals whose left part holds the point.
Outcome ProofTransitions::cut_sequence(Randomness& random, double power, Point point, bool counted,
                                       Proof& proof) {
    candidate_.nodes.assign(proof.nodes.begin(), proof.nodes.end());
    candidate_.rows.assign(proof.rows.begin(), proof.rows.end());
    path_to(proof.nodes, point.node, queue_);
    bool made = redraw(random, point.node,
                       point.of_split ? proof.nodes[point.node].taken.rule : -1);
    for (std::size_t i = queue_.size() - 1; made && i-- > 0;) {
        const std::uint32_t left = queue_[i] + 1;
        if (candidate_.nodes[queue_[i]].n_parts() == 2 && queue_[i + 1] == left) {
            made = redraw(random, right_of(candidate_.nodes, left), -1);
        }
    }
    const bool few =
        tests_.max_leaves == 0 || candidate_.all().n_leaves <= tests_.max_leaves;
    if (!made || !few || (tests_.need_tree() && !tester_.holds(candidate_))) {
        return Outcome::failed;
    }
    if (!accepts(random, log_ratio(candidate_.all(), proof.all(), power, counted))) {
        return Outcome::rejected;
    }
    if (*predicate_ && !(*predicate_)(candidate_)) {
        return Outcome::failed;
    }
    std::swap(proof, candidate_);
    return Outcome::accepted;
}

// Draws the subtree at a position of the candidate anew; false at a dead end.
bool ProofTransitions::redraw(Randomness& random, std::uint32_t position, std::int32_t rule) {
    const ProofNode& goal = candidate_.nodes[position];
    take_rows(candidate_, goal);
    if (!grow(random, goal, rule, 0.0, tests_.max_leaves > 0 ? tests_.max_leaves : kNoLimit)) {
        return false;
    }
    path_to(candidate_.nodes, position, path_);
    replace(candidate_, path_, drawn_, {rows_.data(), drawn_[0].size});
    return true;
}

// Draws one of the particles of a conditional filter. A particle that breaks a test is left out
// when it is drawn, and another is drawn. So the others have the same probabilities as if it had
// been left out before.
Outcome ProofTransitions::redraw_by_particles(Randomness& random, double power,
                                              const smc::FilterPlan& filter, Proof& proof) {
    plan_ = filter;
    plan_.power = power;
    plan_.max_leaves = tests_.max_leaves;
    plan_.most_features = tests_.most_features;
    plan_.room = kBytesOfFilter + kBytesPerRow * problem_.table.n_rows * plan_.n;
    if (!filter_) {
        filter_ = std::make_unique<smc::Filter>(problem_, geometry_, plan_);
    }
    const smc::Island island = filter_->conditional(random, proof);
    double top = -INFINITY;
    for (const smc::Particle& particle : island.particles) {
        top = std::max(top, particle.log_weight);
    }
    std::vector<double> weights;
    for (const smc::Particle& particle : island.particles) {
        weights.push_back(std::exp(particle.log_weight - top));
    }
    while (true) {
        const std::size_t i = random.among(weights);
        const std::vector<Taken> choices = island.choices(island.particles[i]);
        if (std::ranges::equal(choices, proof.nodes, {}, {}, &ProofNode::taken)) {
            return Outcome::rejected;
        }
        build(choices, fresh_);
        if (!tests_.need_tree() || tester_.holds(fresh_)) {
            if (*predicate_ && !(*predicate_)(fresh_)) {
                return Outcome::failed;
            }
            std::swap(proof, fresh_);
            return Outcome::accepted;
        }
        weights[i] = 0.0;
    }
}

// Makes a move from tree to tree; the grammar has one derivation of each.
Outcome ProofTransitions::move_tree(Randomness& random, double power, ProposalKind kind,
                                    Proof& proof) {
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

// Accepts or rejects the drawn subtree for the end of `path_`. `counted`: the ratio of the numbers
// of choice points is in the acceptance ratio; `always`: that ratio is 1; `log_more`: the log of
// another factor of it. If a test fails, the chain stays.
Outcome ProofTransitions::decide(Randomness& random, double power, bool counted, bool always,
                                 Proof& proof, double log_more) {
    if (tests_.need_tree() && !tester_.holds(candidate(proof))) {
        return Outcome::failed;
    }
    const Sums now = sums_with(proof.nodes, path_, drawn_[0].all);
    if (!accepts(random,
                 log_more + (always ? 0.0 : log_ratio(now, proof.all(), power, counted)))) {
        return Outcome::rejected;
    }
    if (*predicate_ && !(*predicate_)(candidate(proof))) {
        return Outcome::failed;
    }
    const std::uint32_t size = drawn_[0].size;
    replace(proof, path_, drawn_, {rows_.data(), size});
    return Outcome::accepted;
}

// Log of the acceptance ratio of a cut. `counted`: the point was drawn among all of them.
double ProofTransitions::log_ratio(const Sums& now, const Sums& old, double power, bool counted) {
    double out = now.log_excess - old.log_excess +
                 tempered(power, now.log_likelihood - old.log_likelihood);
    if (counted) {
        out += std::log(static_cast<double>(old.n_points) / static_cast<double>(now.n_points));
    }
    return out;
}

// Leaves that the subtree of a goal may have.
std::uint32_t ProofTransitions::room(const Proof& proof, const ProofNode& goal) const {
    return tests_.max_leaves > 0 ? tests_.max_leaves - (proof.all().n_leaves - goal.all.n_leaves)
                                 : kNoLimit;
}

const Proof& ProofTransitions::candidate(const Proof& proof) {
    candidate_.nodes.assign(proof.nodes.begin(), proof.nodes.end());
    candidate_.rows.assign(proof.rows.begin(), proof.rows.end());
    replace(candidate_, path_, drawn_, {rows_.data(), drawn_[0].size});
    return candidate_;
}

bool ProofTransitions::holds(const Proof& proof) {
    const bool few = tests_.max_leaves == 0 || proof.all().n_leaves <= tests_.max_leaves;
    return few && (!tests_.need_tree() || tester_.holds(proof)) &&
           (!*predicate_ || (*predicate_)(proof));
}

}  // namespace slp::mcmc
