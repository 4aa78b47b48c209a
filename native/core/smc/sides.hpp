// Both sides of splits of a box on one feature: one pass over the rows for all of them.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mcmc/cuts.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"

namespace slp::smc {

struct Side {
    Key key;
    Sizes sizes;
    double log_marginal;  // 0 where it was not asked for
};

// One for each thread.
class SideFinder {
public:
    SideFinder(const Problem& problem, const Geometry& geometry);

    // `cuts`: some of the box, in canonical order.
    void find(mcmc::Rows rows, std::size_t f, std::span<const Cut> cuts, bool with_likelihood);
    const Side& left(std::size_t cut) const { return left_[cut]; }
    const Side& right(std::size_t cut) const { return right_[cut]; }

private:
    // The same of a feature that is not plain.
    void find_wide(mcmc::Rows rows, const Feature& feature, std::span<const Cut> cuts,
                   bool with_likelihood);
    void add_rows(mcmc::Rows rows, const Feature& feature, std::span<const Cut> cuts);
    void add_up(std::size_t n, bool single, bool with_likelihood);

    const Problem& problem_;
    const Geometry& geometry_;
    std::size_t k_;
    // Rows parted by all cuts at once. Part j has the codes above cut j - 1 up to cut j; of a
    // `single` feature the code of cut j, the last part has the others.
    std::vector<Key> keys_;
    std::vector<Sizes> sizes_;
    std::vector<double> statistics_;  // k for each part
    std::vector<std::uint32_t> part_of_code_;
    // Sums over the parts from the first up to each, and from each to the last.
    std::vector<double> up_to_, from_;
    std::vector<double> sum_;
    std::vector<Side> left_, right_;
    std::vector<std::uint32_t> codes_;
};

}  // namespace slp::smc
