// The leaves of one family's members, each with the probability that a lane ends there: mixtures over
// leaves are what predictions are.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "exact/families.hpp"
#include "exact/family_at_hand.hpp"
#include "exact/family_setting.hpp"
#include "exact/geometry.hpp"
#include "exact/leaf_models.hpp"

namespace slp::exact {

template <bool kVector>
class FamilyLeaves {
public:
    FamilyLeaves(const FamilySetting& setting, const Lanes& lanes,
                 const FamilyAtHand<kVector>& family)
        : s_(setting),
          model_(setting.problem.leaf),
          lanes_(lanes),
          f_(family),
          statistics_(family.ranks.most() * model_.n_statistics()),
          leaf_(model_.n_statistics()),
          mass_(lanes.n) {}

    void tell(LeafSink& sink) {
        const FamilyRanks& ranks = f_.ranks;
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
        for (std::size_t lane = 0; lane < lanes_.n; ++lane) {
            if (f_.lanes.alive(lane)[member] != 0) {
                const double* const own = f_.derivatives(lane).at(i, j);
                mass_[lane] = 0;
                for (std::size_t t = 0; t < f_.places.depth(); ++t) {
                    mass_[lane] += own[t] * f_.shares.of_leaf(s_.chain.links[t], member);
                }
                reached |= std::uint64_t{1} << lane;
            }
        }
        if (reached != 0) {
            const double likelihood = s_.likelihood ? model_.log_marginal(leaf_.data()) : 0.0;
            const double leaf = std::exp(likelihood + s_.log_scale * data_rows(sizes));
            sink.leaf(leaf_.data(), reached, mass_.data(), leaf);
        }
    }

    const FamilySetting& s_;
    const LeafModel& model_;
    const Lanes& lanes_;
    const FamilyAtHand<kVector>& f_;
    std::vector<double> statistics_, leaf_;  // by rank; of the member at hand
    std::vector<double> mass_;               // by lane
};

}  // namespace slp::exact
