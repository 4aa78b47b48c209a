// What any further split must cost under the program: bounds on the weights of derivations from a
// state, without looking at the splits of the box. Proofs: docs/search.md.
//
// A box of one distinct row cannot split. A box of two or more has a split wherever leaves may have
// one row and no constraint forbids a split in the state (`simple` below); then the labels of
// stopping are known exactly.

#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "problem/geometry.hpp"
#include "problem/problem.hpp"
#include "problem/split_measures.hpp"

namespace slp::search {

class WeightBound {
public:
    explicit WeightBound(const Problem& problem);

    // Logs. Weights of the leaf rules, through calls, of the box in the state: at least the largest
    // one, and at most (-inf where nothing is known).
    double log_stop_above(std::int32_t state, Sizes sizes) {
        return facts(state).stop_above[may_split(sizes)];
    }
    double log_stop_above(std::int32_t state) {
        const auto& above = facts(state).stop_above;
        return std::max(above[0], above[1]);
    }
    double log_stop_below(std::int32_t state, Sizes sizes) {
        return facts(state).stop_below[may_split(sizes)];
    }
    // At least the log weight of any derivation that splits the box; -inf if it cannot split.
    double log_split_above(std::int32_t state, Sizes sizes) {
        if (!may_split(sizes)) {
            return -INFINITY;
        }
        facts(state);
        // The split probability depends on the bits of the rows alone, and two rows are the only
        // ones of one bit.
        const std::uint32_t rows = distinct_rows(sizes);
        double& kept = facts_[static_cast<std::size_t>(state)]
                           ->split_above[static_cast<std::size_t>(std::bit_width(rows - 1))];
        if (std::isnan(kept)) {
            kept = new_split_above(state, rows);
        }
        return kept;
    }
    // The same where at least so many features vary on the box, in a state that `one_split` knows.
    double log_split_above(std::int32_t state, Sizes sizes, std::uint32_t varying) {
        const double out = log_split_above(state, sizes);
        const bool alike = binary_ && equal_weights_;
        if (out == -INFINITY ||
            !is_uniform_at_most(facts(state).splits[0].rule->measure, alike)) {
            return out;
        }
        const auto least = static_cast<std::size_t>(std::bit_width(distinct_rows(sizes) - 1));
        return varying > least ? out + logs_[least] - logs_[varying] : out;
    }

    // For a state with leaf rules and one split rule, which leads to the same two states from every
    // cut, in boxes that surely can split: the rule, at least its log weight, and the states. Else
    // the rule is null.
    struct OneSplit {
        const Rule* rule;
        double log_weight;
        std::int32_t left, right;
    };
    OneSplit one_split(std::int32_t state);
    // Whether no derivation from the state splits.
    bool only_stops(std::int32_t state) {
        const Facts& own = facts(state);
        return own.splits.empty() && own.calls.empty();
    }

    // Whether the labels of stopping and of splitting, in a state that `one_split` knows or that
    // only stops, are the bounds on them.
    bool is_exact(std::int32_t state) {
        return facts(state).stop_above == facts(state).stop_below;
    }

private:
    // Levels of splits whose weights are followed.
    static constexpr std::size_t kLevels = 3;
    // A box of one distinct row, of two, of more.
    enum Rows { one, two, more };

    struct SplitRuleBound {
        double log_weight;  // normalised, at most
        const Rule* rule;
        // The distinct pairs of states that it leads to; none if there are too many.
        std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
        bool any_pair = false;
    };
    struct Facts {
        bool simple = false;
        // By whether the box may split.
        std::array<double, 2> stop_above{}, stop_below{};
        std::vector<SplitRuleBound> splits;
        // Log weights of calls and the states called.
        std::vector<std::pair<double, std::int32_t>> calls;
        // split_above by levels, for boxes of two rows and of more; NaN where not yet known.
        std::array<std::array<double, 2>, kLevels + 1> split{};
        // split_above of boxes that may split, by the bits of their rows; NaN where not yet known.
        std::array<double, 33> split_above{};
    };

    const Facts& facts(std::int32_t state) {
        const auto at = static_cast<std::size_t>(state);
        return at < facts_.size() && facts_[at] ? *facts_[at] : new_facts(state);
    }
    const Facts& new_facts(std::int32_t state);
    void find_facts(std::int32_t state, Facts& out);
    SplitRuleBound split_of(const Rule& rule, double log_weight) const;
    // At least the log weight of a derivation of any kind, of one that splits, and of the split
    // probability.
    double log_any(std::int32_t state, bool several, std::size_t levels);
    double log_split(std::int32_t state, bool two_rows, std::size_t levels);
    double new_split_above(std::int32_t state, std::uint32_t rows);
    double log_probability(const Rule& rule, bool simple, std::uint32_t rows) const;
    bool may_split(Sizes sizes) const {
        return distinct_rows(sizes) >= 2 &&
               data_rows(sizes) / 2 >= static_cast<std::uint64_t>(problem_.grammar.min_leaf);
    }
    double flat() const { return nonpositive_ ? 0.0 : INFINITY; }

    const Problem& problem_;
    // Whether no rule's weight is above 1.
    bool nonpositive_;
    bool equal_weights_ = true, binary_ = true;
    // log i, for i up to the number of features and to the bits of a number of rows.
    std::vector<double> logs_;
    std::vector<std::unique_ptr<Facts>> facts_;
};

}  // namespace slp::search
