// The outside pass over all blocks (interval_blocks/search.hpp), the largest first.
//
// Let V(b) be the value of a box, and A(b) the derivative of the root's value by it, divided by
// the root's value. Then A(b) V(b) is the probability that the tree has the box, and A(b) w V(l)
// V(r) that it has a split of weight w into l and r. The chain rule gives A from the root down:
//
//   A(l) += A(b) w V(r),   A(r) += A(b) w V(l)                       for every split of every box.
//
// These sums run along the rows of the same triangles as the inside pass. A descent follows
// queries. A query that follows one side of every split is a new row on its way to a leaf, and A(b)
// V(b) is the probability that it passes through the box. A query that follows both sides is the
// tree itself.
//
// Members that a query reaches with a probability of at most `cut` are left out. Each member loses
// that at most once.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>

#include "budget.hpp"
#include "exact/interval_blocks/current_block.hpp"
#include "exact/interval_blocks/state_vectors.hpp"
#include "exact/interval_blocks/leaves.hpp"
#include "exact/interval_blocks/propagation.hpp"
#include "exact/interval_blocks/search.hpp"
#include "exact/interval_blocks/setting.hpp"
#include "exact/interval_blocks/waiting.hpp"
#include "exact/memo.hpp"

namespace slp::exact {

template <bool kVector>
class BlockDescent {
public:
    // found: where the blocks' triangles are, by key, after a run of totals; there are at most
    // n_blocks. go_on: called regularly; false ends the descent.
    BlockDescent(const IntervalSetting& setting, const Memo& found, std::size_t n_blocks,
                 const QueryBatch& queries, double cut, Budget& budget,
                 std::function<bool(std::uint64_t blocks)> go_on)
        : s_(setting),
          queries_(queries),
          cut_(cut),
          go_on_(std::move(go_on)),
          waiting_(n_blocks, setting.task.root.rows.size(), queries.n,
                   StateVectors<kVector>(setting.grammar).length(), budget),
          block_(setting, found, queries, waiting_, budget),
          flow_(setting, queries, cut, block_, waiting_),
          leaves_(setting, queries, block_),
          scratch_(budget) {
        if (queries.sums != nullptr) {
            queries.sums->states.assign(block_.vectors.length(), {});
            queries.sums->terms.assign(setting.grammar.rule_of_term.size(), 0.0);
        }
    }

    // False if it was ended before it was done. Throws OutOfBudget.
    bool run() {
        start();
        for (std::size_t size = waiting_.end_of_sizes(); size-- > 0;) {
            for (Waiting* const block : waiting_.leave(size)) {
                if (++n_opened_ % 16 == 0 && !go_on_(16)) {
                    return false;
                }
                if (is_worth_opening(*block)) {
                    block_.set(*block);
                    flow_.sweep_inside();
                    leaves_.tell();
                    flow_.send();
                    scratch_.raise_to(block_.bytes());
                }
                waiting_.give_up(*block);
            }
        }
        return true;
    }

private:
    using Waiting = WaitingBlock<kVector>;
    using Triangle = TriangleOf<MemberValue<kVector>>;

    void start() {
        const Box& box = s_.task.root;
        const Triangle* const values = block_.sides.triangle_of(box.key);
        Waiting& root = waiting_.make(values, box);
        std::copy(box.rows.begin(), box.rows.end(), waiting_.rows_of(root));
        const std::size_t last = values->k - 1;
        const double* const own = block_.vectors.numbers_of(values->row(0)[last]);
        const auto n_starts = static_cast<std::size_t>(s_.problem.n_owed());
        const double total = std::accumulate(own, own + n_starts, 0.0);
        for (std::size_t query = 0; query < queries_.n; ++query) {
            std::fill_n(waiting_.make_derivatives(root, query).at(0, last), n_starts, 1.0 / total);
        }
    }

    bool is_worth_opening(Waiting& block) const {
        const MemberValue<kVector>* const values = block.values->row(0);
        for (std::size_t query = 0; query < queries_.n; ++query) {
            const Derivatives<kVector> own = waiting_.derivatives(block, query);
            double mass = 0;
            for (std::size_t at = 0; own && at < block.values->n_cells(); ++at) {
                mass += block_.vectors.mass(own.numbers + at * block_.vectors.length(), values[at]);
            }
            if (mass > cut_) {
                return true;
            }
        }
        return false;
    }

    const IntervalSetting& s_;
    const QueryBatch& queries_;
    double cut_;
    std::function<bool(std::uint64_t)> go_on_;
    WaitingBlocks<kVector> waiting_;
    CurrentBlock<kVector> block_;
    Propagation<kVector> flow_;
    BlockLeaves<kVector> leaves_;
    Charge scratch_;
    std::uint64_t n_opened_ = 0;
};

}  // namespace slp::exact
