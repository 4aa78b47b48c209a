// The leaves of one block's members, each with the probability that a query ends there. Predictions
// are mixtures over these leaves.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "exact/interval_blocks/current_block.hpp"
#include "exact/interval_blocks/search.hpp"
#include "exact/interval_blocks/setting.hpp"
#include "exact/leaf_values.hpp"
#include "problem/geometry.hpp"
#include "problem/leaf_models.hpp"

namespace slp::exact {

template <bool kVector>
class BlockLeaves {
public:
    BlockLeaves(const IntervalSetting& setting, const QueryBatch& queries,
                const CurrentBlock<kVector>& block)
        : s_(setting),
          model_(setting.problem.leaf),
          queries_(queries),
          f_(block),
          statistics_(block.ranks.most() * model_.n_statistics()),
          leaf_(model_.n_statistics()),
          mass_(queries.n) {}

    void tell(LeafSink& sink) {
        const BlockRanks& ranks = f_.ranks;
        const std::size_t n = leaf_.size();
        std::fill_n(statistics_.begin(), ranks.k * n, 0.0);
        for (std::size_t r = 0; r < ranks.rows.size(); ++r) {
            model_.add(ranks.rows[r], statistics_.data() + ranks.rank_of_row[r] * n);
        }
        for (std::size_t i = 0; i < ranks.k; ++i) {
            Sizes sizes = 0;
            std::fill(leaf_.begin(), leaf_.end(), 0.0);
            for (std::size_t j = i; j < ranks.k; ++j) {
                sizes += ranks.sizes[j];
                for (std::size_t c = 0; c < n; ++c) {
                    leaf_[c] += statistics_[j * n + c];
                }
                tell_leaf(sink, i, j, sizes);
            }
        }
    }

private:
    void tell_leaf(LeafSink& sink, std::size_t i, std::size_t j, Sizes sizes) {
        const std::size_t member = i * f_.ranks.k + j;
        std::uint64_t reached = 0;
        for (std::size_t query = 0; query < queries_.n; ++query) {
            if (f_.queries.alive(query)[member] != 0) {
                const double* const own = f_.derivatives(query).at(i, j);
                mass_[query] = 0;
                for (std::size_t t = 0; t < f_.vectors.length(); ++t) {
                    mass_[query] +=
                        own[t] * f_.probabilities.of_leaf(s_.by_depth.nodes[t], member);
                }
                reached |= std::uint64_t{1} << query;
            }
        }
        if (reached != 0) {
            sink.leaf(leaf_.data(), reached, mass_.data(),
                      leaf_value(model_, s_.likelihood, s_.log_scale, leaf_.data(),
                                 data_rows(sizes)));
        }
    }

    const IntervalSetting& s_;
    const LeafModel& model_;
    const QueryBatch& queries_;
    const CurrentBlock<kVector>& f_;
    std::vector<double> statistics_, leaf_;  // by rank; of the current member
    std::vector<double> mass_;               // by query
};

}  // namespace slp::exact
