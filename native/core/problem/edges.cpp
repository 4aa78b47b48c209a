#include "problem/edges.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "problem/columns/left_sides.hpp"
#include "problem/split_measures.hpp"

namespace slp {

namespace {

constexpr std::size_t kMostKeysKept = 1 << 12;
// Probabilities below this get an exponent.
constexpr double kSmall = 0x1p-900;
// Log of what an exponent stands for.
constexpr double kLogStep = 512 * std::numbers::ln2;

}  // namespace

EdgeBuilder::EdgeBuilder(const Problem& problem, const Geometry& geometry)
    : problem_(problem),
      geometry_(geometry),
      n_owed_(problem.n_owed()),
      counted_(problem.counted()),
      weights_(problem),
      statistics_(problem.leaf.n_statistics()),
      sum_(problem.table.features.size()),
      of_feature_(problem.table.features.size()) {
    const States& states = problem.grammar.states;
    const std::size_t n =
        states.open() ? kMostKeysKept : states.size() * static_cast<std::size_t>(n_owed_);
    for (std::size_t i = 0; i < std::min(n, kMostKeysKept); ++i) {
        state_keys_.push_back(random_key(kStateStream, i));
    }
}

ItemEdges EdgeBuilder::edges(const Box& box, std::span<const BoxSplit> splits,
                             std::int32_t product, Arena& arena) {
    const std::int32_t state = product / n_owed_, owed = product % n_owed_;
    const auto& rules = problem_.grammar.states[static_cast<std::size_t>(state)];
    RuleEdges* const out = arena.allocate<RuleEdges>(rules.size());
    ItemEdges item;
    std::size_t size = 0;
    bool has_statistics = false;
    ApplicableRules applicable(problem_.grammar);
    reach_.assign(rules.size(), {false, false});
    log_weights_ = weights_.of(state, box.rows);
    for (std::size_t r = 0; r < rules.size(); ++r) {
        const Rule& rule = rules[r];
        const bool is_leaf = rule.kind == RuleKind::leaf;
        if (log_weights_[r] == -INFINITY) {
            continue;
        }
        if (is_leaf && !has_statistics) {
            problem_.leaf.sum(box.rows, statistics_.data());
            has_statistics = true;
        }
        reach_[r] = applicable.add(
            rule, log_weights_[r],
            [&](const auto& classes) { return has_majority(classes, statistics_); },
            [&] {
                const bool some = find_split_probabilities(rule, box, splits);
                return RuleReach{some, some};
            });
        if (!reach_[r].open || (is_leaf && counted_ && owed != 0)) {
            continue;
        }
        RuleEdges found{rule.kind, static_cast<std::int32_t>(r), log_weights_[r], {}};
        if (rule.kind == RuleKind::call) {
            const std::int32_t called = rule.state * n_owed_ + owed;
            Edge* const edge = arena.allocate<Edge>(1);
            *edge = {box.key + state_key(called), {}, 1.0, 0, called, -1, 0};
            found.edges = {edge, 1};
        } else if (rule.kind == RuleKind::split) {
            found.edges = split_edges(rule, box, splits, owed, arena);
        }
        out[size++] = found;
        item.n_edges += static_cast<std::uint32_t>(found.edges.size()) + is_leaf;
    }
    if (has_statistics) {
        problem_.set_prior(statistics_.data(), state);
        item.log_likelihood = problem_.leaf.log_marginal(statistics_.data());
    }
    const double divisor = applicable.log_divisor();
    for (std::size_t i = 0; i < size; ++i) {
        out[i].log_factor -= divisor;
    }
    item.rules = {out, size};
    return item;
}

bool EdgeBuilder::find_split_probabilities(const Rule& rule, const Box& box,
                                           std::span<const BoxSplit> splits) {
    taken_.clear();
    scaled_.resize(splits.size());
    exponent_.assign(splits.size(), 0);
    for (std::uint32_t i = 0; i < splits.size(); ++i) {
        const auto at = static_cast<std::size_t>(splits[i].cell) * 2;
        if (problem_.grammar.takes_over(rule.transitions[at])) {
            taken_.push_back(i);
        }
    }
    if (taken_.empty()) {
        return false;
    }
    if (rule.measure == Measure::partition) {
        keep_first_of_each_partition(box, splits);
    }
    SplitMeasure measure(problem_.grammar, rule);
    std::fill(sum_.begin(), sum_.end(), 0.0);
    for (const std::uint32_t i : taken_) {
        const BoxSplit& split = splits[i];
        const bool other = has_other_version(problem_.table.features[split.feature], splits, i);
        scaled_[i] = measure.weight(geometry_, split.feature, split.cut, other);
        sum_[split.feature] += scaled_[i];
    }
    measure.find_groups([&](std::size_t f) { return sum_[f] > 0; });
    double masses = 0;
    for (std::size_t f = 0; f < sum_.size(); ++f) {
        masses += sum_[f] > 0 ? measure.mass(f, sum_[f]) : 0.0;
    }
    const double total = measure.total(masses, rule.range_total);
    for (std::size_t f = 0; f < sum_.size(); ++f) {
        if (sum_[f] > 0) {
            sum_[f] = measure.has_shares(problem_.table.features[f]) ? 1.0 : sum_[f];
            of_feature_[f] = measure.factor(f, sum_[f], total);
        }
    }
    const bool weighs = weighs_splits(rule.measure);
    for (const std::uint32_t i : taken_) {
        const std::uint32_t f = splits[i].feature;
        const Feature& feature = problem_.table.features[f];
        if (measure.has_shares(feature)) {
            set_shared_probability(feature.log_share(splits[i].cut), f, i);
            continue;
        }
        const double weight = scaled_[i];
        scaled_[i] = weight / measure.unit(sum_[f]) * of_feature_[f];
        if (weighs && scaled_[i] < kSmall) {
            find_small_probability(measure, splits, i, weight);
        }
    }
    return true;
}

// The probability of a split whose weight is a tiny part of those that it is divided by.
void EdgeBuilder::find_small_probability(const SplitMeasure& measure,
                                         std::span<const BoxSplit> splits, std::uint32_t i,
                                         double weight) {
    const BoxSplit& split = splits[i];
    double whole = sum_[split.feature];
    if (measure.by_length()) {
        const bool other = has_other_version(problem_.table.features[split.feature], splits, i);
        weight = geometry_.gap(split.feature, split.cut) / (other ? 2 : 1);
        whole = geometry_.span(split.feature);
    }
    int of_weight = 0, of_whole = 0, of_factor = 0;
    const double mantissa = std::frexp(weight, &of_weight) / std::frexp(whole, &of_whole) *
                            std::frexp(of_feature_[split.feature], &of_factor);
    const int power = of_weight - of_whole + of_factor;
    exponent_[i] = power / 512;
    scaled_[i] = std::ldexp(mantissa, power - 512 * exponent_[i]);
}

// The probability of a split by its share of the feature.
void EdgeBuilder::set_shared_probability(double log_share, std::uint32_t f, std::uint32_t i) {
    const double least = std::log(kSmall);
    exponent_[i] = log_share < least ? static_cast<std::int32_t>(log_share / kLogStep) : 0;
    scaled_[i] = std::exp(log_share - kLogStep * exponent_[i]) * of_feature_[f];
}

// The first of the splits that part the rows alike, whichever side is left, stands for the others.
void EdgeBuilder::keep_first_of_each_partition(const Box& box, std::span<const BoxSplit> splits) {
    const auto smaller_side = [&](std::uint32_t i) {
        const Key left = splits[i].left, right = box.key - left;
        return left < right ? left : right;
    };
    const std::size_t mask = std::bit_ceil(2 * taken_.size()) - 1;
    parting_.assign(mask + 1, UINT32_MAX);
    std::size_t kept = 0;
    for (const std::uint32_t i : taken_) {
        const Key own = smaller_side(i);
        std::size_t at = own.b & mask;
        while (parting_[at] != UINT32_MAX && !(smaller_side(parting_[at]) == own)) {
            at = (at + 1) & mask;
        }
        if (parting_[at] == UINT32_MAX) {
            parting_[at] = i;
            taken_[kept++] = i;
        }
    }
    taken_.resize(kept);
}

std::span<Edge> EdgeBuilder::split_edges(const Rule& rule, const Box& box,
                                         std::span<const BoxSplit> splits, std::int32_t owed,
                                         Arena& arena) {
    const std::size_t ways = counted_ ? static_cast<std::size_t>(owed) : 1;
    Edge* const begin = arena.allocate<Edge>(taken_.size() * ways);
    Edge* end = begin;
    for (const std::uint32_t i : taken_) {
        const BoxSplit& split = splits[i];
        const auto at = static_cast<std::size_t>(split.cell) * 2;
        if (rule.transitions[at] < 0) {
            continue;
        }
        const std::int32_t left = rule.transitions[at] * n_owed_;
        const std::int32_t right = rule.transitions[at + 1] * n_owed_;
        const Sizes right_sizes = box.sizes - split.left_sizes;
        // The leaves owed are distributed: at least one to each side.
        for (std::int32_t j = 0; j < static_cast<std::int32_t>(ways); ++j) {
            const std::int32_t a = left + j, b = right + (counted_ ? owed - 1 - j : 0);
            if (room(a, split.left_sizes) && room(b, right_sizes)) {
                *end++ = {split.left + state_key(a),
                          box.key - split.left + state_key(b),
                          scaled_[i],
                          i,
                          a,
                          b,
                          exponent_[i]};
            }
        }
    }
    return {begin, end};
}

}  // namespace slp
