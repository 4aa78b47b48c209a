// One thread's part in the search by binary-feature blocks.

#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exact/binary_blocks/cells.hpp"
#include "exact/binary_blocks/model.hpp"
#include "exact/binary_blocks/sums.hpp"
#include "exact/block_walk.hpp"

namespace slp::exact {

inline constexpr std::size_t kMarkedRows = 64;

template <typename Word, std::size_t kInner>
struct BinarySetting {
    BinaryModel<Word> model;
    InnerBits<Word, kInner> inner;
    // Values of the blocks of one row, by row.
    std::vector<double> singles;

    std::size_t words_of_single() const {
        return model.grammar.nodes.size() * InnerBits<Word, kInner>::kCells;
    }
    const double* single(std::uint32_t row) const {
        return singles.data() + row * words_of_single();
    }
};

// Members are kept as positions of their values.
template <typename Word, Sum kSum, bool kVector, std::size_t kInner>
class BinaryWorker
    : public BlockWalk<BinaryWorker<Word, kSum, kVector, kInner>, BinarySplit, double> {
public:
    using Walk = BlockWalk<BinaryWorker, BinarySplit, double>;

    BinaryWorker(WalkShared& shared, const BinarySetting<Word, kInner>& setting, std::size_t thread,
                 Pool& pool, const Poll* poll)
        : Walk(shared, thread, poll),
          setting_(setting),
          model_(setting.model),
          sums_(model_, setting.inner, pool) {}

private:
    friend Walk;

    // Splits on outer bits; none for a box of few rows, which is evaluated without them.
    std::span<BinarySplit> find_splits(const Box& box) {
        if (box.rows.size() <= kFewRows) {
            return {};
        }
        const std::vector<typename BinaryTable<Word>::Row>& rows = model_.table.rows;
        const Word outer =
            model_.table.varying(box.rows) & ~(setting_.inner.mask() | model_.excluded);
        for (Word w = outer; w != 0; w &= w - 1) {
            right_[lowest_bit(w)] = {};
        }
        std::uint64_t mark = 1;
        for (const std::uint32_t number : box.rows) {
            const auto& row = rows[number];
            for (Word w = row.bits & outer; w != 0; w &= w - 1) {
                Side& side = right_[lowest_bit(w)];
                side.key = side.key + row.key;
                side.sizes += row.sizes;
                side.rows |= mark;
            }
            mark = std::rotl(mark, 1);
        }
        auto* const begin = this->arena_.template allocate<BinarySplit>(count_bits(outer));
        BinarySplit* end = begin;
        for (Word w = outer; w != 0; w &= w - 1) {
            const auto bit = static_cast<std::uint32_t>(lowest_bit(w));
            const Side& side = right_[bit];
            if (data_rows(side.sizes) >= model_.least &&
                data_rows(box.sizes - side.sizes) >= model_.least) {
                *end++ = {side.key, side.sizes, side.rows, model_.probabilities.weight[bit], bit};
            }
        }
        return {begin, end};
    }

    Box list_side(const Box& box, const BinarySplit& split, bool left) {
        Box side = split.side(box, left);
        auto* const rows = this->arena_.template allocate<std::uint32_t>(distinct_rows(side.sizes));
        side.rows = {rows, list_rows(box, split, left, rows)};
        return side;
    }

    std::size_t list_rows(const Box& box, const BinarySplit& split, bool left,
                          std::uint32_t* out) const {
        const std::size_t m = box.rows.size();
        std::size_t n = 0;
        if (m <= kMarkedRows) {
            const std::uint64_t all = ~std::uint64_t{0} >> (kMarkedRows - m);
            for (std::uint64_t w = left ? all & ~split.goes_right : split.goes_right; w != 0;
                 w &= w - 1) {
                out[n++] = box.rows[lowest_bit(w)];
            }
            return n;
        }
        for (const std::uint32_t row : box.rows) {
            if ((model_.table.rows[row].bits >> split.bit & 1) == (left ? 0 : 1)) {
                out[n++] = row;
            }
        }
        return n;
    }

    bool follows(const BinarySplit&) const { return true; }

    // A side of one row.
    const double* known(const Box& box, const BinarySplit& split, bool left) const {
        if (distinct_rows(split.side(box, left).sizes) > 1) {
            return nullptr;
        }
        std::uint32_t row = 0;
        list_rows(box, split, left, &row);
        return setting_.single(row);
    }

    const double* work_out(const typename Walk::Frame& f) {
        const auto is_less = [](std::uint64_t a, std::uint64_t b) {
            return *std::bit_cast<const double*>(a) < *std::bit_cast<const double*>(b);
        };
        const auto keep = [&](std::size_t cell, const double* value) {
            if (this->shared_.kept != nullptr) {
                this->shared_.keep(key_of(f.box, cell), std::bit_cast<std::uint64_t>(value),
                                   is_less);
            }
        };
        return sums_.work_out(f.box, model_.table.varying(f.box.rows), f.splits, f.sides, keep);
    }

    // Key of a member.
    Key key_of(const Box& box, std::size_t cell) const {
        Key key;
        for (const std::uint32_t row : box.rows) {
            if (setting_.inner.holds(cell, row)) {
                key = key + model_.table.rows[row].key;
            }
        }
        return key;
    }

    void take_back() {
        if (this->shared_.kept == nullptr) {
            sums_.take_back();
        }
    }
    const BlockCounts& counts() const { return sums_.counts; }

    struct Side {
        Key key;
        Sizes sizes = 0;
        std::uint64_t rows = 0;
    };

    const BinarySetting<Word, kInner>& setting_;
    const BinaryModel<Word>& model_;
    BinarySums<Word, kSum, kVector, kInner> sums_;
    std::array<Side, kBits<Word>> right_;
};

}  // namespace slp::exact
