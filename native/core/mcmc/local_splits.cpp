#include "mcmc/local_splits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "problem/columns/left_sides.hpp"

namespace slp::mcmc {

LocalSplits::LocalSplits(const Problem& problem, const Geometry& geometry)
    : problem_(problem),
      geometry_(geometry),
      feature_weights_(problem.grammar.feature_weights),
      cuts_(problem),
      mass_(problem.table.features.size()),
      log_mass_(problem.table.features.size()),
      splitter_(geometry),
      builder_(problem, geometry) {}

void LocalSplits::enter(Rows rows, std::int32_t state) {
    rows_ = rows;
    state_ = state;
    rules_ = &problem_.grammar.states[static_cast<std::size_t>(state)];
    steps_here_ = &steps_of(static_cast<std::size_t>(state));
    cuts_.enter(rows);
    has_edges_ = false;
}

const std::vector<LocalSplits::RuleSteps>& LocalSplits::steps_of(std::size_t state) {
    if (state >= steps_.size()) {
        steps_.resize(state + 1);
    }
    std::vector<RuleSteps>& found = steps_[state];
    if (!found.empty()) {
        return found;
    }
    for (const Rule& rule : *rules_) {
        found.push_back({rule_steps(problem_, rule)});
    }
    return found;
}

RuleReach LocalSplits::reach(std::size_t r) {
    const Rule& rule = (*rules_)[r];
    if (rule.measure == Measure::partition) {
        const RuleEdges* edges = partition_edges(r);
        return {edges != nullptr, edges != nullptr && !edges->edges.empty()};
    }
    RuleReach out{false, false};
    const auto& features = (*steps_here_)[r].features;
    for (std::size_t f = 0; f < features.size() && !out.open; ++f) {
        const RuleReach own = reach_of_feature(rule, features[f], f);
        out = {out.applies || own.applies, own.open};
    }
    return out;
}

RuleReach LocalSplits::reach_of_feature(const Rule& rule, const FeatureSteps& steps,
                                        std::size_t f) {
    const bool condition = problem_.grammar.condition;
    switch (steps.kind) {
        case Steps::open: {
            const bool can = cuts_.can_split(f);
            return {can, can};
        }
        case Steps::forbidden: return {condition && cuts_.can_split(f), false};
        case Steps::outside: return {false, false};
        case Steps::mixed: break;
    }
    const Counts counts = count(rule, steps, f);
    return {counts.taken_over > 0, counts.n_open > 0};
}

void LocalSplits::append_taken_over(std::size_t r, std::vector<std::uint8_t>& out) {
    const auto& features = (*steps_here_)[r].features;
    for (std::size_t f = 0; f < features.size(); ++f) {
        out.push_back(reach_of_feature((*rules_)[r], features[f], f).applies);
    }
}

std::size_t LocalSplits::transition(std::size_t f, const Cut& cut) const {
    return static_cast<std::size_t>(problem_.table.features[f].cell(cut)) * 2;
}

LocalSplits::Counts LocalSplits::count(const Rule& rule, const FeatureSteps& steps,
                                         std::size_t f) {
    const SplitMeasure measure = measure_of(rule);
    const Feature& feature = problem_.table.features[f];
    const std::span<const Cut> cuts = cuts_.cuts(f);
    Counts out;
    for (std::size_t i = 0; i < cuts.size(); ++i) {
        const Cut& cut = cuts[i];
        const std::int32_t left =
            steps.kind == Steps::mixed ? rule.transitions[transition(f, cut)] : steps.left;
        const bool other = has_other_version(feature, cuts, i);
        const double weight = measure.weight(geometry_, f, cut, other);
        if (problem_.grammar.takes_over(left)) {
            out.taken_over += weight;
        }
        if (left >= 0) {
            out.open += weight;
            ++out.n_open;
        }
    }
    return out;
}

void LocalSplits::weigh_features(std::size_t r) {
    const Rule& rule = (*rules_)[r];
    const auto& features = (*steps_here_)[r].features;
    SplitMeasure measure = measure_of(rule);
    measure.find_groups([&](std::size_t f) {
        return reach_of_feature(rule, features[f], f).applies;
    });
    total_mass_ = over_ = 0.0;
    log_top_ = 0.0;
    n_features_ = 0;
    bool shares = false;
    for (std::size_t f = 0; f < features.size(); ++f) {
        mass_[f] = 0.0;
        double taken_over, open_fraction;
        const Feature& feature = problem_.table.features[f];
        if (measure.has_shares(feature)) {
            const Counts counts = count(rule, features[f], f);
            log_mass_[f] = -INFINITY;
            if (counts.taken_over > 0) {
                const double mass = measure.mass(f, 1.0);
                over_ += mass;
                log_mass_[f] =
                    std::log(mass * counts.n_open) + feature.log_share(cuts_.cuts(f)[0]);
                shares = true;
            }
            continue;
        }
        if (measure.sums_weights() || features[f].kind == Steps::mixed) {
            const Counts counts = count(rule, features[f], f);
            taken_over = counts.taken_over;
            open_fraction = taken_over > 0 ? counts.open / taken_over : 0.0;
        } else {
            const RuleReach found = reach_of_feature(rule, features[f], f);
            taken_over = found.applies ? 1.0 : 0.0;
            open_fraction = found.open ? 1.0 : 0.0;
        }
        if (taken_over > 0) {
            const double mass = measure.mass(f, taken_over);
            mass_[f] = mass * open_fraction;
            over_ += mass;
        }
        total_mass_ += mass_[f];
        n_features_ += mass_[f] > 0;
    }
    if (shares) {
        weigh_by_shares(measure);
    }
    over_ = measure.total(over_, rule.range_total);
}

// The masses of features whose splits have shares; where they are too small for doubles, the least
// double, as they are never drawn beside others.
void LocalSplits::weigh_by_shares(const SplitMeasure& measure) {
    const auto has_shares = [&](std::size_t f) {
        return measure.has_shares(problem_.table.features[f]) && log_mass_[f] > -INFINITY;
    };
    if (total_mass_ == 0.0) {
        double top = -INFINITY;
        for (std::size_t f = 0; f < mass_.size(); ++f) {
            top = has_shares(f) ? std::max(top, log_mass_[f]) : top;
        }
        log_top_ = top > -INFINITY ? top : 0.0;
    }
    for (std::size_t f = 0; f < mass_.size(); ++f) {
        if (has_shares(f)) {
            mass_[f] = std::max(std::exp(log_mass_[f] - log_top_),
                                std::numeric_limits<double>::min());
            total_mass_ += mass_[f];
            ++n_features_;
        }
    }
}

void LocalSplits::list_open_cuts(const Rule& rule, const FeatureSteps& steps, std::size_t f) {
    const SplitMeasure measure = measure_of(rule);
    const Feature& feature = problem_.table.features[f];
    const std::span<const Cut> cuts = cuts_.cuts(f);
    open_.clear();
    gaps_.clear();
    for (std::size_t i = 0; i < cuts.size(); ++i) {
        const Cut& cut = cuts[i];
        if (steps.kind != Steps::mixed || rule.transitions[transition(f, cut)] >= 0) {
            open_.push_back(cut);
            if (measure.weighs(feature)) {
                const bool other = has_other_version(feature, cuts, i);
                gaps_.push_back(measure.weight_within(geometry_, f, cut, other));
            }
        }
    }
}

void LocalSplits::draw(Randomness& random, std::size_t r, Choice& out) {
    const Rule& rule = (*rules_)[r];
    if (rule.measure == Measure::partition) {
        const RuleEdges& edges = *partition_edges(r);
        take_part(edges, random.index(edges.edges.size()), out);
        return;
    }
    weigh_features(r);
    const std::size_t f = random.among(mass_);
    const FeatureSteps& steps = (*steps_here_)[r].features[f];
    if (all_alike(rule, steps, f)) {
        const std::size_t n = cuts_.n_cuts(f);
        take_split(r, f, cuts_.cut(f, random.index(n)), n, {1.0, static_cast<double>(n)}, out);
        return;
    }
    list_open_cuts(rule, steps, f);
    take_open(r, f, gaps_.empty() ? random.index(open_.size()) : random.among(gaps_), out);
}

bool LocalSplits::find(std::size_t r, const Taken& taken, Choice& out) {
    const Rule& rule = (*rules_)[r];
    if (rule.measure == Measure::partition) {
        const RuleEdges& edges = *partition_edges(r);
        for (std::size_t i = 0; i < edges.edges.size(); ++i) {
            const BoxSplit& split = splits_[edges.edges[i].split];
            if (static_cast<std::int32_t>(split.feature) == taken.feature &&
                problem_.table.features[split.feature].same_cut(split.cut, taken.cut)) {
                take_part(edges, i, out);
                return true;
            }
        }
        return false;
    }
    const auto& features = (*steps_here_)[r].features;
    if (taken.feature < 0 || static_cast<std::size_t>(taken.feature) >= features.size()) {
        return false;
    }
    weigh_features(r);
    const auto f = static_cast<std::size_t>(taken.feature);
    if (!(mass_[f] > 0)) {
        return false;
    }
    if (all_alike(rule, features[f], f)) {
        Cut cut = taken.cut;
        if (!cuts_.find(f, cut)) {
            return false;
        }
        const std::size_t n = cuts_.n_cuts(f);
        take_split(r, f, cut, n, {1.0, static_cast<double>(n)}, out);
        return true;
    }
    list_open_cuts(rule, features[f], f);
    for (std::size_t i = 0; i < open_.size(); ++i) {
        if (problem_.table.features[f].same_cut(open_[i], taken.cut)) {
            take_open(r, f, i, out);
            return true;
        }
    }
    return false;
}

void LocalSplits::list(std::size_t r, std::int32_t feature, std::vector<WeighedSplit>& out) {
    const auto wanted = [&](std::uint32_t f) {
        return feature < 0 || static_cast<std::uint32_t>(feature) == f;
    };
    const Rule& rule = (*rules_)[r];
    if (rule.measure == Measure::partition) {
        for (const Edge& edge : partition_edges(r)->edges) {
            const BoxSplit& split = splits_[edge.split];
            if (wanted(split.feature)) {
                out.push_back({split.feature, split.cut, 1.0});
            }
        }
        return;
    }
    weigh_features(r);
    for (std::uint32_t f = 0; f < mass_.size(); ++f) {
        if (!(mass_[f] > 0) || !wanted(f)) {
            continue;
        }
        list_open_cuts(rule, (*steps_here_)[r].features[f], f);
        const double sum = gaps_.empty() ? static_cast<double>(open_.size())
                                         : std::accumulate(gaps_.begin(), gaps_.end(), 0.0);
        for (std::size_t i = 0; i < open_.size(); ++i) {
            const double own = gaps_.empty() ? mass_[f] / sum : mass_[f] * (gaps_[i] / sum);
            out.push_back({f, open_[i], std::max(own, std::numeric_limits<double>::min())});
        }
    }
}

void LocalSplits::take_open(std::size_t r, std::size_t f, std::size_t i, Choice& out) {
    Share within{1.0, static_cast<double>(open_.size())};
    if (!gaps_.empty()) {
        within = {gaps_[i], std::accumulate(gaps_.begin(), gaps_.end(), 0.0)};
    }
    take_split(r, f, open_[i], open_.size(), within, out);
}

void LocalSplits::take_split(std::size_t r, std::size_t f, const Cut& cut, std::size_t n,
                             const Share& within, Choice& out) {
    const Rule& rule = (*rules_)[r];
    const FeatureSteps& steps = (*steps_here_)[r].features[f];
    out.taken.feature = static_cast<std::int32_t>(f);
    out.taken.cut = cut;
    if (steps.kind == Steps::mixed) {
        const std::size_t at = transition(f, cut);
        out.left_state = rule.transitions[at];
        out.right_state = rule.transitions[at + 1];
    } else {
        out.left_state = steps.left;
        out.right_state = steps.right;
    }
    out.split_point = n > 1 || n_features_ > 1;
    const SplitMeasure measure = measure_of(rule);
    out.log_split = measure.has_shares(problem_.table.features[f])
                        ? log_mass_[f] - log_top_ - std::log(total_mass_) -
                              std::log(within.sum / within.weight)
                        : within.log_times(mass_[f] / total_mass_);
    out.log_draw += out.log_split;
    if (rule.measure == Measure::range) {  // without the masses, which may be too small for doubles
        const double of_feature = measure.feature_weight(f) / rule.range_total;
        out.log_excess += std::log(of_feature) + std::log(within.weight) -
                          std::log(geometry_.span(f)) - out.log_split;
    } else {
        out.log_excess += log_total();
    }
}

// --- all splits of a rule ---------------------------------------------------------------------

LocalSplits::Masses LocalSplits::masses(std::size_t r) {
    if ((*rules_)[r].measure == Measure::partition) {
        std::fill(mass_.begin(), mass_.end(), 0.0);
        const RuleEdges& edges = *partition_edges(r);
        for (const Edge& edge : edges.edges) {
            mass_[splits_[edge.split].feature] += 1.0;
        }
        const auto n = static_cast<double>(edges.edges.size());
        return {mass_, n, std::log(n)};
    }
    weigh_features(r);
    return {mass_, total_mass_, log_total()};
}

void LocalSplits::list(std::size_t r, std::size_t f, std::vector<OpenSplit>& out) {
    const Rule& rule = (*rules_)[r];
    out.clear();
    if (rule.measure == Measure::partition) {
        for (const Edge& edge : partition_edges(r)->edges) {
            if (const BoxSplit& split = splits_[edge.split]; split.feature == f) {
                out.push_back({split.cut, edge.left_state, edge.right_state, 1.0});
            }
        }
        return;
    }
    const FeatureSteps& steps = (*steps_here_)[r].features[f];
    list_open_cuts(rule, steps, f);
    for (std::size_t i = 0; i < open_.size(); ++i) {
        std::int32_t left = steps.left, right = steps.right;
        if (steps.kind == Steps::mixed) {
            const std::size_t at = transition(f, open_[i]);
            left = rule.transitions[at];
            right = rule.transitions[at + 1];
        }
        out.push_back({open_[i], left, right, gaps_.empty() ? 1.0 : gaps_[i]});
    }
}

// --- the measure `partition` ------------------------------------------------------------------

const RuleEdges* LocalSplits::partition_edges(std::size_t r) {
    if (!has_edges_) {
        arena_.release({});
        const Box box = geometry_.box_of(rows_);
        splits_ = splitter_.splits(box, arena_);
        edges_ = builder_.edges(box, splits_, state_, arena_);
        has_edges_ = true;
    }
    for (const RuleEdges& edges : edges_.rules) {
        if (edges.rule == static_cast<std::int32_t>(r)) {
            return &edges;
        }
    }
    return nullptr;
}

bool LocalSplits::find_part(std::size_t r, Key left, Choice& out) {
    const RuleEdges& edges = *partition_edges(r);
    for (std::size_t i = 0; i < edges.edges.size(); ++i) {
        if (splits_[edges.edges[i].split].left == left) {
            take_part(edges, i, out);
            return true;
        }
    }
    return false;
}

void LocalSplits::take_part(const RuleEdges& edges, std::size_t i, Choice& out) const {
    const Edge& edge = edges.edges[i];
    const BoxSplit& split = splits_[edge.split];
    out.taken.feature = static_cast<std::int32_t>(split.feature);
    out.taken.cut = split.cut;
    out.left_state = edge.left_state;
    out.right_state = edge.right_state;
    const double log_total = std::log(static_cast<double>(edges.edges.size()));
    out.split_point = edges.edges.size() > 1;
    out.log_split = -log_total;
    out.log_draw += out.log_split;
    out.log_excess += log_total;
}

}  // namespace slp::mcmc
