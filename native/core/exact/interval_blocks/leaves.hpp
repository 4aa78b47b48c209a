// What ends in one block: the leaves of its members, each with the probability that a query ends
// there, and of the tree how many boxes there are in each state. Predictions are mixtures over
// leaves.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exact/interval_blocks/current_block.hpp"
#include "exact/interval_blocks/search.hpp"
#include "exact/interval_blocks/setting.hpp"
#include "problem/geometry.hpp"

namespace slp::exact {

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
        const BlockGrammar::Node& node = s_.grammar.nodes[s];
        const double leaf = one * f_.weight_of_leaf(node, member);
        if (queries_.sums != nullptr) {
            TreeSums::OfState& to = queries_.sums->states[s];
            const bool splits = f_.probabilities.splits(node.shares, member);
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
            ++first_[rank + 1];
        }
        for (std::size_t i = 0; i < ranks.k; ++i) {
            first_[i + 1] += first_[i];
        }
        next_.assign(first_.begin(), first_.end() - 1);
        rows_.resize(ranks.rows.size());
        for (std::size_t r = 0; r < ranks.rows.size(); ++r) {
            rows_[next_[ranks.rank_of_row[r]]++] = ranks.rows[r];
        }
    }

    const IntervalSetting& s_;
    const QueryBatch& queries_;
    CurrentBlock<kVector>& f_;
    std::vector<double> mass_;  // by query
    std::vector<std::size_t> first_, next_;
    std::vector<std::uint32_t> rows_;
};

}  // namespace slp::exact
