// A bound on derivations that split a box once, into two leaves, where every partition of a
// feature's codes is a cut: it looks at sets of codes in one order, not at all of them. Proof:
// docs/search.md.
//
// It is for two classes, counts and durations, whose leaves are told by two sums: of the rows of
// each class, or of events and exposure.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "problem/problem.hpp"
#include "search/leaf_bound.hpp"
#include "search/weight_bound.hpp"

namespace slp::search {

class LastSplit {
public:
    // All three must outlive it.
    LastSplit(const Problem& problem, const LeafBound& leaf, WeightBound& weights);

    // Whether it bounds derivations from a state: `WeightBound::one_split` knows the state, and
    // both states below only stop.
    bool takes(std::int32_t state);
    // At least the log weight of any derivation from the state that splits these rows, whose sums
    // are `sums`, times its likelihood. -inf if they cannot be split.
    double log_split_above(std::int32_t state, std::span<const std::uint32_t> rows,
                           const double* sums);

private:
    // For the cuts of one feature: how many, each with its versions as one, and the largest product
    // of the likelihoods of the leaves on both sides. Both are for the rows of `log_split_above`.
    struct Cuts {
        double n, best;
    };
    void sum_codes(const Feature& feature, std::span<const std::uint32_t> rows);
    Cuts cuts(const Feature& feature, std::span<const std::uint32_t> rows, const double* sums);
    double best_partition(const double* sums);
    double log_leaves(const double* left, const double* sums);
    double* of_code(std::uint32_t code) { return by_code_.data() + code * leaf_.width(); }

    const Problem& problem_;
    const LeafBound& leaf_;
    WeightBound& weights_;
    // Where the two sums are in a leaf's statistics; none: it bounds nothing.
    std::optional<TwoSums> two_sums_;
    // For one feature: the codes that occur, ascending, and the sums over the rows of each.
    std::vector<std::uint32_t> codes_;
    std::vector<double> by_code_;
    std::vector<Cut> listed_;
    std::vector<Cuts> by_feature_;
    std::vector<double> left_, kept_, right_;
};

}  // namespace slp::search
