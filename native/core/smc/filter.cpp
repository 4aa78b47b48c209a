#include "smc/filter.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "budget.hpp"
#include "log_sum.hpp"
#include "smc/resampling.hpp"

namespace slp::smc {

namespace {

// Unused events and boxes are freed when there are twice as many as were last in use, plus this
// many.
constexpr std::size_t kSlack = 4096;
// Steps between two checks of the memory.
constexpr std::uint64_t kStepsPerLook = 16;

}  // namespace

Filter::Filter(const Problem& problem, const Geometry& geometry, const FilterPlan& plan)
    : problem_(problem),
      geometry_(geometry),
      plan_(plan),
      process_(problem, geometry),
      sides_(problem, geometry),
      on_feature_(problem.table.features.size()) {}

// --- islands ----------------------------------------------------------------------------------

Island Filter::start() {
    const Box root = geometry_.root();
    std::vector<double> statistics(problem_.leaf.n_statistics());
    problem_.leaf.sum(root.rows, statistics.data());
    Island out;
    SharedBox box;
    box.key = root.key;
    box.sizes = root.sizes;
    box.log_marginal = problem_.leaf.log_marginal(statistics.data());
    box.rows =
        std::make_shared<std::vector<std::uint32_t>>(root.rows.begin(), root.rows.end());
    out.boxes.push_back(box);
    Particle particle;
    particle.log_weight = plan_.power != 0 ? plan_.power * box.log_marginal : 0.0;
    particle.tree = std::make_shared<Tree>();
    push(out, *particle.tree, 0, problem_.grammar.start);
    out.particles.assign(plan_.n, particle);
    return out;
}

void Filter::enter(Island& island) {
    by_key_.clear();
    for (std::uint32_t b = 0; b < island.boxes.size(); ++b) {
        if (island.boxes[b].in_use) {
            by_key_.emplace(island.boxes[b].key, b);
        }
    }
}

void Filter::advance(mcmc::Randomness& random, Island& island, std::uint64_t n, Tally& tally) {
    enter(island);
    for (std::uint64_t i = 0; i < n && !island.done(); ++i) {
        step(random, island, tally);
        if (i % kStepsPerLook == 0) {
            keep_within_room(island);
        }
    }
}

void Filter::keep_within_room(Island& island) {
    const auto is_full = [&] {
        return island.share->set(island.bytes()) + problem_.table.bytes_of_orders() > plan_.room;
    };
    const bool full = is_full();
    if (full || island.events.size() > 2 * island.events_in_use + kSlack) {
        island.forget_events();
    }
    if (full || island.boxes.size() - island.unused.size() > 2 * island.boxes_in_use + kSlack) {
        island.forget_boxes();
        enter(island);
    }
    if (full && is_full() && kept_.proof == nullptr) {
        throw OutOfBudget();
    }
}

void Filter::step(mcmc::Randomness& random, Island& island, Tally& tally) {
    log_weights_.clear();
    for (const Particle& particle : island.particles) {
        log_weights_.push_back(particle.log_weight);
    }
    if (effective_size(log_weights_) < plan_.ess * plan_.n) {
        resample(random, island, plan_.n);
    }
    std::vector<std::uint32_t> ends;  // under `layer`: goals from here on are of the next layer
    if (plan_.order == Order::layer) {
        for (const Particle& particle : island.particles) {
            ends.push_back(particle.tree->made);
        }
    }
    do {
        goals_.clear();
        groups_.clear();
        group_of_.clear();
        for (std::uint32_t p = 0; p < island.particles.size(); ++p) {
            const Tree& tree = *island.particles[p].tree;
            if (!tree.open.empty() && (ends.empty() || tree.open.front().number < ends[p])) {
                open(island, p);
            }
        }
        decide(random, island, tally);
    } while (!ends.empty() && !goals_.empty());
    if (island.done()) {
        finish(random, island);
    }
}

// `log_weights_` holds the log weights of the particles.
void Filter::resample(mcmc::Randomness& random, Island& island, std::uint32_t n) {
    const double share = log_sum(log_weights_) - std::log(static_cast<double>(n));
    std::vector<Particle> drawn;
    const Resampled found = resampled(random, plan_.scheme, log_weights_, n, kept_.particle);
    for (const std::uint32_t i : found.particles) {
        drawn.push_back(island.particles[i]);
        drawn.back().log_weight = share;
    }
    island.particles = std::move(drawn);
    kept_.particle = found.place;
}

// At the end, particles of the same events are merged. If there are still too many, some of them
// are drawn.
void Filter::finish(mcmc::Randomness& random, Island& island) {
    std::unordered_map<std::uint32_t, std::size_t> place;
    std::vector<Particle> distinct;
    std::vector<std::vector<double>> weights;
    for (const Particle& particle : island.particles) {
        if (particle.failed()) {
            continue;
        }
        const auto [at, is_new] = place.emplace(particle.last, distinct.size());
        if (is_new) {
            distinct.push_back(particle);
            weights.emplace_back();
        }
        weights[at->second].push_back(particle.log_weight);
    }
    log_weights_.clear();
    for (std::size_t i = 0; i < distinct.size(); ++i) {
        log_weights_.push_back(distinct[i].log_weight = log_sum(weights[i]));
    }
    island.particles = std::move(distinct);
    if (island.particles.size() > plan_.kept) {
        resample(random, island, plan_.kept);
    }
    island.forget_events();
    island.boxes.clear();
    island.unused.clear();
    island.share->set(island.bytes());
}

// --- one goal of each particle ----------------------------------------------------------------

std::size_t Filter::next_open(const Tree& tree) const {
    if (plan_.order != Order::likelihood) {
        return 0;  // they stand in the order of their numbers
    }
    const auto before = [](const OpenGoal& a, const OpenGoal& b) {
        return a.priority != b.priority ? a.priority < b.priority : a.number < b.number;
    };
    const auto at = std::min_element(tree.open.begin(), tree.open.end(), before);
    return static_cast<std::size_t>(at - tree.open.begin());
}

// Takes the next goal of a particle out, as one of its group.
void Filter::open(Island& island, std::uint32_t particle) {
    Tree& tree = island.particles[particle].own();
    const auto at = tree.open.begin() + static_cast<std::ptrdiff_t>(next_open(tree));
    const OpenGoal goal = *at;
    tree.open.erase(at);
    const auto index = static_cast<std::uint32_t>(goals_.size());
    ParticleGoal out{};
    out.particle = particle;
    out.goal = goal.number;
    out.next = kNone;
    goals_.push_back(out);
    const std::uint64_t place =
        std::uint64_t{goal.box} << 32 | static_cast<std::uint32_t>(goal.state);
    const auto [found, is_new] =
        group_of_.emplace(place, static_cast<std::uint32_t>(groups_.size()));
    if (is_new) {
        groups_.push_back({goal.box, index, index, 1, goal.state});
        return;
    }
    Group& group = groups_[found->second];
    goals_[group.last].next = index;
    group.last = index;
    ++group.size;
}

void Filter::decide(mcmc::Randomness& random, Island& island, Tally& tally) {
    for (const Group& group : groups_) {
        const SharedBox::Rows rows = list_rows(island, group.box);
        if (!process_.enter(*rows, group.state)) {
            for (std::uint32_t i = group.first; i != kNone; i = goals_[i].next) {
                fail(island.particles[goals_[i].particle]);
                ++tally[static_cast<std::size_t>(ParticleOutcome::dead_end)];
            }
            continue;
        }
        if (plan_.proposal == ParticleProposal::optimal) {
            decide_optimally(random, island, group);
        } else {
            decide_as_program(random, island, group);
        }
        for (std::uint32_t i = group.first; i != kNone; i = goals_[i].next) {
            apply(island, goals_[i], tally);
        }
    }
}

void Filter::fail(Particle& particle) {
    particle.log_weight = -INFINITY;
    particle.own().open.clear();
}

void Filter::apply(Island& island, const ParticleGoal& goal, Tally& tally) {
    Particle& particle = island.particles[goal.particle];
    Tree& tree = *particle.tree;  // its own since it was opened
    particle.log_weight += goal.log_factor;
    island.events.push_back({particle.last, goal.goal, goal.taken});
    particle.last = static_cast<std::uint32_t>(island.events.size() - 1);
    const std::uint32_t parts = n_parts(goal.taken);
    if (parts > 0) {
        push(island, tree, goal.left_box, goal.left_state);
    }
    if (parts > 1) {
        push(island, tree, goal.right_box, goal.right_state);
        const auto f = static_cast<std::uint32_t>(goal.taken.feature);
        if (plan_.most_features > 0 &&
            std::find(tree.features.begin(), tree.features.end(), f) == tree.features.end()) {
            tree.features.push_back(f);
        }
    }
    tree.n_leaves += parts == 0;
    ParticleOutcome end = ParticleOutcome::grow;
    if (plan_.max_leaves > 0 && tree.n_leaves + tree.open.size() > plan_.max_leaves) {
        end = ParticleOutcome::max_leaves;
    } else if (plan_.most_features > 0 && tree.features.size() > plan_.most_features) {
        end = ParticleOutcome::most_features;
    }
    if (end != ParticleOutcome::grow) {
        fail(particle);
    }
    ++tally[static_cast<std::size_t>(end)];
    if (given(goal) != nullptr) {
        number_kept(goal);
    }
}

void Filter::push(const Island& island, Tree& tree, std::uint32_t box, std::int32_t state) const {
    const bool by_likelihood = plan_.order == Order::likelihood;
    const double priority = by_likelihood ? island.boxes[box].log_marginal : 0.0;
    tree.open.push_back({priority, tree.made++, box, state});
}

// --- boxes ------------------------------------------------------------------------------------

SharedBox::Rows Filter::list_rows(Island& island, std::uint32_t number) {
    SharedBox& box = island.boxes[number];
    if (!box.rows) {
        const RowTest test = problem_.table.features[box.feature].test(box.cut);
        auto rows = std::make_shared<std::vector<std::uint32_t>>();
        rows->reserve(distinct_rows(box.sizes));
        for (const std::uint32_t row : *island.boxes[box.parent].rows) {
            if (test.goes_left(row) == box.left) {
                rows->push_back(row);
            }
        }
        box.rows = std::move(rows);
    }
    return box.rows;
}

std::uint32_t Filter::box_of_side(Island& island, const Group& group, const mcmc::Taken& taken,
                                  bool left, const Side& side) {
    std::uint32_t number = island.unused.empty()
                               ? static_cast<std::uint32_t>(island.boxes.size())
                               : island.unused.back();
    const auto [found, is_new] = by_key_.emplace(side.key, number);
    if (!is_new) {
        return found->second;
    }
    if (island.unused.empty()) {
        island.boxes.emplace_back();
    } else {
        island.unused.pop_back();
    }
    SharedBox& box = island.boxes[number];
    box = SharedBox{};
    box.key = side.key;
    box.sizes = side.sizes;
    box.log_marginal = side.log_marginal;
    box.parent = group.box;
    box.feature = static_cast<std::uint32_t>(taken.feature);
    box.cut = taken.cut;
    box.left = left;
    return number;
}

double Filter::gain(const SharedBox& box, const Side& left, const Side& right) const {
    return plan_.power == 0
               ? 0.0
               : plan_.power * (left.log_marginal + right.log_marginal - box.log_marginal);
}

}  // namespace slp::smc
