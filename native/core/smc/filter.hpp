// The steps of a particle filter; the definitions are those of slp.engines.smc.particles and
// slp.engines.smc.proposals.
//
// A filter may be conditional: one of its particles makes the choices of a proof.
//
// The particles that open the same box in the same state are decided together: its rules and splits
// are found once, and one pass over its rows finds the sides of all drawn splits on a feature
// (under `optimal`: of all splits). Boxes with the same rows are one box.

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "mcmc/local_process.hpp"
#include "mcmc/proof.hpp"
#include "mcmc/randomness.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"
#include "smc/island.hpp"
#include "smc/plan.hpp"
#include "smc/sides.hpp"

namespace slp::smc {

// Outcomes of decisions: the particle grew, or it failed.
enum class ParticleOutcome : std::uint8_t { grow, dead_end, max_leaves, most_features };
using Tally = std::array<std::uint64_t, 4>;

// One for each thread.
class Filter {
public:
    Filter(const Problem& problem, const Geometry& geometry, const FilterPlan& plan);

    // Particles whose root is open.
    Island start();
    // At most n steps, fewer if the island is done. Throws OutOfBudget.
    void advance(mcmc::Randomness& random, Island& island, std::uint64_t n, Tally& tally);
    // A whole island in which one particle makes the choices of a proof of the root goal, drawn
    // given that it survives. Its memory is not limited; beyond the plan's `room` it is freed where
    // that is possible.
    Island conditional(mcmc::Randomness& random, const mcmc::Proof& proof);
    // The island in which these choices were made: events in an order in which each comes after
    // those before it, and the last event and the log weight of each particle. False if there is
    // none.
    bool restore(std::vector<Event> events, std::span<const std::uint32_t> last,
                 std::span<const double> log_weights, Island& out);

private:
    // A goal of a particle that is being decided.
    struct ParticleGoal {
        std::uint32_t particle, goal, next;  // the next of the same box and state, or kNone
        double log_factor;
        mcmc::Taken taken;
        std::int32_t left_state, right_state;
        std::uint32_t left_box, right_box;
    };
    // Goals that open the same box in the same state, in the order of the particles.
    struct Group {
        std::uint32_t box, first, last, size;
        std::int32_t state;
    };
    // Under `optimal`: an alternative at a goal.
    struct Alternative {
        mcmc::Taken taken;
        std::int32_t left_state, right_state;
    };

    // The particle of a conditional filter whose choices are those of a proof: its number, and the
    // nodes of the proof by the numbers of its goals.
    struct KeptParticle {
        const mcmc::Proof* proof = nullptr;
        std::uint32_t particle = kNone;
        std::vector<std::uint32_t> nodes;
    };

    void enter(Island& island);
    void step(mcmc::Randomness& random, Island& island, Tally& tally);
    void resample(mcmc::Randomness& random, Island& island, std::uint32_t n);
    void finish(mcmc::Randomness& random, Island& island);
    void keep_within_room(Island& island);

    void open(Island& island, std::uint32_t particle);
    void decide(mcmc::Randomness& random, Island& island, Tally& tally);
    void apply(Island& island, const ParticleGoal& goal, Tally& tally);
    static void fail(Particle& particle);
    // What is to be taken at a goal, or null.
    const mcmc::Taken* given(const ParticleGoal& goal) const;
    // Numbers the goals that the choice at a goal leads to.
    void number_kept(const ParticleGoal& goal);

    void decide_as_program(mcmc::Randomness& random, Island& island, const Group& group);
    void draw_splits(mcmc::Randomness& random, Island& island, const Group& group,
                     std::size_t rule);
    void draw_cuts(mcmc::Randomness& random, Island& island, const Group& group, std::size_t rule,
                   std::size_t f, double log_total);
    void decide_optimally(mcmc::Randomness& random, Island& island, const Group& group);
    void list_alternatives(const Island& island, const Group& group);
    // The boxes of the split drawn at a goal, if its sides are not known yet.
    void find_boxes(Island& island, const Group& group, ParticleGoal& goal);

    SharedBox::Rows list_rows(Island& island, std::uint32_t box);
    std::uint32_t box_of_side(Island& island, const Group& group, const mcmc::Taken& taken,
                              bool left, const Side& side);
    void push(const Island& island, Tree& tree, std::uint32_t box, std::int32_t state) const;
    double gain(const SharedBox& box, const Side& left, const Side& right) const;
    std::size_t next_open(const Tree& tree) const;
    bool needs_likelihood() const {
        return plan_.power != 0 || plan_.order == Order::likelihood;
    }

    const Problem& problem_;
    const Geometry& geometry_;
    const FilterPlan& plan_;
    mcmc::LocalProcess process_;
    SideFinder sides_;
    KeptParticle kept_;

    // The boxes of the present island, by key.
    struct HashOfKey {
        std::size_t operator()(const Key& key) const { return key.a; }
    };
    std::unordered_map<Key, std::uint32_t, HashOfKey> by_key_;

    // Scratch.
    std::vector<ParticleGoal> goals_;
    std::vector<Group> groups_;
    std::unordered_map<std::uint64_t, std::uint32_t> group_of_;
    std::vector<double> weights_, log_weights_, sums_;
    std::vector<std::vector<std::uint32_t>> on_feature_;  // goals, by feature
    std::vector<std::uint32_t> features_, of_rule_, chosen_;
    std::vector<Cut> cuts_;
    std::vector<mcmc::LocalSplits::OpenSplit> splits_;
    std::vector<Alternative> alternatives_;
    std::unordered_map<std::size_t, std::uint32_t> taken_by_;  // the first goal to take each
};

}  // namespace slp::smc
