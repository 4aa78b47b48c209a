// The members of a binary-feature block: the boxes that the inner bits cut out of the block's box.
//
// A cell is a member. It says for each inner bit whether its rows have the bit (1), do not have it
// (0), or may do either (2): a number in base three. The values of a block are one array: the cells
// of the first state, then those of the next. A member without rows, or with fewer rows than a leaf
// must have, has the value 0: products with it vanish, because there is no such split.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exact/binary_blocks/table.hpp"
#include "problem/geometry.hpp"
#include "problem/leaf_models.hpp"

namespace slp::exact {

// A split on an outer bit.
struct BinarySplit {
    Key right;
    Sizes right_sizes;
    // The rows that go right, if the box has at most kMarkedRows rows: bit i is for its row i.
    std::uint64_t goes_right;
    double weight;
    std::uint32_t bit;

    // One side of the box that it splits, its rows not listed.
    Box side(const Box& box, bool is_left) const {
        return is_left ? Box{{}, box.key - right, box.sizes - right_sizes}
                       : Box{{}, right, right_sizes};
    }
};

// Which bits are inner, and the cell of each row. The inner ones are those that part the rows most
// evenly; a table of fewer bits has cells that stay empty.
template <typename Word, std::size_t kInner>
class InnerBits {
public:
    static constexpr std::array<std::size_t, 5> kPower{1, 3, 9, 27, 81};
    static constexpr std::size_t kCells = kPower.at(kInner);

    // excluded: a bit that is not inner.
    InnerBits(const BinaryTable<Word>& table, Word excluded) {
        std::vector<std::size_t> ones(table.features.size(), 0);
        for (const typename BinaryTable<Word>::BinaryRow& row : table.rows) {
            for (Word w = row.bits; w != 0; w &= w - 1) {
                ++ones[lowest_bit(w)];
            }
        }
        for (std::size_t i = 0; i < kInner; ++i) {
            std::size_t most = 0;
            for (std::size_t b = 0; b < ones.size(); ++b) {
                const std::size_t lesser = std::min(ones[b], table.rows.size() - ones[b]);
                if (((mask_ | excluded) >> b & 1) == 0 && lesser > most) {
                    most = lesser;
                    bits_[i] = Word{1} << b;
                }
            }
            mask_ |= bits_[i];
        }
        for (const typename BinaryTable<Word>::BinaryRow& row : table.rows) {
            std::size_t cell = 0;
            for (std::size_t i = 0; i < kInner; ++i) {
                cell += (row.bits & bits_[i]) != 0 ? kPower[i] : 0;
            }
            cell_of_row_.push_back(static_cast<std::uint8_t>(cell));
        }
    }

    Word mask() const { return mask_; }
    std::size_t cell_of(std::uint32_t row) const { return cell_of_row_[row]; }
    // One inner bit; none if the table has too few.
    Word bit(std::size_t i) const { return bits_[i]; }

    // Whether digit i of a cell is 2: its rows may have inner bit i or not. If so, both of its
    // halves have lower numbers.
    static constexpr bool is_free(std::size_t cell, std::size_t i) {
        return cell / kPower[i] % 3 == 2;
    }
    static constexpr std::size_t half(std::size_t cell, std::size_t i, bool right) {
        return cell - (right ? 1 : 2) * kPower[i];
    }

    // Whether a row is in a block's member.
    bool holds(std::size_t cell, std::uint32_t row) const {
        for (std::size_t i = 0; i < kInner; ++i) {
            const std::size_t digit = cell / kPower[i] % 3;
            if (digit != 2 && digit != cell_of_row_[row] / kPower[i] % 3) {
                return false;
            }
        }
        return true;
    }

    // Calls combine(cell, left half, right half) for all cells that are free somewhere, halves
    // first.
    template <typename Combine>
    static void from_halves(Combine combine) {
        for (std::size_t cell = 0; cell < kCells; ++cell) {
            for (std::size_t i = 0; i < kInner; ++i) {
                if (is_free(cell, i)) {
                    combine(cell, half(cell, i, false), half(cell, i, true));
                    break;
                }
            }
        }
    }

private:
    std::array<Word, kInner> bits_{};
    Word mask_ = 0;
    std::vector<std::uint8_t> cell_of_row_;
};

// The sums over the rows of each member.
template <typename Word, std::size_t kInner>
class CellSums {
public:
    static constexpr std::size_t kCells = InnerBits<Word, kInner>::kCells;

    CellSums(const BinaryTable<Word>& table, const InnerBits<Word, kInner>& inner,
             const LeafModel& leaf)
        : table_(table),
          inner_(inner),
          leaf_(leaf),
          k_(leaf.n_statistics()),
          statistics_(k_ * kCells) {}

    void set_rows(std::span<const std::uint32_t> rows) {
        any_.fill(0);
        every_.fill(~Word{0});
        sizes_.fill(0);
        std::fill(statistics_.begin(), statistics_.end(), 0.0);
        for (const std::uint32_t row : rows) {
            const std::size_t cell = inner_.cell_of(row);
            any_[cell] |= table_.rows[row].bits;
            every_[cell] &= table_.rows[row].bits;
            sizes_[cell] += table_.rows[row].sizes;
            leaf_.add(row, statistics_.data() + cell * k_);
        }
        inner_.from_halves([this](std::size_t cell, std::size_t left, std::size_t right) {
            any_[cell] = any_[left] | any_[right];
            every_[cell] = every_[left] & every_[right];
            sizes_[cell] = sizes_[left] + sizes_[right];
            for (std::size_t c = 0; c < k_; ++c) {
                statistics_[cell * k_ + c] =
                    statistics_[left * k_ + c] + statistics_[right * k_ + c];
            }
        });
    }

    // Bits that part a member.
    Word varying(std::size_t cell) const { return any_[cell] & ~every_[cell]; }
    Sizes sizes(std::size_t cell) const { return sizes_[cell]; }
    const double* statistics(std::size_t cell) const { return statistics_.data() + cell * k_; }

private:
    const BinaryTable<Word>& table_;
    const InnerBits<Word, kInner>& inner_;
    const LeafModel& leaf_;
    std::size_t k_;
    std::array<Word, kCells> any_{}, every_{};
    std::array<Sizes, kCells> sizes_{};
    std::vector<double> statistics_;
};

}  // namespace slp::exact
