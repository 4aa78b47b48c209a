// The values of one block's members (binary_blocks/cells.hpp), from those of the blocks that its
// outer splits lead to.
//
// If all rows of a member lie on one side of some outer split, the member belongs to that side,
// and its value is copied. If the rows do not differ in an inner bit that the member leaves free,
// it equals the member that has this bit fixed. All other members are evaluated here. Their sums
// over outer splits run over all cells of both sides at once; sums over inner splits stay inside
// the block.

#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exact/binary_blocks/cells.hpp"
#include "exact/binary_blocks/model.hpp"
#include "exact/binary_blocks/small_boxes.hpp"
#include "exact/block_search.hpp"
#include "pool.hpp"

namespace slp::exact {

template <typename Word, Sum kSum, bool kVector, std::size_t kInner>
class BinarySums {
    static_assert(!kVector || kInner == 0, "blocks of vectors would be too large");

public:
    static constexpr std::size_t kCells = InnerBits<Word, kInner>::kCells;

    BinarySums(const BinaryModel<Word>& model, const InnerBits<Word, kInner>& inner, Pool& pool)
        : model_(model),
          inner_(inner),
          pool_(pool),
          cells_(model.table, inner, model.problem.leaf),
          small_(model),
          sums_(kVector ? model.grammar.nodes.size() : kCells),
          of_kind_(model.grammar.kinds.size()) {}

    // Evaluates a block. varying: bits that part its rows. splits: those on outer bits, ascending.
    // sides: left and right of each. keep: called with the cell and the first value of every member
    // of more than kFewRows<kVector> rows that is worked out here. Vectors have one cell.
    template <typename Keep>
    const double* work_out(const Box& box, Word varying, std::span<const BinarySplit> splits,
                           const double* const* sides, Keep keep) {
        counts.n_items = counts.n_edges = 0;
        outer_ = varying & ~(inner_.mask() | model_.excluded);
        n_values_ = kVector ? model_.n_states_of(varying) : kCells;
        is_root_ = box.key == model_.root;
        own_ = reinterpret_cast<double*>(pool_.allocate(n_values_));
        if (box.rows.size() <= kFewRows<kVector>) {
            fill_small(box);
            return own_;
        }
        for (std::size_t side = 0; side < 2 * splits.size(); ++side) {
            prefetch(sides[side]);
        }
        cells_.set_rows(box.rows);
        if constexpr (kVector) {
            work_out_states(varying, splits, sides);
            keep(0, own_);
            return own_;
        }
        sum_outer(splits, sides);
        Word of_splits = 0;
        for (const BinarySplit& split : splits) {
            of_splits |= Word{1} << split.bit;
        }
        for (std::size_t cell = 0; cell < kCells; ++cell) {
            if (data_rows(cells_.sizes(cell)) < model_.least) {
                own_[cell] = 0.0;
            } else if (const Word same = of_splits & ~cells_.varying(cell); same != 0) {
                const auto split = count_bits(of_splits & ~same & (same - 1));  // the first of them
                own_[cell] = sides[2 * split][cell] + sides[2 * split + 1][cell];
            } else if (!copy_half(cell)) {
                add_inner(cell);
                finish(cell);
                if (distinct_rows(cells_.sizes(cell)) > kFewRows<kVector>) {
                    keep(cell, own_ + cell);
                }
            }
        }
        return own_;
    }

    // Frees the block that was evaluated last.
    void take_back() { pool_.take_back(n_values_); }

    BlockCounts counts;  // of the members of more than one row evaluated in the last block

private:
    void prefetch(const double* values) const {
        const std::size_t bytes = std::min<std::size_t>(n_values_ * sizeof(double), 512);
        prefetch_lines(values, bytes);
        __builtin_prefetch(reinterpret_cast<const char*>(values) + bytes - 1);
    }

    // --- the box of a block with several states: no bit is inner ---

    void work_out_states(Word varying, std::span<const BinarySplit> splits,
                         const double* const* sides) {
        std::fill_n(sums_.begin(), n_values_, 0.0);
        std::fill(of_kind_.begin(), of_kind_.end(), 0.0);
        model_.add_excluded(varying, of_kind_.data());
        for (std::size_t f = 0; f < splits.size(); ++f) {
            const std::uint32_t kind = model_.kind_of_bit[splits[f].bit];
            of_kind_[kind] += splits[f].weight;
            add_split<kSum>(model_, kind, is_root_, splits[f].weight, sides[2 * f],
                            sides[2 * f + 1], n_values_, sums_.data());
        }
        const Sizes sizes = cells_.sizes(0);
        check(model_.template write<kSum>(is_root_, cells_.statistics(0), data_rows(sizes),
                                          of_kind_.data(), sums_.data(), n_values_, own_),
              sizes, splits.size());
    }

    // --- outer splits ---

