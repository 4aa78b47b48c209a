// Values of boxes of few distinct rows, by sums over sets of rows: no smaller box is looked up.
//
// A feature of two values splits m rows in one way or not at all. Let w_S(T) be the weight of the
// features that split a set S of the rows into T and S \ T. A feature that splits S also splits S
// + x, where x is another row on one side or the other, so
//
//   w_S(T) = w_{S+x}(T + x) + w_{S+x}(T).
//
// This gives all weights from those of the whole box. The value of S is that of a leaf, plus the
// sum over its unordered parts of w_S(T) times the values of T and S \ T. There are (3^m - 2^(m+1)
// + 1) / 2 pairs (S, T) in all, for any number of features.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exact/binary_blocks/model.hpp"
#include "exact/binary_blocks/table.hpp"
#include "exact/block_search.hpp"
#include "exact/block_grammar.hpp"
#include "problem/problem.hpp"

namespace slp::exact {

// The pairs (S, T) of m rows. S is a set of rows as bits; its parts are numbered by the one that is
// without the lowest row of S, ascending. Pairs follow each other with S ascending.
struct PartsOf {
    explicit PartsOf(std::size_t m);

    struct Pair {
        std::uint8_t part, rest;
        // The two pairs that its weight is the sum of; none for the whole box.
        std::uint16_t with, without;
    };
    std::vector<Pair> pairs;
    // Where the pairs of each set begin; one more entry.
    std::vector<std::uint16_t> first;
};

// The same for all m up to kFewRows, at index m.
const std::array<PartsOf, kFewRows + 1>& parts_of_few();

// Evaluates small boxes; one for each thread. kVector: a value for each depth.
template <typename Word, Sum kSum, bool kVector>
class SmallBoxes {
public:
    explicit SmallBoxes(const BinaryModel<Word>& model)
        : model_(model),
          length_(kVector ? model.n_depths() : 1),
          k_(model.problem.leaf.n_statistics()),
          statistics_(k_ << kFewRows),
          values_(length_ << kFewRows),
          sum_(length_) {}

    // Evaluates the box of these rows, ascending: 1 to kFewRows of them; and the boxes of all sets
    // of them, each set a word of bits.
    void work_out(std::span<const std::uint32_t> rows) {
        m_ = rows.size();
        set_rows(rows);
        if (m_ > 1) {
            find_weights();
        }
        const PartsOf& parts = parts_of_few()[m_];
        for (std::size_t s = 1; s < std::size_t{1} << m_; ++s) {
            sum_parts(s, parts);
        }
    }

    // Of a set of the last box's rows: values, as many as n_depths_of says; bits that part it; rows
    // of the data.
    std::span<const double> values(std::size_t s) const {
        return {values_.data() + s * length_, n_depths_of(s)};
    }
    Word varying(std::size_t s) const { return any_[s] & ~every_[s]; }
    std::uint32_t n_rows(std::size_t s) const { return n_rows_[s]; }

private:
    static constexpr std::size_t kSets = std::size_t{1} << kFewRows;
    static constexpr std::size_t kPairs = 301;  // for six rows

    // Sums over all sets of rows.
    void set_rows(std::span<const std::uint32_t> rows) {
        std::fill_n(statistics_.begin(), k_, 0.0);
        any_[0] = 0;
        every_[0] = ~Word{0};
        n_rows_[0] = 0;
        for (std::size_t i = 0; i < m_; ++i) {
            const typename BinaryTable<Word>::Row& row = model_.table.rows[rows[i]];
            bits_[i] = row.bits;
            const std::size_t half = std::size_t{1} << i;
            for (std::size_t s = 0; s < half; ++s) {
                n_rows_[half + s] = n_rows_[s] + data_rows(row.sizes);
                any_[half + s] = any_[s] | row.bits;
                every_[half + s] = every_[s] & row.bits;
                double* const to = statistics_.data() + (half + s) * k_;
                std::copy_n(statistics_.data() + s * k_, k_, to);
                model_.problem.leaf.add(rows[i], to);
            }
        }
    }

