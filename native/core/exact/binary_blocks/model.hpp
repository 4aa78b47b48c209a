// The parts of boxes' values for features of two values.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "exact/binary_blocks/table.hpp"
#include "exact/block_grammar.hpp"
#include "exact/block_search.hpp"
#include "exact/interval_blocks/products.hpp"
#include "exact/leaf_values.hpp"
#include "problem/problem.hpp"
#include "problem/split_measures.hpp"

namespace slp::exact {

// A kind of splits (block_grammar.hpp), or its mirror image: splits of the kind whose left side is
// called right. A kind without sides is its own mirror image.
struct SplitGroup {
    std::uint32_t kind;
    bool is_mirrored;
    std::size_t mirror;  // number of the other group
};

// The data of values on binary features.
template <typename Word>
struct BinaryModel {
    BinaryModel(const Problem& own, const BinaryTable<Word>& bits, const BlockGrammar& states,
                const BlockTask& task)
        : problem(own),
          table(bits),
          grammar(states),
          measure(own.grammar, states.measure),
          leaf(own, task.likelihood, task.log_scale),
          least(static_cast<std::uint32_t>(
              std::min<std::int64_t>(own.grammar.min_leaf, data_rows(task.root.sizes)))),
          excluded(bits.bit_of(task.excluded)),
          root(task.root.key) {
        for (std::size_t b = 0; b < bits.features.size(); ++b) {
            const double length = states.measure == Measure::range ? bits.lengths[b] : 1.0;
            weight_of_bit.push_back(measure.mass(bits.features[b], length));
            const auto cell = static_cast<std::size_t>(bits.cells[b]);
            kind_of_bit.push_back(states.kind_of_class[states.class_of_cell[cell]]);
        }
    }

    const Problem& problem;
    const BinaryTable<Word>& table;
    const BlockGrammar& grammar;
    SplitMeasure measure;
    // For each bit: the kind of its splits and the mass of its feature. A feature of two values has
    // one split in a box at most, so that the mass is the probability of the split but for the
    // total.
    std::vector<std::uint32_t> kind_of_bit;
    std::vector<double> weight_of_bit;
    LeafValues leaf;
    // The least rows of the data in a box; at most those of the root.
    std::uint32_t least;
    // The bit that no tree splits on, or none; its splits keep their probabilities.
    Word excluded;
    Key root;

    // How many states a box that these bits part has values for, from the first on. Where states
    // are depths it cannot have all: each split on the way to it was on another feature.
    std::size_t n_states_of(Word varying) const {
        const std::size_t n = grammar.nodes.size();
        const bool are_depths = grammar.is_linear && !grammar.has_calls;
        return are_depths ? std::min(n, table.features.size() - count_bits(varying) + 1) : n;
    }

    // The factor of all splits of a box, given the sum of their weights; 0 if there are none.
    double common(std::uint32_t measure_class, double weights) const {
        const double range_total = grammar.range_totals[measure_class];
        return weights > 0.0 ? 1.0 / measure.total(weights, range_total) : 0.0;
    }

    // The value of a box where there is one state.
    template <Sum kSum>
    double value_of_one(double of_leaf, double weights, double sum) const {
        return value_of_node<kSum>(grammar.nodes[0], of_leaf, true, weights > 0.0,
                                   common(0, weights) * sum);
    }

    // Writes the first n values of a box; see write_values. weights: of its splits, by kind.
    template <Sum kSum>
    bool write(bool is_root, const double* statistics, std::uint32_t n_rows, const double* weights,
               const double* sum, std::size_t n, double* out) const {
        const auto common_of = [&](std::uint32_t q) {
            double of_splits = 0.0;
            for (std::size_t kind = 0; kind < grammar.kinds.size(); ++kind) {
                of_splits +=
                    grammar.takes_over(q, grammar.kinds[kind].of_class) ? weights[kind] : 0.0;
            }
            return common(q, of_splits);
        };
        return write_values<kSum>(grammar, leaf(statistics, n_rows),
                                  {statistics, problem.leaf.n_statistics()}, is_root, common_of,
                                  sum, n, out);
    }

    // Adds the excluded split of a box that these bits part to the weights by kind.
    void add_excluded(Word varying, double* weights) const {
        if ((varying & excluded) != 0) {
            const std::size_t bit = lowest_bit(excluded);
            weights[kind_of_bit[bit]] += weight_of_bit[bit];
        }
    }
};

// Adds the values of a split in the first n states. Only the whole table has those of the start.
template <Sum kSum, typename Word>
void add_split(const BinaryModel<Word>& model, std::uint32_t kind, bool is_root, double weight,
               const double* left, const double* right, std::size_t n, double* sum) {
    const BlockGrammar& grammar = model.grammar;
    for (const BlockGrammar::Run& run : grammar.runs_of(grammar.kinds[kind].of_class, is_root)) {
        if (run.to >= n) {
            continue;
        }
        const std::size_t length = std::min<std::size_t>(run.n, n - run.to);
        if (!run.crossed) {
            add_run<kSum, true>(left + run.left, right + run.right, length, weight, sum + run.to);
        } else {
            add_crossed<kSum>(weight * left[run.left], right + run.right, length,
                              run.weights < 0 ? nullptr : grammar.weights.data() + run.weights,
                              sum + run.to);
        }
    }
}

}  // namespace slp::exact
