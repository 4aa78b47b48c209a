// The splits of a node with their weights for drawing: their weights in the program, or these times
// a power of the marginal likelihoods of both sides as leaves.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mcmc/local_process.hpp"
#include "mcmc/moves/informed_splits.hpp"
#include "mcmc/randomness.hpp"
#include "problem/problem.hpp"

namespace slp::mcmc {

class SplitList {
public:
    explicit SplitList(const Problem& problem);

    // The splits of a rule at the goal that `process` has entered, on all features (-1) or one.
    void list(LocalProcess& process, std::int32_t rule, std::int32_t feature);
    // The splits listed last, of these rows, ascending, with the likelihoods of both sides.
    LikelySplits likely(Rows rows);
    // Those of them that are on one feature, with their informed weights under a power.
    void take(const LikelySplits& likely, std::int32_t feature, double power);

    std::vector<WeighedSplit>& splits() { return splits_; }
    const std::vector<WeighedSplit>& splits() const { return splits_; }
    // The number of a split that is in the list.
    std::size_t number(const Taken& taken) const;
    // Draws the number of a split.
    std::size_t draw(Randomness& random);
    double sum() const;

private:
    double log_of_sides(const Feature& feature, Cut cut);
    void add_feature(Rows rows, std::size_t begin, std::size_t end);
    void add_wide_feature(const Feature& feature, std::span<const WeighedSplit> splits);
    void sort_by_code(const Feature& feature, Rows rows);

    const Problem& problem_;
    std::size_t k_;
    const Rule* rule_ = nullptr;  // of the splits listed
    std::vector<WeighedSplit> splits_;
    std::vector<double> log_likelihood_;
    // For the present feature: its codes that occur, ascending, each with the sum of the statistics
    // of its rows.
    std::vector<std::uint32_t> codes_;
    std::vector<double> sums_;
    // Scratch.
    std::vector<std::uint8_t> slot_;
    std::vector<double> total_, left_, right_;
};

}  // namespace slp::mcmc
