// The best parting of counts and durations is the best of all partitions of the rows.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "exact/engine.hpp"
#include "problems.hpp"
#include "search/leaf_bound.hpp"

using namespace slp;
using namespace slp::search;
using slp::test::check;

namespace {

// Some rows occur several times; some durations are censored.
Problem problem_of(std::string_view kind, std::uint64_t seed) {
    Problem out = slp::test::growtree(8, Measure::all, seed);
    std::vector<double> statistics;
    for (std::uint32_t i = 0; i < 8; ++i) {
        const std::uint64_t random = split_mix(seed + i);
        const double n = 1.0 + static_cast<double>(random % 3);
        const double size = static_cast<double>(random / 8 % 9);
        const bool counts = kind == "gamma_poisson";
        statistics.push_back(n);
        statistics.push_back(counts ? size : static_cast<double>(random / 128 % 4));
        statistics.push_back(counts ? std::lgamma(size + 1) : 0.5 + size);
    }
    out.leaf = LeafModel(kind, {0.8, 1.5}, statistics, 3);
    return out;
}

// The best sum over the leaves of any partition: row `next` goes to each leaf, or to a new one.
double best_of_all(const LeafModel& leaf, std::vector<std::vector<std::uint32_t>>& leaves,
                   const std::vector<std::uint32_t>& rows, std::size_t next) {
    if (next == rows.size()) {
        double out = 0;
        std::vector<double> sums(3);
        for (const auto& own : leaves) {
            leaf.sum(own, sums.data());
            out += leaf.log_marginal(sums.data());
        }
        return out;
    }
    double out = -INFINITY;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        leaves[i].push_back(rows[next]);
        out = std::max(out, best_of_all(leaf, leaves, rows, next + 1));
        leaves[i].pop_back();
    }
    leaves.push_back({rows[next]});
    out = std::max(out, best_of_all(leaf, leaves, rows, next + 1));
    leaves.pop_back();
    return out;
}

}  // namespace

TEST(the_best_parting_is_the_best_of_all_partitions) {
    for (const std::string_view kind : {"gamma_poisson", "gamma_exponential"}) {
        int several = 0;
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            const Problem problem = problem_of(kind, 100 * seed);
            LeafBound bound(problem, true);
            std::vector<std::uint32_t> rows(8);
            std::iota(rows.begin(), rows.end(), 0U);
            if (seed % 2 == 1) {
                rows.erase(rows.begin() + 2);
            }
            std::vector<std::vector<std::uint32_t>> leaves;
            const double want = best_of_all(problem.leaf, leaves, rows, 0);
            const double have = bound.log_best_parting(rows);
            check(std::abs(have - want) < 1e-9);
            std::vector<double> sums(bound.width());
            bound.sum(rows, sums.data());
            check(have <= bound.log_parted(sums.data()) + 1e-9);
            several += have > bound.log_leaf(sums.data()) + 1e-9;
        }
        check(several > 10);
    }
}
