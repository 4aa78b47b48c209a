#include "mcmc/edit_sampler.hpp"

#include <memory>
#include <utility>

namespace slp::mcmc {

EditSampler::EditSampler(const Problem& problem, const Geometry& geometry, EditProcess process,
                         TreeTests tests, bool constrained, std::vector<Proposal> mixture)
    : problem_(problem),
      process_(std::move(process)),
      tests_(std::move(tests)),
      mixture_(std::move(mixture)),
      pool_([this, &problem, &geometry, constrained] {
          return std::make_unique<EditTransitions>(problem, geometry, process_, tests_, constrained,
                                             mixture_);
      }) {}

EditState EditSampler::advance(const EditState& state, Randomness& random, double power,
                               std::uint64_t n, Tally& tally) {
    return pool_.lend([&](EditTransitions& transitions) {
        return after_transitions(transitions, state, random, power, n, mixture_.size(), tally);
    });
}

ScanSums EditSampler::scan(Ladder<EditState>& ladder, const ScanPlan& plan,
                           std::span<Randomness* const> randoms) {
    ScanSums sums = no_scans(ladder.rungs.size(), mixture_.size());
    const auto prepare = [](EditTransitions&) {};
    Scans(pool_, prepare, plan, ladder, sums).run(randoms);
    return sums;
}

bool EditSampler::start(Randomness& random, std::uint32_t number, EditState& out) {
    out.turns.assign(mixture_.size(), 0);
    return pool_.lend(
        [&](auto& transitions) { return transitions.start(random, number, out.edits); });
}

bool EditSampler::holds(const EditState& state) {
    return pool_.lend([&](auto& transitions) { return transitions.holds(state.edits.tree()); });
}

std::vector<EditTransitions::Written> EditSampler::write(const Edits& edits) {
    return pool_.lend([&](auto& transitions) { return transitions.write(edits); });
}

bool EditSampler::restore(std::span<const EditTransitions::Written> written,
                          std::vector<std::uint32_t> turns, EditState& out) {
    out.turns = std::move(turns);
    return are_turns(out.turns, mixture_) &&
           pool_.lend([&](auto& transitions) { return transitions.read(written, out.edits); });
}

}  // namespace slp::mcmc
