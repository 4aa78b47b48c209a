// A particle filter on a problem: the data that its islands share, and the filters of threads.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "object_pool.hpp"
#include "smc/filter.hpp"

namespace slp::smc {

class FilterSampler {
public:
    // `problem` and `geometry` must outlive it; problem.grammar.max_leaves is 0.
    FilterSampler(const Problem& problem, const Geometry& geometry, const FilterPlan& plan)
        : plan_(plan), filters_([this, &problem, &geometry] {
              return std::make_unique<Filter>(problem, geometry, plan_);
          }) {}

    Island start() {
        return filters_.lend([](Filter& filter) { return filter.start(); });
    }
    // The island after at most n steps. Throws OutOfBudget.
    Island advance(const Island& island, mcmc::Randomness& random, std::uint64_t n,
                   Tally& tally) {
        return filters_.lend([&](Filter& filter) {
            Island out = island;
            out.share = std::make_shared<IslandMemory>(used_);
            filter.advance(random, out, n, tally);
            return out;
        });
    }
    // See `Filter::restore`.
    bool restore(std::vector<Event> events, std::span<const std::uint32_t> last,
                 std::span<const double> log_weights, Island& out) {
        return filters_.lend([&](Filter& filter) {
            return filter.restore(std::move(events), last, log_weights, out);
        });
    }

private:
    FilterPlan plan_;
    std::shared_ptr<IslandMemory::Used> used_ = std::make_shared<IslandMemory::Used>(0);
    ObjectPool<Filter> filters_;
};

}  // namespace slp::smc