    // Weights of all pairs: those of the whole box, then of ever smaller sets.
    void find_weights() {
        std::array<std::uint8_t, kBits<Word>> part{};
        const Word varying = any_[(1U << m_) - 1] & ~every_[(1U << m_) - 1];
        for (std::size_t i = 1; i < m_; ++i) {
            for (Word w = bits_[i] ^ bits_[0]; w != 0; w &= w - 1) {
                part[lowest_bit(w)] |=
                    static_cast<std::uint8_t>(1U << i);
            }
        }
        const PartsOf& parts = parts_of_few()[m_];
        const std::size_t whole = parts.first[(1U << m_) - 1];
        std::fill(weights_.begin() + whole, weights_.begin() + parts.pairs.size(), 0.0);
        if constexpr (kSum == Sum::best) {
            std::fill(largest_.begin() + whole, largest_.begin() + parts.pairs.size(), 0.0);
        }
        for (Word w = varying & ~model_.excluded; w != 0; w &= w - 1) {
            const auto bit = lowest_bit(w);
            const std::size_t at = whole + part[bit] / 2 - 1;
            weights_[at] += model_.probabilities.weight[bit];
            if constexpr (kSum == Sum::best) {
                largest_[at] = std::max(largest_[at], model_.probabilities.weight[bit]);
            }
        }
        for (std::size_t e = whole; e-- > 0;) {
            const PartsOf::Pair& pair = parts.pairs[e];
            weights_[e] = weights_[pair.with] + weights_[pair.without];
            if constexpr (kSum == Sum::best) {
                largest_[e] = std::max(largest_[pair.with], largest_[pair.without]);
            }
        }
    }

    void sum_parts(std::size_t s, const PartsOf& parts) {
        const double leaf = model_.leaf(statistics_.data() + s * k_, n_rows_[s]);
        const std::size_t n = n_depths_of(s);
        const auto first = parts.pairs.begin() + parts.first[s];
        const auto last = parts.pairs.begin() + parts.first[s + 1];
        std::fill_n(sum_.begin(), n, 0.0);
        double weights = model_.excluded_weight(varying(s));
        if (kVector || model_.least > 1) {
            for (auto pair = first; pair != last; ++pair) {
                const auto e = static_cast<std::size_t>(pair - parts.pairs.begin());
                if (weights_[e] > 0.0 && n_rows_[pair->part] >= model_.least &&
                    n_rows_[pair->rest] >= model_.least) {
                    weights += weights_[e];
                    add(*pair, e, n, sum_.data());
                }
            }
        } else {
            // Every other pair goes to a second sum, so that additions do not wait for each other.
            double own = 0.0, other = 0.0, other_weights = 0.0;
            auto e = std::size_t{parts.first[s]};
            for (const std::size_t end = parts.first[s + 1]; e + 1 < end; e += 2) {
                weights += weights_[e];
                other_weights += weights_[e + 1];
                add(parts.pairs[e], e, n, &own);
                add(parts.pairs[e + 1], e + 1, n, &other);
            }
            if (e < parts.first[s + 1]) {
                weights += weights_[e];
                add(parts.pairs[e], e, n, &own);
            }
            weights += other_weights;
            add_term<kSum>(other, own);
            sum_[0] = own;
        }
        for (std::size_t t = 0; t < n; ++t) {
            values_[s * length_ + t] = value_at<kSum>(model_, t, leaf, sum_[t], weights);
        }
    }

    void add(const PartsOf::Pair& pair, std::size_t e, std::size_t n, double* sum) const {
        add_split<kSum, kVector>(model_, kSum == Sum::best ? largest_[e] : weights_[e],
                                 values_.data() + pair.part * length_,
                                 values_.data() + pair.rest * length_, n, sum);
    }

    std::size_t n_depths_of(std::size_t s) const {
        return kVector ? model_.n_depths_of(varying(s)) : 1;
    }

    const BinaryModel<Word>& model_;
    std::size_t length_;
    std::size_t k_;
    std::size_t m_ = 0;
    std::array<Word, kFewRows> bits_{};
    // By set of rows.
    std::array<Word, kSets> any_{}, every_{};
    std::array<std::uint32_t, kSets> n_rows_{};
    std::vector<double> statistics_, values_;
    std::vector<double> sum_;
    // By pair.
    std::array<double, kPairs> weights_{}, largest_{};
};

}  // namespace slp::exact
