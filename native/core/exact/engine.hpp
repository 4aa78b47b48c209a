// The exact engine: passes over all items of a problem, and what one item leads to.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "exact/edges.hpp"
#include "exact/geometry.hpp"
#include "exact/problem.hpp"
#include "exact/search.hpp"

namespace slp::exact {

enum class Quantity : std::uint8_t { total, best, count };

// One pass: every item's value, kept for look-ups.
class Pass {
public:
    virtual ~Pass() = default;
    virtual Status run(const Poll& poll) = 0;
    virtual Progress progress() const = 0;
    // Log of an item's value (of a count the log of the count); -inf for an item not reached.
    virtual double log_value(Key key) const = 0;
};

// One way on from an item, as Python sees it.
struct Way {
    std::int32_t rule;
    // Feature split on; -1 for a leaf, -2 for a call.
    std::int32_t feature;
    std::uint32_t low, high;
    // Product states and keys of the items it leads to (a leaf: none; a call: the left).
    std::int32_t left_state, right_state;
    Key left, right;
    // Log weight under the program as written, likelihood left out.
    double log_weight;
};

class Engine {
public:
    explicit Engine(Problem problem);

    const Problem& problem() const { return problem_; }
    const Geometry& geometry() const { return geometry_; }

    // likelihood: whether the leaves' marginal likelihoods are in the weights. scaled: numbers with
    // exponents (see numbers.hpp). memory: bytes that it may hold.
    std::unique_ptr<Pass> make_pass(Quantity quantity, bool likelihood, bool scaled,
                                    std::size_t memory, std::size_t n_threads) const;

    // Log of the sum (Quantity::best: the maximum) of the root's values over what it may owe.
    double log_root(const Pass& pass, bool maximum) const;

    // Everything that an item can go on with, in canonical order, rule after rule.
    std::vector<Way> ways(std::span<const std::uint32_t> rows, std::int32_t product,
                          double* log_likelihood) const;

    Key key(std::span<const std::uint32_t> rows, std::int32_t product) const;

private:
    Problem problem_;
    Geometry geometry_;
    EdgeBuilder keys_;
};

}  // namespace slp::exact