    void sum_outer(std::span<const BinarySplit> splits, const double* const* sides) {
        std::array<double, kCells> sums{};
        for (std::size_t f = 0; f < splits.size(); ++f) {
            const double* const left = sides[2 * f];
            const double* const right = sides[2 * f + 1];
            for (std::size_t cell = 0; cell < kCells; ++cell) {
                add_term<kSum>(splits[f].weight * left[cell] * right[cell], sums[cell]);
            }
        }
        std::copy(sums.begin(), sums.end(), sums_.begin());
        if (model_.least <= 1) {  // an own member has all of them
            double weights = 0;
            for (const BinarySplit& split : splits) {
                weights += split.weight;
            }
            weights_.fill(weights);
            n_splits_.fill(splits.size());
            return;
        }
        // A side may have too few rows: which splits each member can take.
        weights_.fill(0.0);
        n_splits_.fill(0);
        for (std::size_t f = 0; f < splits.size(); ++f) {
            for (std::size_t cell = 0; cell < kCells; ++cell) {
                if (sides[2 * f][cell] > 0.0 && sides[2 * f + 1][cell] > 0.0) {
                    weights_[cell] += splits[f].weight;
                    ++n_splits_[cell];
                }
            }
        }
    }

    // --- members ---

    bool copy_half(std::size_t cell) {
        for (std::size_t i = 0; i < kInner; ++i) {
            if (!inner_.is_free(cell, i) || (cells_.varying(cell) & inner_.bit(i)) != 0) {
                continue;
            }
            const std::size_t left = inner_.half(cell, i, false);
            own_[cell] = own_[cells_.sizes(left) != 0 ? left : inner_.half(cell, i, true)];
            return true;
        }
        return false;
    }

    // Adds the splits on inner bits to a member's sum.
    void add_inner(std::size_t cell) {
        for (std::size_t i = 0; i < kInner; ++i) {
            if (!inner_.is_free(cell, i)) {
                continue;
            }
            const std::size_t left = inner_.half(cell, i, false);
            const std::size_t right = inner_.half(cell, i, true);
            if (!(own_[left] > 0.0 && own_[right] > 0.0)) {
                continue;
            }
            const double weight = model_.weight_of_bit[lowest_bit(inner_.bit(i))];
            weights_[cell] += weight;
            ++n_splits_[cell];
            add_term<kSum>(weight * own_[left] * own_[right], sums_[cell]);
        }
    }

    void finish(std::size_t cell) {
        const Sizes sizes = cells_.sizes(cell);
        model_.add_excluded(cells_.varying(cell), &weights_[cell]);
        const double leaf = model_.leaf(cells_.statistics(cell), data_rows(sizes));
        own_[cell] = model_.template value_of_one<kSum>(leaf, weights_[cell], sums_[cell]);
        check(is_inside(model_.grammar, own_[cell]), sizes, n_splits_[cell]);
    }

    // Counts a member. inside: whether its values are inside the range of doubles.
    void check(bool inside, Sizes sizes, std::size_t n_splits) {
        counts.in_range = counts.in_range && (inside || kSum == Sum::count || model_.excluded != 0);
        if (distinct_rows(sizes) > 1) {
            counts.n_items += 1;
            counts.n_edges += n_splits + 1;
        }
    }

    // --- blocks of few rows ---

    void fill_small(const Box& box) {
        small_.work_out(box.rows, is_root_);
        std::array<std::uint32_t, kCells> sets{};
        for (std::size_t i = 0; i < box.rows.size(); ++i) {
            sets[inner_.cell_of(box.rows[i])] |= 1U << i;
        }
        inner_.from_halves([&](std::size_t cell, std::size_t left, std::size_t right) {
            sets[cell] = sets[left] | sets[right];
        });
        for (std::size_t cell = 0; cell < kCells; ++cell) {
            const std::size_t set = sets[cell];
            const std::span<const double> values = small_.n_rows(set) < model_.least
                                                       ? std::span<const double>()
                                                       : small_.values(set);
            for (std::size_t t = 0; t < n_values_ / kCells; ++t) {
                own_[t * kCells + cell] = t < values.size() ? values[t] : 0.0;
            }
            if (!values.empty() && is_own(cell, small_.varying(set) & ~model_.excluded)) {
                check(small_.is_inside_range(set),
                      Sizes{static_cast<std::uint32_t>(std::popcount(set))},
                      count_bits(small_.varying(set)));
            }
        }
    }

    // Whether a member that these bits part is evaluated in this block.
    bool is_own(std::size_t cell, Word varying) const {
        bool own = (outer_ & ~varying) == 0;
        for (std::size_t i = 0; i < kInner; ++i) {
            own = own && (!inner_.is_free(cell, i) || (varying & inner_.bit(i)) != 0);
        }
        return own;
    }

    const BinaryModel<Word>& model_;
    const InnerBits<Word, kInner>& inner_;
    Pool& pool_;
    CellSums<Word, kInner> cells_;
    SmallBoxes<Word, kSum, kVector> small_;
    // For the current block. Sums have the layout of blocks.
    Word outer_ = 0;
    std::size_t n_values_ = 1;
    bool is_root_ = false;
    double* own_ = nullptr;
    std::vector<double> sums_, of_kind_;
    std::array<double, kCells> weights_{};
    std::array<std::size_t, kCells> n_splits_{};
};

}  // namespace slp::exact
