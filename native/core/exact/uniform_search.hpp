// What the searches over uniform grammars (chain.hpp) have in common.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "exact/crew.hpp"
#include "exact/geometry.hpp"

namespace slp::exact {

enum class Sum : std::uint8_t { total, best, count };

struct UniformTask {
    Sum sum = Sum::total;
    // Whether the leaves' marginal likelihoods are in the weights.
    bool likelihood = true;
    // Keep every box's value for look-ups, not the root's alone.
    bool keep = false;
    std::size_t memory = 0;
    std::size_t n_threads = 1;
};

class UniformSearch {
public:
    virtual ~UniformSearch() = default;
    virtual Status run(const Poll& poll) = 0;
    virtual Progress progress() const = 0;
    // Log of a box's value at a place of the chain. -inf for a box not kept; one of at most
    // few_rows() distinct rows is worked out if its rows are given.
    virtual double log_value(const Box& box, std::size_t place) const = 0;
    virtual std::uint32_t few_rows() const { return 0; }
    // The root's count itself.
    virtual double root_count(std::size_t place) const = 0;
};

// Makes a search from a root. Values are multiplied by exp(log_scale) for each row of the data.
using MakeSearch = std::function<std::unique_ptr<UniformSearch>(
    const UniformTask& task, const Box& root, double log_scale)>;

// The search of a whole table, with the scale that a few of the rows by themselves call for, so that
// boxes large and small have values that are plain doubles. Counts are not scaled.
std::unique_ptr<UniformSearch> make_scaled(const Geometry& geometry, const UniformTask& task,
                                           const MakeSearch& make);

}  // namespace slp::exact
