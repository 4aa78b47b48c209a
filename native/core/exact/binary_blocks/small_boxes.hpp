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
// + 1) / 2 pairs (S, T) in all, for any number of features. Where a state tells splits apart, each
// kind of splits has weights of its own, and so has its mirror image (SplitGroup).

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "exact/binary_blocks/model.hpp"
#include "exact/binary_blocks/table.hpp"
#include "exact/block_search.hpp"
#include "exact/block_grammar.hpp"

namespace slp::exact {

// The pairs (S, T) of m rows. S is a set of rows as bits; its parts are numbered by the one that is
// without the lowest row of S, ascending. Pairs follow each other with S ascending.
struct PartsOf {
    struct Pair {
        std::uint8_t part, rest;
        // The two pairs that its weight is the sum of; none for the whole box.
        std::uint16_t with, without;
    };
    std::vector<Pair> pairs;
    // Where the pairs of each set begin; one more entry.
    std::vector<std::uint16_t> first;

    explicit PartsOf(std::size_t m) {
        const std::size_t n_sets = std::size_t{1} << m;
        first.assign(n_sets + 1, 0);
        const auto lowest = [](std::size_t s) { return s & (~s + 1); };
        for (std::size_t s = 1; s < n_sets; ++s) {
            const std::size_t others = s ^ lowest(s);
            for (std::size_t rest = (0 - others) & others; rest != 0;
                 rest = (rest - others) & others) {
                pairs.push_back(
                    {static_cast<std::uint8_t>(s ^ rest), static_cast<std::uint8_t>(rest), 0, 0});
            }
            first[s + 1] = static_cast<std::uint16_t>(pairs.size());
        }
        const auto number_of = [&](std::size_t s, std::size_t part) {
            const std::size_t rest = (part & lowest(s)) != 0 ? s ^ part : part;
            const auto found = std::find_if(pairs.begin() + first[s], pairs.begin() + first[s + 1],
                                            [&](const Pair& pair) { return pair.rest == rest; });
            return static_cast<std::uint16_t>(found - pairs.begin());
        };
        for (std::size_t s = 1; s + 1 < n_sets; ++s) {
            const std::size_t row = lowest(~s);
            for (std::size_t e = first[s]; e < first[s + 1]; ++e) {
                pairs[e].with = number_of(s | row, pairs[e].part | row);
                pairs[e].without = number_of(s | row, pairs[e].part);
            }
        }
    }
};

// The same for all m up to kMostFewRows, at index m.
inline const std::array<PartsOf, kMostFewRows + 1>& parts_of_few() {
    static const std::array all = []<std::size_t... m>(std::index_sequence<m...>) {
        return std::array{PartsOf(m)...};
    }(std::make_index_sequence<kMostFewRows + 1>());
    return all;
}

// Evaluates small boxes; one for each thread. kVector: a value for each state.
template <typename Word, Sum kSum, bool kVector>
class SmallBoxes {
    static constexpr std::size_t kMost = kFewRows<kVector>;
    static constexpr std::size_t kSets = std::size_t{1} << kMost;
    // A row is in one part, in the other or in none; without order, and no part is empty.
    static constexpr std::size_t kPairs = [] {
        std::size_t n = 1;
        for (std::size_t row = 0; row < kMost; ++row) {
            n *= 3;
        }
        return (n + 1) / 2 - kSets;
    }();
    static_assert(kMost != 6 || kPairs == 301);

public:
    explicit SmallBoxes(const BinaryModel<Word>& model)
        : model_(model),
          length_(kVector ? model.grammar.nodes.size() : 1),
          k_(model.problem.leaf.n_statistics()),
          statistics_(k_ << kMost),
          values_(length_ << kMost),
          sum_(length_),
          of_kind_(model.grammar.kinds.size()) {
        if constexpr (kVector) {
            for (std::uint32_t kind = 0; kind < of_kind_.size(); ++kind) {
                const std::size_t own = groups_.size();
                const bool has_sides = model.grammar.kinds[kind].has_sides;
                group_of_kind_.push_back(own);
                groups_.push_back({kind, false, own + (has_sides ? 1 : 0)});
                if (has_sides) {
                    groups_.push_back({kind, true, own});
                }
            }
            weights_.resize(kPairs * n_groups());
            largest_.resize(weights_.size());
        }
    }

