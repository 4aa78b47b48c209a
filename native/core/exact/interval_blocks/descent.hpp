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
#include <span>
#include <utility>
#include <vector>

#include "budget.hpp"
#include "exact/interval_blocks/current_block.hpp"
#include "exact/interval_blocks/state_vectors.hpp"
#include "exact/interval_blocks/propagation.hpp"
#include "exact/interval_blocks/search.hpp"
#include "exact/interval_blocks/setting.hpp"
#include "exact/interval_blocks/waiting.hpp"
#include "exact/memo.hpp"
#include "problem/geometry.hpp"

namespace slp::exact {

// What ends in one block: the leaves of its members, each with the probability that a query ends
// there, and of the tree how many boxes there are in each state. Predictions are mixtures over
// leaves.
template <bool kVector>
class BlockLeaves {
public:
    BlockLeaves(const IntervalSetting& setting, const QueryBatch& queries,
                CurrentBlock<kVector>& block)
        : s_(setting), queries_(queries), f_(block), mass_(queries.n) {}

    void tell() {
        if (queries_.both()) {
            tell_of_tree();
        } else {
            tell_of_rows(*queries_.leaves);
        }
    }

private:
    void tell_of_rows(LeafSink& sink) {
        f_.for_each_member([&](std::size_t i, std::size_t j, const std::vector<double>& leaf,
                               Sizes sizes) {
            const std::size_t member = i * f_.ranks.k + j;
            std::uint64_t reached = 0;
            for (std::size_t query = 0; query < queries_.n; ++query) {
                if (f_.queries.states(query)[member].end != 0) {
                    const double* const own = f_.derivatives(query).at(i, j);
                    mass_[query] = 0;
                    for (std::size_t s = 0; s < f_.vectors.length(); ++s) {
                        mass_[query] += own[s] * f_.weight_of_leaf(s_.grammar.nodes[s], member);
                    }
                    reached |= std::uint64_t{1} << query;
                }
            }
            if (reached != 0) {
                sink.leaf(leaf.data(), reached, mass_.data(), s_.leaf(leaf, sizes));
            }
        });
    }

    void tell_of_tree() {
        order_rows();
        const Range* const reached = f_.queries.states(0);
        f_.for_each_member([&](std::size_t i, std::size_t j, const std::vector<double>& leaf,
                               Sizes sizes) {
            const std::size_t member = i * f_.ranks.k + j;
            if (reached[member].end == 0) {
                return;
            }
            const double* const own = f_.derivatives(0).at(i, j);
            const double of_leaf = s_.leaf(leaf, sizes);
            double mass = 0;
            for (std::size_t s = 0; s < f_.vectors.length(); ++s) {
                if (own[s] != 0.0) {
                    const double* const value = f_.vectors.numbers_of(f_.values().row(i)[j]);
                    mass += count(s, member, own[s] * value[s], own[s] * of_leaf);
                }
            }
            if (queries_.leaves != nullptr && mass > 0.0) {
                queries_.leaves->leaf_of_tree(
                    leaf.data(),
                    std::span(rows_).subspan(first_[i], first_[j + 1] - first_[i]), mass);
            }
        });
    }

    // Adds a member in state s to the sums. visits: the probability that the tree has it; one: the
    // same of a leaf of weight 1. Returns the probability that it is a leaf.
    double count(std::size_t s, std::size_t member, double visits, double one) {
        const BlockGrammar::StateWeights& node = s_.grammar.nodes[s];
        const double leaf = one * f_.weight_of_leaf(node, member);
        if (queries_.sums != nullptr) {
            TreeSums::OfState& to = queries_.sums->states[s];
            const bool splits = f_.probabilities.splits(node.measure_class, member);
            (splits ? to.split : to.alone) += visits;
            (splits ? to.leaves : to.leaves_alone) += leaf;
            to.unfit += splits && !f_.stops(node, member) ? visits : 0.0;
        }
        return leaf;
    }

    // The block's rows by rank: those of rank i from first_[i] on.
    void order_rows() {
        const BlockRanks& ranks = f_.ranks;
        first_.assign(ranks.k + 1, 0);
        for (const std::uint32_t rank : ranks.rank_of_row) {
            ++first_[rank];
        }
        std::partial_sum(first_.begin(), first_.end(), first_.begin());
        rows_.resize(ranks.rows.size());
        for (std::size_t r = ranks.rows.size(); r-- > 0;) {
            rows_[--first_[ranks.rank_of_row[r]]] = ranks.rows[r];
        }
    }

    const IntervalSetting& s_;
    const QueryBatch& queries_;
    CurrentBlock<kVector>& f_;
    std::vector<double> mass_;  // by query
    std::vector<std::size_t> first_;
    std::vector<std::uint32_t> rows_;
};

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
