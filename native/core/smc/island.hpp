// An island of particles as a value: copies are cheap, and share what they have in common.
//
// A particle is a derivation that is being grown (slp.reference.smc.filter). The choices made are a
// linked list of events, each of which names the one before it, so particles that were drawn from
// the same particle share its events. Its open goals are copied only when one of them is decided
// (`Tree` is copied on writing). The boxes of open goals are shared by all particles; the rows of a
// box are listed when it is first opened.

#pragma once

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "mcmc/local_process.hpp"
#include "problem/geometry.hpp"
#include "smc/plan.hpp"

namespace slp::smc {

// A choice made at a goal of a particle. Goals are numbered as they are made.
struct Event {
    std::uint32_t before, goal;
    mcmc::Taken taken;
};

struct OpenGoal {
    // Goals of low priority, then of low number, are opened first.
    double priority;
    std::uint32_t number, box;
    std::int32_t state;
};

struct SharedBox {
    using Rows = std::shared_ptr<const std::vector<std::uint32_t>>;
    Key key;
    Sizes sizes = 0;
    double log_marginal = 0.0;
    // Null until they are listed; by then `parent` has its own.
    Rows rows;
    // The box whose side it is, and by which split.
    std::uint32_t parent = kNone, feature = 0;
    Cut cut{};
    bool left = false, in_use = true;
};

// The open goals of a particle.
struct Tree {
    std::vector<OpenGoal> open;
    // The number of goals made, and the features used if these are limited.
    std::uint32_t made = 0, n_leaves = 0;
    std::vector<std::uint32_t> features;
};

struct Particle {
    double log_weight = 0.0;
    std::uint32_t last = kNone;  // event
    std::shared_ptr<Tree> tree;

    bool failed() const { return log_weight == -INFINITY; }
    // Whether it is a whole derivation.
    bool whole() const { return tree->open.empty() && !failed(); }
    // The tree, to be changed.
    Tree& own() {
        if (tree.use_count() > 1) {
            tree = std::make_shared<Tree>(*tree);
        }
        return *tree;
    }
};

// The part of the sampler's budget that an island uses, until the island is destroyed.
class IslandMemory {
public:
    using Used = std::atomic<std::size_t>;
    explicit IslandMemory(std::shared_ptr<Used> used) : used_(std::move(used)) {}
    ~IslandMemory() { set(0); }
    IslandMemory(const IslandMemory&) = delete;
    IslandMemory& operator=(const IslandMemory&) = delete;

    // Returns the bytes of all islands together.
    std::size_t set(std::size_t bytes) {
        const std::size_t before = std::exchange(bytes_, bytes);
        return used_->fetch_add(bytes - before) + (bytes - before);  // modulo 2^64
    }

private:
    std::shared_ptr<Used> used_;
    std::size_t bytes_ = 0;
};

struct Island {
    std::shared_ptr<IslandMemory> share;
    std::vector<Particle> particles;
    std::vector<Event> events;
    // By number; those not in use are listed in `unused`, to be used again.
    std::vector<SharedBox> boxes;
    std::vector<std::uint32_t> unused;
    // Events and boxes that were in use when last counted.
    std::size_t events_in_use = 0, boxes_in_use = 0;

    bool done() const;
    // Its bytes, without the overhead of the allocator.
    std::size_t bytes() const;
    // Frees events and boxes that no particle needs.
    void forget_events();
    void forget_boxes();
    // The choices of a whole particle in preorder.
    std::vector<mcmc::Taken> choices(const Particle& particle) const;
};

// The number of goals that a choice leads to.
inline std::uint32_t n_parts(const mcmc::Taken& taken) {
    return taken.feature >= 0 ? 2 : taken.feature == mcmc::kCall ? 1 : 0;
}

}  // namespace slp::smc