    // Evaluates the box of these rows, ascending: 1 to kMost of them; and the boxes of all sets
    // of them, each set a word of bits.
    void work_out(std::span<const std::uint32_t> rows, bool is_root) {
        m_ = rows.size();
        is_root_ = is_root;
        inside_ = true;
        set_rows(rows);
        if (m_ > 1) {
            find_weights();
        }
        const PartsOf& parts = parts_of_few()[m_];
        for (std::size_t s = 1; s < std::size_t{1} << m_; ++s) {
            sum_parts(s, parts);
        }
    }

    // For a set of the last box's rows: values, as many as n_states_of says; bits that part it;
    // rows of the data.
    std::span<const double> values(std::size_t s) const {
        return {values_.data() + s * length_, n_states_of(s)};
    }
    // Whether they are inside the range of doubles; of vectors, those of all sets.
    bool is_inside_range(std::size_t s) const {
        return kVector ? inside_ : is_inside(model_.grammar, values_[s]);
    }
    Word varying(std::size_t s) const { return any_[s] & ~every_[s]; }
    std::uint32_t n_rows(std::size_t s) const { return n_rows_[s]; }

private:

    // Sums over all sets of rows.
    void set_rows(std::span<const std::uint32_t> rows) {
        std::fill_n(statistics_.begin(), k_, 0.0);
        any_[0] = 0;
        every_[0] = ~Word{0};
        n_rows_[0] = 0;
        for (std::size_t i = 0; i < m_; ++i) {
            const typename BinaryTable<Word>::BinaryRow& row = model_.table.rows[rows[i]];
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
                part[lowest_bit(w)] |= static_cast<std::uint8_t>(1U << i);
            }
        }
        const PartsOf& parts = parts_of_few()[m_];
        const std::size_t whole = parts.first[(1U << m_) - 1];
        for (std::size_t g = 0; g < n_groups(); ++g) {
            std::fill(of(weights_, g, whole), of(weights_, g, parts.pairs.size()), 0.0);
            if constexpr (kSum == Sum::best) {
                std::fill(of(largest_, g, whole), of(largest_, g, parts.pairs.size()), 0.0);
            }
        }
        for (Word w = varying & ~model_.excluded; w != 0; w &= w - 1) {
            const auto bit = lowest_bit(w);
            const std::size_t at = whole + part[bit] / 2 - 1, g = group_of(bit);
            *of(weights_, g, at) += model_.weight_of_bit[bit];
            if constexpr (kSum == Sum::best) {
                double& largest = *of(largest_, g, at);
                largest = std::max(largest, model_.weight_of_bit[bit]);
            }
        }
        for (std::size_t e = whole; e-- > 0;) {
            const PartsOf::Pair& pair = parts.pairs[e];
            for (std::size_t g = 0; g < n_groups(); ++g) {
                // Without row 0, its part is the other one of the larger set.
                const std::size_t other = !kVector || (pair.part & 1) != 0 ? g : groups_[g].mirror;
                *of(weights_, g, e) =
                    *of(weights_, g, pair.with) + *of(weights_, other, pair.without);
                if constexpr (kSum == Sum::best) {
                    *of(largest_, g, e) =
                        std::max(*of(largest_, g, pair.with), *of(largest_, other, pair.without));
                }
            }
        }
    }

    std::size_t n_groups() const { return kVector ? groups_.size() : 1; }

    // The group of a bit's splits, seen with the first row on the left: mirrored if that row has
    // the bit.
    std::size_t group_of(std::size_t bit) const {
        const std::size_t group = kVector ? group_of_kind_[model_.kind_of_bit[bit]] : 0;
        return kVector && (bits_[0] >> bit & 1) != 0 ? groups_[group].mirror : group;
    }

    // Those of one group, or of as many as there are.
    using Weights = std::conditional_t<kVector, std::vector<double>, std::array<double, kPairs>>;
    static double* of(Weights& weights, std::size_t group, std::size_t pair) {
        return weights.data() + (kVector ? group * kPairs : 0) + pair;
    }

