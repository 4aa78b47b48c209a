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

const mcmc::Taken* Filter::given(const ParticleGoal& item) const {
    return item.particle == kept_.particle
               ? &kept_.proof->nodes[kept_.nodes[item.goal]].taken
               : nullptr;
}

void Filter::number_kept(const ParticleGoal& item) {
    const std::uint32_t left = kept_.nodes[item.goal] + 1, parts = n_parts(item.taken);
    if (parts > 0) {
        kept_.nodes.push_back(left);
    }
    if (parts > 1) {
        kept_.nodes.push_back(mcmc::right_of(kept_.proof->nodes, left));
    }
}

}  // namespace slp::smc
