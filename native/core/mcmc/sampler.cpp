#include "mcmc/sampler.hpp"

#include <memory>
#include <utility>

namespace slp::mcmc {

namespace {

// The search for a start ends trees early with probability 0, 1/10, ..., 9/10, and begins again.
constexpr std::uint32_t kCycle = 10;

}  // namespace

ProofSampler::ProofSampler(const Problem& problem, const Geometry& geometry, TreeTests tests,
                           std::vector<Proposal> mixture, double most_boxes)
    : problem_(problem),
      geometry_(geometry),
      tests_(std::move(tests)),
      mixture_(std::move(mixture)),
      pool_([this, most_boxes] {
          return std::make_unique<ProofTransitions>(problem_, geometry_, tests_, mixture_,
                                                    most_boxes, problem_.leaf);
      }) {}

Start ProofSampler::start(Randomness& random, std::uint32_t tries, const Predicate& predicate,
                          Weights weights) {
    return pool_.lend([&](ProofTransitions& transitions) {
        transitions.weigh(weights);
        transitions.ask(predicate);
        Start out;
        for (std::uint32_t i = 0; i < tries && !out.found; ++i) {
            const double end_early = static_cast<double>(i % kCycle) / kCycle;
            if (transitions.draw(random, end_early, out.state.proof)) {
                ++out.derived;
                out.found = transitions.holds(out.state.proof);
            }
        }
        out.state.turns.assign(mixture_.size(), 0);
        return out;
    });
}

State ProofSampler::advance(const State& state, Randomness& random, double power, std::uint64_t n,
                            Tally& tally, const Predicate& predicate, Weights weights) {
    return pool_.lend([&](ProofTransitions& transitions) {
        transitions.weigh(weights);
        transitions.ask(predicate);
        return after_transitions(transitions, state, random, power, n, mixture_.size(), tally);
    });
}

ScanSums ProofSampler::scan(Ladder<State>& ladder, const ScanPlan& plan,
                            std::span<Randomness* const> randoms, const Predicate& predicate) {
    ScanSums sums = no_scans(ladder.rungs.size(), mixture_.size());
    const auto prepare = [&](ProofTransitions& transitions) {
        transitions.weigh({});
        transitions.ask(predicate);
    };
    Scans(pool_, prepare, plan, ladder, sums).run(randoms);
    return sums;
}

bool ProofSampler::root_fits() {
    return pool_.lend([](auto& transitions) { return transitions.root_fits(); });
}

bool ProofSampler::restore(std::span<const Taken> choices, std::vector<std::uint32_t> turns,
                           State& out, Weights weights) {
    out.turns = std::move(turns);
    return are_turns(out.turns, mixture_) && pool_.lend([&](ProofTransitions& transitions) {
        transitions.weigh(weights);
        return transitions.build(choices, out.proof);
    });
}

std::vector<std::uint8_t> ProofSampler::taken_over(const Proof& proof) {
    return pool_.lend([&](auto& transitions) { return transitions.taken_over(proof); });
}

bool ProofSampler::tree(std::span<const Taken> nodes, Proof& out) {
    return pool_.lend([&](auto& transitions) { return transitions.build_tree(nodes, out); });
}

bool ProofSampler::holds(const Proof& proof) {
    return pool_.lend([&](ProofTransitions& transitions) {
        transitions.ask(kNoPredicate);
        return transitions.holds(proof);
    });
}

}  // namespace slp::mcmc