    void sum_parts(std::size_t s, const PartsOf& parts) {
        const double* const statistics = statistics_.data() + s * k_;
        if constexpr (kVector) {
            const std::size_t n = n_states_of(s);
            const bool is_root = is_root_ && s + 1 == std::size_t{1} << m_;
            std::fill_n(sum_.begin(), n, 0.0);
            std::fill(of_kind_.begin(), of_kind_.end(), 0.0);
            model_.add_excluded(varying(s), of_kind_.data());
            for (std::size_t e = parts.first[s]; e < parts.first[s + 1]; ++e) {
                add_states(parts.pairs[e], e, is_root, n);
            }
            inside_ = model_.template write<kSum>(is_root, statistics, n_rows_[s],
                                                  of_kind_.data(), sum_.data(), n,
                                                  values_.data() + s * length_) &&
                      inside_;
            return;
        }
        const auto end = std::size_t{parts.first[s + 1]};
        auto e = std::size_t{parts.first[s]};
        double sum = 0.0, weights = 0.0;
        model_.add_excluded(varying(s), &weights);
        if (model_.least > 1) {
            for (; e < end; ++e) {
                const PartsOf::Pair& pair = parts.pairs[e];
                if (weights_[e] > 0.0 && is_allowed(pair)) {
                    weights += weights_[e];
                    add(pair, e, sum);
                }
            }
        } else {
            // Every other pair goes to a second sum, so that additions do not wait for each other.
            double other = 0.0, other_weights = 0.0;
            for (; e + 1 < end; e += 2) {
                weights += weights_[e];
                other_weights += weights_[e + 1];
                add(parts.pairs[e], e, sum);
                add(parts.pairs[e + 1], e + 1, other);
            }
            if (e < end) {
                weights += weights_[e];
                add(parts.pairs[e], e, sum);
            }
            weights += other_weights;
            add_term<kSum>(other, sum);
        }
        values_[s] = model_.template value_of_one<kSum>(model_.leaf(statistics, n_rows_[s]),
                                                        weights, sum);
    }

    // Whether both parts may be leaves.
    bool is_allowed(const PartsOf::Pair& pair) const {
        return n_rows_[pair.part] >= model_.least && n_rows_[pair.rest] >= model_.least;
    }

    void add(const PartsOf::Pair& pair, std::size_t e, double& sum) const {
        const double weight = kSum == Sum::best ? largest_[e] : weights_[e];
        add_term<kSum>(weight * values_[pair.part] * values_[pair.rest], sum);
    }

    void add_states(const PartsOf::Pair& pair, std::size_t e, bool is_root, std::size_t n) {
        const double* const part = values_.data() + pair.part * length_;
        const double* const rest = values_.data() + pair.rest * length_;
        for (std::size_t g = 0; g < n_groups() && is_allowed(pair); ++g) {
            const double weights = *of(weights_, g, e);
            if (!(weights > 0.0)) {
                continue;
            }
            const SplitGroup& group = groups_[g];
            of_kind_[group.kind] += weights;
            add_split<kSum>(model_, group.kind, is_root,
                            kSum == Sum::best ? *of(largest_, g, e) : weights,
                            group.is_mirrored ? rest : part, group.is_mirrored ? part : rest, n,
                            sum_.data());
        }
    }

    std::size_t n_states_of(std::size_t s) const {
        return kVector ? model_.n_states_of(varying(s)) : 1;
    }

    const BinaryModel<Word>& model_;
    std::size_t length_;
    std::size_t k_;
    std::size_t m_ = 0;
    bool is_root_ = false, inside_ = true;
    std::array<Word, kMost> bits_{};
    // By set of rows.
    std::array<Word, kSets> any_{}, every_{};
    std::array<std::uint32_t, kSets> n_rows_{};
    std::vector<double> statistics_, values_;
    // By state, and by kind.
    std::vector<double> sum_, of_kind_;
    std::vector<SplitGroup> groups_;
    std::vector<std::size_t> group_of_kind_;
    // By group and pair.
    Weights weights_{}, largest_{};
};

}  // namespace slp::exact
