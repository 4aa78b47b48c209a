// Random descents from the root to a given box, and the states in which they arrive.

#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "problem/geometry.hpp"
#include "problem/problem.hpp"

namespace slp::exact {

// A stream of random numbers, the same everywhere.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    // Uniform in [0, 1).
    double uniform();
    // Uniform in 0, ..., n - 1.
    std::size_t below(std::size_t n);

private:
    std::uint64_t state_;
};

// Which features any rule can split on: of an open grammar any may be.
std::vector<std::uint8_t> features_split(const Problem& problem);

// The codes of a feature that occur in these rows, ascending.
void find_codes(const Feature& feature, std::span<const std::uint32_t> rows,
                std::vector<std::uint32_t>& out);

// The most splits on one path; the number of rows if states have a cycle.
std::int32_t most_cuts(const Problem& problem);

enum class Order : std::uint8_t { most_first, fewest_first, random };

// Walks from the root to boxes.
class RandomDescents {
public:
    RandomDescents(const Problem& problem, const Geometry& geometry);

    // Follows one path to the box of `target`; in random order its cuts are in full or in steps.
    // Returns the states in which it arrives: none if it cannot.
    const std::set<std::int32_t>& states(const std::vector<std::uint32_t>& target, Order order,
                                         Random& random);

    // The number of full cuts that lead to it in this order, for any state; -1 if min_leaf prevents
    // it.
    std::int32_t cuts(const std::vector<std::uint32_t>& target, Order order, Random& random);

    // Whether the last path was stopped because it has too many states; only for open grammars.
    bool too_many() const { return too_many_; }

    // Cuts of the last path.
    std::int32_t n_cuts() const { return n_cuts_; }

    // Visits to rows so far.
    double work() const { return work_; }

private:
    // A cut that keeps the target on one side.
    struct Cut {
        std::size_t feature;
        std::uint32_t low, high;  // see slp::Cut
        bool keep_left;
        std::uint64_t kept_rows;  // of the data
    };

    void aim(const std::vector<std::uint32_t>& target);
    void find_cuts(bool in_steps, Random& random);
    void plain_cuts(std::size_t f, bool in_steps, Random& random);
    void level_cuts(std::size_t f);
    void subset_cuts(std::size_t f);
    void sided_cuts(std::size_t f, bool in_steps, Random& random);
    void add(std::size_t f, std::uint32_t low, std::uint32_t high, bool keep_left);
    bool keeps(const Cut& cut, std::uint32_t row) const;
    bool cut(bool in_steps, Order order, Random& random);
    const Cut& choose(Order order, Random& random) const;
    void follow_calls();
    void follow(const Cut& cut);

    const Problem& problem_;
    const Geometry& geometry_;
    std::vector<std::uint8_t> split_;
    double work_ = 0;
    std::int32_t n_cuts_ = 0;

    std::vector<std::vector<std::uint32_t>> kept_codes_;  // of the target, for each feature
    std::vector<std::uint32_t> rows_;
    std::uint64_t data_rows_ = 0;
    std::vector<Cut> cuts_;
    std::vector<std::uint32_t> codes_;
    std::set<std::int32_t> states_;
    bool too_many_ = false;
};

}  // namespace slp::exact
