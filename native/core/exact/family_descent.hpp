// Probability on its way from the root down over all families (families.hpp), the largest first.
//
// With V(b) the value of a box and A(b) the derivative of the root's value by it, over the root's
// value, A(b) V(b) is the probability that the tree has the box, and A(b) w V(l) V(r) that of a split
// of weight w into l and r. The chain rule gives A from the root down,
//
//   A(l) += A(b) w V(r),   A(r) += A(b) w V(l)                       for every split of every box,
//
// which runs along the rows of the same triangles as the sums did. A lane that follows one side of
// every split is a new row on its way into a leaf; there A(b) V(b) is the probability that it comes
// through the box. The lane that follows both sides is the tree itself.
//
// What is left out: members that a lane comes to with a probability of at most `cut`. Each loses that
// once.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "exact/budget.hpp"
#include "exact/families.hpp"
#include "exact/family_at_hand.hpp"
#include "exact/family_flow.hpp"
#include "exact/family_leaves.hpp"
#include "exact/family_places.hpp"
#include "exact/family_setting.hpp"
#include "exact/family_waiting.hpp"
#include "exact/memo.hpp"

namespace slp::exact {

template <bool kVector>
class FamilyDescent {
public:
    // found: where the families' triangles are, by key, after a run of totals; there are at most
    // n_families. go_on: asked now and then; false ends the descent.
    FamilyDescent(const FamilySetting& setting, const Memo& found, std::size_t n_families,
                  const Lanes& lanes, double cut, Budget& budget,
                  std::function<bool(std::uint64_t families)> go_on)
        : root_(setting.root),
          lanes_(lanes),
          cut_(cut),
          go_on_(std::move(go_on)),
          waiting_(n_families, setting.root.rows.size(), lanes.n,
                   FamilyPlaces<kVector>(setting.chain).depth(), budget),
          family_(setting, found, lanes, waiting_, budget),
          flow_(setting, lanes, cut, family_, waiting_),
          leaves_(setting, lanes, family_),
          scratch_(budget) {
        if (lanes.splits != nullptr) {
            lanes.splits->assign(setting.problem.table.features.size(), 0.0);
        }
    }

    // False if it was ended before it was done. Throws OutOfBudget.
    bool run() {
        start();
        for (std::size_t size = waiting_.end_of_sizes(); size-- > 0;) {
            for (Waiting* const family : waiting_.leave(size)) {
                if (++n_opened_ % 16 == 0 && !go_on_(16)) {
                    return false;
                }
                if (is_worth_opening(*family)) {
                    open(*family);
                }
                waiting_.give_up(*family);
            }
        }
        return true;
    }

private:
    using Waiting = WaitingFamily<kVector>;
    using Triangle = FamilyTriangle<FamilyCell<kVector>>;

    void start() {
        const Triangle* const values = family_.sides.triangle_of(root_.key);
        Waiting& root = waiting_.make(values, root_);
        std::copy(root_.rows.begin(), root_.rows.end(), waiting_.rows_of(root));
        const std::size_t last = values->k - 1;
        for (std::size_t lane = 0; lane < lanes_.n; ++lane) {
            *waiting_.make_derivatives(root, lane).at(0, last) =
                1.0 / *FamilyPlaces<kVector>::numbers_of(values->row(0)[last]);
        }
    }

    bool is_worth_opening(Waiting& family) const {
        const FamilyCell<kVector>* const values = family.values->row(0);
        for (std::size_t lane = 0; lane < lanes_.n; ++lane) {
            const Derivatives<kVector> own = waiting_.derivatives(family, lane);
            double mass = 0;
            for (std::size_t at = 0; own && at < family.values->n_cells(); ++at) {
                mass += family_.places.mass(own.data() + at * family_.places.depth(), values[at]);
            }
            if (mass > cut_) {
                return true;
            }
        }
        return false;
    }

    void open(Waiting& family) {
        family_.set(family);
        flow_.sweep_inside();
        if (lanes_.leaves != nullptr) {
            leaves_.tell(*lanes_.leaves);
        }
        flow_.send();
        scratch_.raise_to(family_.bytes());
    }

    const Box& root_;
    const Lanes& lanes_;
    double cut_;
    std::function<bool(std::uint64_t)> go_on_;
    WaitingFamilies<kVector> waiting_;
    FamilyAtHand<kVector> family_;
    FamilyFlow<kVector> flow_;
    FamilyLeaves<kVector> leaves_;
    Charge scratch_;
    std::uint64_t n_opened_ = 0;
};

}  // namespace slp::exact
