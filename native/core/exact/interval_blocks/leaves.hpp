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
                CurrentBlock<kVector>& block)
        : s_(setting), queries_(queries), f_(block), mass_(queries.n) {}

    void tell(LeafSink& sink) {
        f_.for_each_member([&](std::size_t i, std::size_t j, const std::vector<double>& leaf,
                               Sizes sizes) {
            const std::size_t member = i * f_.ranks.k + j;
            std::uint64_t reached = 0;
            for (std::size_t query = 0; query < queries_.n; ++query) {
                if (f_.queries.alive(query)[member] != 0) {
                    const double* const own = f_.derivatives(query).at(i, j);
                    mass_[query] = 0;
                    for (std::size_t s = 0; s < f_.vectors.length(); ++s) {
                        mass_[query] += own[s] * f_.weight_of_leaf(s_.grammar.nodes[s], member);
                    }
                    reached |= std::uint64_t{1} << query;
                }
            }
            if (reached != 0) {
                sink.leaf(leaf.data(), reached, mass_.data(), likelihood(leaf, sizes));
            }
        });
    }

private:
    double likelihood(const std::vector<double>& leaf, Sizes sizes) const {
        return leaf_value(s_.problem.leaf, s_.likelihood, s_.log_scale, leaf.data(),
                          data_rows(sizes));
    }

    const IntervalSetting& s_;
    const QueryBatch& queries_;
    CurrentBlock<kVector>& f_;
    std::vector<double> mass_;  // by query
};

}  // namespace slp::exact
