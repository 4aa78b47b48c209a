// The conditional filter: one particle makes the choices of a proof.

#include <memory>

#include "smc/filter.hpp"

namespace slp::smc {

Island Filter::conditional(mcmc::Randomness& random, const mcmc::Proof& proof) {
    Island out = start();
    out.share = std::make_shared<IslandMemory>(std::make_shared<IslandMemory::Used>(0));
    kept_ = {&proof, static_cast<std::uint32_t>(random.index(plan_.n)), {0}};
    Tally ignored{};
    advance(random, out, UINT64_MAX, ignored);
    kept_ = KeptParticle{};
    return out;
}

const mcmc::Taken* Filter::given(const ParticleGoal& goal) const {
    return goal.particle == kept_.particle
               ? &kept_.proof->nodes[kept_.nodes[goal.goal]].taken
               : nullptr;
}

void Filter::number_kept(const ParticleGoal& goal) {
    const std::uint32_t left = kept_.nodes[goal.goal] + 1, parts = n_parts(goal.taken);
    if (parts > 0) {
        kept_.nodes.push_back(left);
    }
    if (parts > 1) {
        kept_.nodes.push_back(mcmc::right_of(kept_.proof->nodes, left));
    }
}

}  // namespace slp::smc
