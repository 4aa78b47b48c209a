// What chains over soft trees share: the data, the prior of topologies, and the transitions that
// their threads borrow.

#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "object_pool.hpp"
#include "rjhmc/chain.hpp"

namespace slp::rjhmc {

class SoftTreeSampler {
public:
    // `problem` must outlive it.
    SoftTreeSampler(const Problem& problem, Data data, const SoftTreePlan& plan,
                    std::uint32_t max_leaves)
        : data_(std::move(data)),
          prior_(problem, data_.soft_index(), max_leaves),
          pool_([this, plan] {
              return std::make_unique<SoftTreeTransitions>(data_, prior_, plan);
          }) {}

    const Data& data() const { return data_; }
    const TopologyPrior& prior() const { return prior_; }

    Chain start(Random& random) {
        return pool_.lend([&](auto& transitions) { return transitions.start(random); });
    }
    // The chain after n steps; `jumps`: false for HMC at its topology alone.
    Chain advance(const Chain& chain, Random& random, std::uint64_t n, bool warm_up, bool jumps,
                  Tally& tally) {
        return pool_.lend([&](SoftTreeTransitions& transitions) {
            Chain out = chain;
            if (jumps) {
                transitions.advance(out, random, n, warm_up, tally);
            } else {
                transitions.stay(out, random, n, warm_up, tally);
            }
            return out;
        });
    }
    std::array<double, 3> score(const SoftTree& tree) {
        return pool_.lend([&](auto& transitions) { return transitions.score(tree); });
    }
    double log_density(const SoftTree& tree, std::span<double> gradient) {
        return pool_.lend([&](SoftTreeTransitions& transitions) {
            return transitions.model().log_density(tree.nodes, tree.q, gradient);
        });
    }

private:
    Data data_;
    TopologyPrior prior_;
    ObjectPool<SoftTreeTransitions> pool_;
};

}  // namespace slp::rjhmc
