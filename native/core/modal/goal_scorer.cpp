#include "modal/goal_scorer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "problem/edges.hpp"
#include "problem/split_measures.hpp"

namespace slp::modal {

namespace {

void log_add(double& sum, double value) {
    if (value == -INFINITY) {
        return;
    }
    const double top = std::max(sum, value);
    sum = top + std::log1p(std::exp(std::min(sum, value) - top));
}

}  // namespace

GoalScorer::GoalScorer(const Problem& problem, const Geometry& geometry, const Plan& plan,
                       Budget& budget, std::function<bool()> go_on)
    : problem_(problem),
      geometry_(geometry),
      plan_(plan),
      budget_(budget),
      go_on_(std::move(go_on)),
      labels_(problem),
      row_weights_(problem),
      by_feature_(problem.table.features.size()) {
    level(0);
}

GoalScorer::Level& GoalScorer::level(std::size_t number) {
    if (number == levels_.size()) {
        levels_.push_back(std::make_unique<Level>(problem_, geometry_, budget_));
    }
    return *levels_[number];
}

void GoalScorer::enter(const Goal& goal, std::size_t number) {
    Level& at = level(number);
    at.goal = goal;
    at.entries.clear();
    at.weights.clear();
    at.slots.clear();
    at.partitions = false;
    const double n_rows = data_rows(goal.set.sizes);
    // Preorder over calls: those of an entry are pushed last to first.
    std::vector<Entry> stack{{goal.state, -1, 0, 0, nullptr, 0.0, 0.0}};
    while (!stack.empty()) {
        Entry entry = stack.back();
        stack.pop_back();
        entry.facts = &labels_.facts(entry.state);
        entry.first_weight = at.weights.size();
        const auto own = row_weights_.of(entry.state, n_rows, goal.set.statistics);
        at.weights.insert(at.weights.end(), own.begin(), own.end());
        const auto& rules = problem_.grammar.states[static_cast<std::size_t>(entry.state)];
        const auto number_of = static_cast<std::int64_t>(at.entries.size());
        for (std::size_t r = rules.size(); r-- > 0;) {
            if (rules[r].kind == RuleKind::call && own[r] > -INFINITY) {
                stack.push_back({rules[r].state, number_of, r, 0, nullptr, 0.0, 0.0});
            }
        }
        for (std::size_t r = 0; r < rules.size(); ++r) {
            if (rules[r].kind == RuleKind::split) {
                at.slots.push_back({at.entries.size(), r});
                at.partitions = at.partitions || rules[r].measure == Measure::partition;
            }
        }
        at.entries.push_back(entry);
    }
    at.seen.resize(at.partitions ? at.slots.size() : 0);
    for (auto& seen : at.seen) {
        seen.clear();
    }
    at.key = {};
    for (std::size_t i = 0; at.partitions && i < goal.set.rows.size(); ++i) {
        at.key = at.key + geometry_.key_of(goal.set.rows[i]);
    }
}

double GoalScorer::noise(const Goal& goal, const SplitTaken* split) const {
    std::uint64_t h = split_mix(plan_.seed + goal.place);
    if (split != nullptr) {
        h = split_mix(h + 1 + split->slot);
        h = split_mix(h + split->feature);
        h = split_mix(h + split->low);
    }
    const double u = (static_cast<double>(h >> 11) + 0.5) * 0x1p-53;
    return -std::log(-std::log(u));
}

double GoalScorer::worth(Level& at, std::size_t number, std::uint32_t f, std::size_t cut,
                         bool left, std::int32_t state) {
    const FeatureScan::Cut own = at.scan.cuts()[cut];
    const Sizes sizes = left ? own.left : at.goal.set.sizes - own.left;
    const double* const sums = left ? at.scan.left(cut) : at.scan.right(cut);
    if (at.goal.look_ahead == 0) {
        const double label = labels_.of(state, sizes, sums);
        const double log_l = at.likelihoods[2 * cut + (left ? 0 : 1)];
        return label == -INFINITY ? label : (plan_.stop_labels ? label : 0.0) + log_l;
    }
    const Feature& feature = problem_.table.features[f];
    at.charge.raise_to(4 * at.goal.set.rows.size());
    at.side.clear();
    for (const std::uint32_t row : at.goal.set.rows) {
        if (feature.goes_left(own.low, row) == left) {
            at.side.push_back(row);
        }
    }
    at.statistics.assign(problem_.leaf.n_statistics(), 0.0);
    problem_.leaf.sum(at.side, at.statistics.data());
    return inside(number + 1, {at.side, sizes, at.statistics}, state, at.goal.look_ahead - 1);
}

double GoalScorer::inside(std::size_t number, const RowSet& set, std::int32_t state,
                          std::uint32_t look_ahead) {
    if (!go_on_()) {
        throw Interrupted{};
    }
    Goal goal{};
    goal.set = set;
    goal.state = state;
    goal.leaf = &problem_.leaf;
    goal.log_likelihood =
        plan_.likelihood ? problem_.leaf.log_marginal(set.statistics.data()) : 0.0;
    goal.look_ahead = look_ahead;
    enter(goal, number);
    return decide(number).log_inside;
}

Outcome GoalScorer::decide(std::size_t number) {
    const std::size_t d = problem_.table.features.size(), n = level(number).slots.size();
    std::vector<FeatureScore>& scores = level(number).scores;
    scores.assign(d * n, FeatureScore{});
    for (std::uint32_t f = 0; f < d && n > 0; ++f) {
        score_feature(number, f, std::span(scores).subspan(f * n, n));
    }
    return choose(number, scores);
}

double GoalScorer::log_stop() {
    Level& at = *levels_[0];
    const std::size_t d = problem_.table.features.size(), n = at.slots.size();
    at.scores.assign(d * n, FeatureScore{});
    std::vector<std::uint8_t> known(n, 0);
    for (std::uint32_t f = 0; f < d && std::ranges::find(known, 0) != known.end(); ++f) {
        const auto own = std::span(at.scores).subspan(f * n, n);
        at.goal.look_ahead = 0;
        score_feature(0, f, own);
        for (std::size_t s = 0; s < n; ++s) {
            known[s] = known[s] || own[s].weights > 0;
        }
    }
    return choose(0, at.scores).log_stop;
}

void GoalScorer::score_feature(std::size_t number, std::uint32_t f, std::span<FeatureScore> out) {
    Level& at = *levels_[number];
    at.scan.scan(at.goal.set, f, at.partitions);
    const std::size_t n = at.scan.cuts().size();
    if (at.goal.look_ahead == 0) {
        at.likelihoods.assign(2 * n, 0.0);
        for (std::size_t i = 0; i < n && plan_.likelihood; ++i) {
            at.likelihoods[2 * i] = at.goal.leaf->log_marginal(at.scan.left(i));
            at.likelihoods[2 * i + 1] = at.goal.leaf->log_marginal(at.scan.right(i));
        }
    }
    for (std::size_t s = 0; s < at.slots.size(); ++s) {
        score_slot(at, number, s, f, out[s]);
    }
}

void GoalScorer::score_slot(Level& at, std::size_t number, std::size_t slot, std::uint32_t f,
                            FeatureScore& out) {
    const Entry& entry = at.entries[at.slots[slot].entry];
    const std::size_t r = at.slots[slot].rule;
    const Rule& rule = problem_.grammar.states[static_cast<std::size_t>(entry.state)][r];
    const FeatureSteps& steps = entry.facts->steps[r][f];
    if (at.weights[entry.first_weight + r] == -INFINITY || steps.kind == Steps::outside) {
        return;
    }
    const Feature& feature = problem_.table.features[f];
    const SplitMeasure measure(rule.measure, problem_.grammar.feature_weights);
    const bool counted =
        at.goal.only_feature < 0 || at.goal.only_feature == static_cast<std::int32_t>(f);
    // Where labels do not depend on the sides' rows, they are looked up once.
    const bool labels_fixed = steps.kind == Steps::open && labels_.facts(steps.left).fixed &&
                              labels_.facts(steps.right).fixed && at.goal.look_ahead == 0;
    const StateFacts* const left_facts = labels_fixed ? &labels_.facts(steps.left) : nullptr;
    const StateFacts* const right_facts = labels_fixed ? &labels_.facts(steps.right) : nullptr;
    const double temperature = at.goal.drawn ? plan_.temperature : 1.0;
    const std::size_t n = at.scan.cuts().size();
    for (std::size_t i = 0; i < n; ++i) {
        const FeatureScan::Cut cut = at.scan.cuts()[i];
        std::int32_t left = steps.left, right = steps.right;
        if (steps.kind == Steps::mixed) {
            const auto cell =
                static_cast<std::size_t>(geometry_.cell_of_split(feature, cut.low, cut.high)) * 2;
            left = rule.transitions[cell];
            right = rule.transitions[cell + 1];
        }
        if (!problem_.grammar.takes_over(left)) {
            continue;
        }
        if (rule.measure == Measure::partition) {
            const Key other = at.key - cut.key;
            if (!at.seen[slot].insert(cut.key < other ? cut.key : other).second) {
                continue;
            }
        }
        const double weight = measure.weight(geometry_, f, cut.low, cut.high);
        out.weights += weight;
        const SplitTaken taken{static_cast<std::uint32_t>(slot), f, cut.low, cut.high};
        if (left < 0 || !counted || std::ranges::find(at.goal.failed, taken) != at.goal.failed.end()) {
            continue;
        }
        double score = measure.by_gap() ? std::log(weight) : 0.0;
        if (labels_fixed) {
            const double a = left_facts->label[labels_.may_split(cut.left)];
            const double b = right_facts->label[labels_.may_split(at.goal.set.sizes - cut.left)];
            if (a == -INFINITY || b == -INFINITY) {
                continue;
            }
            score += (plan_.stop_labels ? a + b : 0.0) + at.likelihoods[2 * i] +
                     at.likelihoods[2 * i + 1];
        } else {
            score += worth(at, number, f, i, true, left);
            if (score > -INFINITY) {
                score += worth(at, number, f, i, false, right);
            }
            if (score == -INFINITY) {
                continue;
            }
        }
        if (number > 0) {
            log_add(out.log_sum, score);
            continue;
        }
        double compared = score / temperature;
        if (at.goal.drawn) {
            compared += noise(at.goal, &taken);
        }
        if (out.best.left < 0 || compared > out.best.compared + kTie) {
            out.best = {taken, left, right, compared, score};
        }
    }
}

// Weights of the entries by their calls, and the leaf rules.
void GoalScorer::weigh_entries(Level& at, std::span<const FeatureScore> scores, Outcome& out) {
    const std::size_t n = at.slots.size();
    std::size_t slot = 0;
    for (Entry& entry : at.entries) {
        const auto& rules = problem_.grammar.states[static_cast<std::size_t>(entry.state)];
        const double* const own = at.weights.data() + entry.first_weight;
        if (entry.parent >= 0) {
            const Entry& above = at.entries[static_cast<std::size_t>(entry.parent)];
            entry.log_prefix = above.log_prefix - above.log_normaliser +
                               at.weights[above.first_weight + entry.rule];
        }
        double top = -INFINITY, sum = 0.0;
        std::vector<double> applicable;
        for (std::size_t r = 0; r < rules.size(); ++r) {
            bool counts = true;
            if (rules[r].kind == RuleKind::leaf) {
                counts = problem_.grammar.condition ||
                         has_majority(rules[r].majority, at.goal.set.statistics);
            } else if (rules[r].kind == RuleKind::split) {
                counts = false;
                for (std::size_t i = slot; i < scores.size(); i += n) {
                    counts = counts || scores[i].weights > 0;
                }
                ++slot;
            }
            if (counts) {
                applicable.push_back(own[r]);
                top = std::max(top, own[r]);
            }
        }
        for (const double weight : applicable) {
            sum += top > -INFINITY ? std::exp(weight - top) : 0.0;
        }
        entry.log_normaliser =
            problem_.grammar.normalise && sum > 0 ? top + std::log(sum) : 0.0;
        for (std::size_t r = 0; r < rules.size(); ++r) {
            if (rules[r].kind == RuleKind::leaf &&
                has_majority(rules[r].majority, at.goal.set.statistics)) {
                const double weight = entry.log_prefix + own[r] - entry.log_normaliser;
                out.log_stop = std::max(out.log_stop, weight);
                log_add(out.log_inside, weight + at.goal.log_likelihood);
            }
        }
    }
}

Outcome GoalScorer::choose(std::size_t number, std::span<const FeatureScore> scores) {
    Level& at = *levels_[number];
    const std::size_t d = problem_.table.features.size(), n = at.slots.size();
    const double temperature = at.goal.drawn ? plan_.temperature : 1.0;
    Outcome out;
    weigh_entries(at, scores, out);
    if (out.log_stop > -INFINITY) {
        out.stop_compared = (out.log_stop + at.goal.log_likelihood) / temperature;
        out.stop_compared += at.goal.drawn ? noise(at.goal, nullptr) : 0.0;
    }
    if (number == 0) {
        std::fill(by_feature_.begin(), by_feature_.end(), -INFINITY);
    }
    for (std::size_t s = 0; s < n; ++s) {
        const Entry& entry = at.entries[at.slots[s].entry];
        const std::size_t r = at.slots[s].rule;
        const Rule& rule = problem_.grammar.states[static_cast<std::size_t>(entry.state)][r];
        const SplitMeasure measure(rule.measure, problem_.grammar.feature_weights);
        const double log_rule =
            entry.log_prefix - entry.log_normaliser + at.weights[entry.first_weight + r];
        double masses = 0.0;
        for (std::size_t f = 0; f < d; ++f) {
            const double weights = scores[f * n + s].weights;
            masses += weights > 0 ? measure.mass(f, weights) : 0.0;
        }
        for (std::size_t f = 0; f < d; ++f) {
            const FeatureScore& own = scores[f * n + s];
            if (own.weights <= 0) {
                continue;
            }
            const double log_share =
                log_rule + std::log(measure.share(f, own.weights, measure.total(masses)));
            if (number > 0) {
                log_add(out.log_inside, log_share + own.log_sum);
                continue;
            }
            if (own.best.left < 0) {
                continue;
            }
            const double compared = own.best.compared + log_share / temperature;
            const double score = own.best.score + log_share;
            by_feature_[f] = std::max(by_feature_[f], score);
            if (out.split.left < 0 || compared > out.split.compared + kTie) {
                out.split = own.best;
                out.split.compared = compared;
                out.split.score = score;
                out.log_split = log_share;
                if (measure.by_gap()) {
                    const SplitTaken& cut = own.best.taken;
                    out.log_split +=
                        std::log(measure.weight(geometry_, cut.feature, cut.low, cut.high));
                }
            }
        }
    }
    return out;
}

}  // namespace slp::modal
