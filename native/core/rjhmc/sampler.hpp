// What chains over soft trees share: the data, the prior of topologies, and the movers of threads.

#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "object_pool.hpp"
#include "rjhmc/chain.hpp"

namespace slp::rjhmc {

class Sampler {
public:
    // `problem` must outlive it.
    Sampler(const Problem& problem, Data data, const Plan& plan, std::uint32_t max_leaves)
        : data_(std::move(data)),
          prior_(problem, data_.soft_index(), max_leaves),
          movers_([this, plan] { return std::make_unique<Mover>(data_, prior_, plan); }) {}

    const Data& data() const { return data_; }
    const TopologyPrior& prior() const { return prior_; }

    Chain start(Random& random) {
        return movers_.lend([&](Mover& mover) { return mover.start(random); });
    }
    // The chain after n steps; `jumps`: false for HMC at its topology alone.
    Chain advance(const Chain& chain, Random& random, std::uint64_t n, bool warm_up, bool jumps,
                  Tally& tally) {
        return movers_.lend([&](Mover& mover) {
            Chain out = chain;
            if (jumps) {
                mover.advance(out, random, n, warm_up, tally);
            } else {
                mover.stay(out, random, n, warm_up, tally);
            }
            return out;
        });
    }
    std::array<double, 3> score(const SoftTree& tree) {
        return movers_.lend([&](Mover& mover) { return mover.score(tree); });
    }
    double log_density(const SoftTree& tree, std::span<double> gradient) {
        return movers_.lend([&](Mover& mover) {
            return mover.model().log_density(tree.nodes, tree.q, gradient);
        });
    }

private:
    Data data_;
    TopologyPrior prior_;
    ObjectPool<Mover> movers_;
};

}  // namespace slp::rjhmc
