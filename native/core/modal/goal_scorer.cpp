#include "modal/goal_scorer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "log_sum.hpp"
#include "problem/columns/left_sides.hpp"

namespace slp::modal {

namespace {

// The first weight of calls that a state must have which is entered, on the scale of logs, where a
// goal reaches many states.
constexpr double kFirstFloor = -16.0;
// The labels below a call multiply to less than the exponential of this. Under `weights` it is
// assumed; else they are at most 1.
constexpr double kMostGain = 32.0;
// Noise is less: u of `noise` is at most 1 - 2^-54.
constexpr double kMostNoise = 37.5;
constexpr std::size_t kSlotsBetweenPolls = 64;

}  // namespace

GoalScorer::GoalScorer(const Problem& problem, const Geometry& geometry, const Plan& plan,
                       Budget& budget, std::function<bool()> go_on)
    : problem_(problem),
      geometry_(geometry),
      plan_(plan),
      budget_(budget),
      go_on_(std::move(go_on)),
      row_sums_(problem),
      labels_(problem, go_on_),
      row_weights_(problem),
      by_feature_(problem.table.features.size()) {
    level(0);
}

GoalScorer::LookAheadLevel& GoalScorer::level(std::size_t number) {
    if (number == levels_.size()) {
        levels_.push_back(std::make_unique<LookAheadLevel>(problem_, geometry_, budget_));
    }
    return *levels_[number];
}

void GoalScorer::enter(const Goal& goal, std::size_t number) {
    LookAheadLevel& at = level(number);
    at.goal = goal;
    at.many = false;
    // Look-ahead sums over all states.
    at.many = !enter_states(at, -INFINITY, goal.look_ahead == 0 ? kManyStates : SIZE_MAX);
    if (at.many) {
        enter_states(at, kFirstFloor, SIZE_MAX);
    }
}

// Whether there are no more than `most`.
bool GoalScorer::enter_states(LookAheadLevel& at, double floor, std::size_t most) {
    const Goal& goal = at.goal;
    at.floor = floor;
    at.top_fit = -INFINITY;
    if (!at.states.enter(goal.state, goal.set, labels_, row_weights_, floor, most)) {
        return false;
    }
    if (at.many || at.states.size() > kManyStates) {
        at.states.name_by_path();
    }
    const auto& slots = at.states.slots();
    at.partitions = std::ranges::any_of(
        slots, [](const Slot& slot) { return slot.rule->measure == Measure::partition; });
    at.seen.resize(at.partitions ? slots.size() : 0);
    for (auto& seen : at.seen) {
        seen.clear();
    }
    at.key = {};
    for (std::size_t i = 0; at.partitions && i < goal.set.rows.size(); ++i) {
        at.key = at.key + geometry_.key_of(goal.set.rows[i]);
    }
    return true;
}

// The weight of calls below which a state that was not entered can neither have the best split nor
// the best leaf rule. While nothing was found to compare with, the floor is lowered twofold.
double GoalScorer::floor_needed(const LookAheadLevel& at, const Decision& out) const {
    double needed = at.floor;
    if (at.states.left_out() == -INFINITY) {
        return needed;
    }
    if (at.top_fit > -INFINITY) {
        const double temperature = at.goal.drawn ? plan_.temperature : 1.0;
        const double noise = at.goal.drawn ? kMostNoise : 0.0;
        needed = std::min(needed, out.split.left >= 0
                                      ? temperature * (out.split.compared - kTie - noise) -
                                            at.top_fit - kMostGain
                                      : 2.0 * at.floor);
    }
    if (at.states.left_out_that_stops() > -INFINITY) {
        needed = std::min(needed, out.log_stop > -INFINITY ? out.log_stop - kMostGain
                                                           : 2.0 * at.floor);
    }
    return needed;
}

// Gumbel noise of an option: with it, the largest score / temperature is a draw.
double GoalScorer::noise(const Goal& goal, const SplitTaken* split) const {
    std::uint64_t h = split_mix(plan_.seed + goal.place);
    if (split != nullptr) {
        h = split_mix(h + 1 + split->slot);
        h = split_mix(h + split->feature);
        const Feature& feature = problem_.table.features[split->feature];
        if (feature.looks_at_response()) {
            for (const std::uint64_t word : feature.left_words(split->cut)) {
                h = split_mix(h + word);
            }
        } else {
            h = split_mix(h + split->cut.number());
        }
    }
    const double u = (static_cast<double>(h >> 11) + 0.5) * 0x1p-53;
    return -std::log(-std::log(u));
}

double GoalScorer::worth_of_sides(LookAheadLevel& at, std::size_t number, std::uint32_t f,
                                  std::size_t cut, std::int32_t left, std::int32_t right) {
    const double* const sums = at.scan.left(cut);
    at.rest.resize(row_sums_.width());
    for (std::size_t j = 0; j < at.rest.size(); ++j) {
        at.rest[j] = at.goal.set.sums[j] - sums[j];
    }
    if (at.goal.look_ahead == 0) {
        const double a = labels_.of(left, sums);
        const double b = a > -INFINITY ? labels_.of(right, at.rest.data()) : a;
        return b == -INFINITY ? b : (plan_.stop_labels ? a + b : 0.0) + at.fits[cut];
    }
    const double a = inside(at, number, f, cut, true, left);
    return a == -INFINITY ? a : a + inside(at, number, f, cut, false, right);
}

// log S of one side.
double GoalScorer::inside(LookAheadLevel& at, std::size_t number, std::uint32_t f, std::size_t cut,
                          bool left, std::int32_t state) {
    if (!go_on_()) {
        throw Interrupted{};
    }
    const std::size_t width = row_sums_.width();
    const RowTest test = problem_.table.features[f].test(at.scan.cuts()[cut]);
    at.charge.raise_to((4 + 8 * width) * at.goal.set.rows.size());
    at.side.clear();
    for (const std::uint32_t row : at.goal.set.rows) {
        if (test.goes_left(row) == left) {
            at.side.push_back(row);
        }
    }
    at.side_single.resize(width * at.side.size());
    at.side_sums.resize(width);
    row_sums_.list(at.side, at.side_single.data());
    row_sums_.add_up(at.side_single.data(), at.side.size(), at.side_sums.data());
    Goal goal{};
    goal.set = {at.side, at.side_single.data(), at.side_sums};
    goal.state = state;
    goal.leaf = &problem_.leaf;
    goal.log_likelihood =
        plan_.likelihood ? problem_.leaf.log_marginal(goal.set.statistics().data()) : 0.0;
    goal.look_ahead = at.goal.look_ahead - 1;
    enter(goal, number + 1);
    return decide(number + 1).log_inside;
}

Decision GoalScorer::decide(std::size_t number) {
    LookAheadLevel& at = level(number);
    for (;;) {
        const std::size_t d = problem_.table.features.size(), n = at.states.slots().size();
        at.scores.assign(d * n, FeatureScore{});
        for (std::uint32_t f = 0; f < d && n > 0; ++f) {
            score_feature(number, f, std::span(at.scores).subspan(f * n, n));
        }
        const Decision out = choose(number, at.scores);
        const double floor = floor_needed(at, out);
        if (floor >= at.floor) {
            return out;
        }
        enter_states(at, floor, SIZE_MAX);
    }
}

double GoalScorer::log_stop(Goal goal) {
    goal.look_ahead = 0;
    goal.only_feature = static_cast<std::int32_t>(problem_.table.features.size());  // none
    enter(goal);
    return decide().log_stop;
}

void GoalScorer::score_feature(std::size_t number, std::uint32_t f, std::span<FeatureScore> out) {
    LookAheadLevel& at = *levels_[number];
    at.scan.scan(at.goal.set, f, at.partitions);
    const std::size_t n = at.scan.cuts().size();
    if (at.goal.look_ahead == 0) {
        at.fits.assign(n, 0.0);
        if (plan_.likelihood && n > 0) {
            at.goal.leaf->log_of_sides(at.scan.left(0) + kStatistics, row_sums_.width(), n,
                                       at.goal.set.statistics().data(), at.fits.data());
        }
    }
    const bool counted =
        at.goal.only_feature < 0 || at.goal.only_feature == static_cast<std::int32_t>(f);
    // What constraints forbid, they forbid in all states that calls lead to.
    if (at.many && n > 0 && counted &&
        std::ranges::none_of(at.states.slots(), [f](const Slot& slot) {
            return slot.steps[f].kind == Steps::forbidden;
        })) {
        at.top_fit = std::max(at.top_fit, std::ranges::max(at.fits));
    }
    for (std::size_t s = 0; s < at.states.slots().size(); ++s) {
        const Slot& slot = at.states.slots()[s];
        if (s % kSlotsBetweenPolls == kSlotsBetweenPolls - 1 && !go_on_()) {
            throw Interrupted{};
        }
        if (slot.log_own == -INFINITY || slot.steps[f].kind == Steps::outside) {
            continue;
        }
        const Place place{s, f, *slot.rule, slot.steps[f],
                          SplitMeasure(problem_.grammar, *slot.rule)};
        const bool alike = counted && place.steps.kind == Steps::open && number == 0 &&
                           !at.goal.drawn && at.goal.look_ahead == 0 &&
                           at.goal.failed.empty() &&
                           !place.measure.weighs(problem_.table.features[f]) &&
                           place.rule.measure != Measure::partition &&
                           labels_.stops(place.steps.left).fixed &&
                           labels_.stops(place.steps.right).fixed;
        if (n > 0 && place.measure.has_shares(problem_.table.features[f])) {
            out[s].log_share = problem_.table.features[f].log_share(at.scan.cuts()[0]);
        }
        if (alike) {
            score_alike(at, place, out[s]);
        } else {
            score_each(at, number, place, out[s]);
        }
    }
}

// Where all cuts have the same states, weights and labels: the cuts that `score_each` takes, in a
// fraction of its time.
void GoalScorer::score_alike(LookAheadLevel& at, const Place& place, FeatureScore& out) {
    const std::size_t n = at.scan.cuts().size(), width = row_sums_.width();
    out.weights += static_cast<double>(n);
    double left_label[2], right_label[2];
    for (const bool may : {false, true}) {
        left_label[may] = labels_.stops(place.steps.left).label[may];
        right_label[may] = labels_.stops(place.steps.right).label[may];
    }
    const double counted = plan_.stop_labels ? 1.0 : 0.0;
    const double* left = at.scan.left();
    const double all[2] = {at.goal.set.sums[kDistinct], at.goal.set.sums[kData]};
    std::size_t best = n;
    double top = -INFINITY;
    for (std::size_t i = 0; i < n; ++i, left += width) {
        const double rest[2] = {all[kDistinct] - left[kDistinct], all[kData] - left[kData]};
        const double label =
            left_label[labels_.may_split(left)] + right_label[labels_.may_split(rest)];
        const double score = at.fits[i] + (label > -INFINITY ? counted * label : label);
        if (score > top + kTie) {
            best = i;
            top = score;
        }
    }
    if (best < n) {
        const Cut cut = at.scan.cuts()[best];
        out.best = {{at.states.slots()[place.slot].name, place.feature, cut},
                    place.steps.left,
                    place.steps.right,
                    top,
                    top,
                    1.0};
    }
}

// Whether another cut of the slot has parted the rows alike.
bool GoalScorer::seen_before(LookAheadLevel& at, std::size_t slot, std::size_t cut) {
    const Key key = at.scan.key(cut), other = at.key - key;
    return !at.seen[slot].insert(key < other ? key : other).second;
}

void GoalScorer::score_each(LookAheadLevel& at, std::size_t number, const Place& place,
                            FeatureScore& out) {
    const Feature& feature = problem_.table.features[place.feature];
    const bool counted = at.goal.only_feature < 0 ||
                         at.goal.only_feature == static_cast<std::int32_t>(place.feature);
    const double temperature = at.goal.drawn ? plan_.temperature : 1.0;
    for (std::size_t i = 0; i < at.scan.cuts().size(); ++i) {
        const Cut cut = at.scan.cuts()[i];
        std::int32_t left = place.steps.left, right = place.steps.right;
        if (place.steps.kind == Steps::mixed) {
            const auto cell =
                static_cast<std::size_t>(feature.cell(cut)) * 2;
            left = place.rule.transitions[cell];
            right = place.rule.transitions[cell + 1];
        }
        if (!problem_.grammar.takes_over(left) ||
            (place.rule.measure == Measure::partition && seen_before(at, place.slot, i))) {
            continue;
        }
        const bool other = has_other_version(feature, at.scan.cuts(), i);
        const double weight =
            place.measure.weight(geometry_, place.feature, cut, other);
        out.weights += weight;
        const SplitTaken taken{at.states.slots()[place.slot].name, place.feature, cut};
        if (left < 0 || !counted ||
            std::ranges::find(at.goal.failed, taken) != at.goal.failed.end()) {
            continue;
        }
        double score = worth_of_sides(at, number, place.feature, i, left, right);
        score += place.measure.weighs(feature) ? std::log(weight) : 0.0;
        if (score == -INFINITY) {
            continue;
        }
        if (number > 0) {
            out.log_sum = log_sum(out.log_sum, score);
            continue;
        }
        const double compared =
            score / temperature + (at.goal.drawn ? noise(at.goal, &taken) : 0.0);
        if (out.best.left < 0 || compared > out.best.compared + kTie) {
            out.best = {taken, left, right, compared, score, weight};
        }
    }
}

Decision GoalScorer::choose(std::size_t number, std::span<const FeatureScore> scores) {
    LookAheadLevel& at = *levels_[number];
    const auto& slots = at.states.slots();
    const std::size_t d = problem_.table.features.size(), n = slots.size();
    const double temperature = at.goal.drawn ? plan_.temperature : 1.0;
    at.open.assign(n, 0);
    for (std::size_t i = 0; i < scores.size(); ++i) {
        at.open[i % n] = at.open[i % n] || scores[i].weights > 0;
    }
    const LeafWeights leaves = at.states.weigh(at.goal.set, at.open);
    Decision out;
    out.log_stop = leaves.best;
    out.log_inside = leaves.sum + at.goal.log_likelihood;
    if (out.log_stop > -INFINITY) {
        out.stop_compared = (out.log_stop + at.goal.log_likelihood) / temperature;
        out.stop_compared += at.goal.drawn ? noise(at.goal, nullptr) : 0.0;
    }
    if (number == 0) {
        std::fill(by_feature_.begin(), by_feature_.end(), -INFINITY);
    }
    for (std::size_t s = 0; s < n; ++s) {
        SplitMeasure measure(problem_.grammar, *slots[s].rule);
        measure.find_groups([&](std::size_t f) { return scores[f * n + s].weights > 0; });
        double masses = 0.0;
        for (std::size_t f = 0; f < d; ++f) {
            const double weights = scores[f * n + s].weights;
            masses += weights > 0 ? measure.mass(f, weights) : 0.0;
        }
        const double total = measure.total(masses, slots[s].rule->range_total);
        for (std::size_t f = 0; f < d; ++f) {
            const FeatureScore& own = scores[f * n + s];
            if (own.weights <= 0) {
                continue;
            }
            const double sum =
                measure.has_shares(problem_.table.features[f]) ? 1.0 : own.weights;
            const double log_probability = slots[s].log_weight + own.log_share +
                                           std::log(measure.factor(f, sum, total)) -
                                           std::log(measure.unit(sum));
            if (number > 0) {
                out.log_inside = log_sum(out.log_inside, log_probability + own.log_sum);
                continue;
            }
            if (own.best.left < 0) {
                continue;
            }
            const double compared = own.best.compared + log_probability / temperature;
            const double score = own.best.score + log_probability;
            by_feature_[f] = std::max(by_feature_[f], score);
            if (out.split.left < 0 || compared > out.split.compared + kTie) {
                out.split = own.best;
                out.split.compared = compared;
                out.split.score = score;
                out.log_split = log_probability + std::log(own.best.weight);
            }
        }
    }
    return out;
}

}  // namespace slp::modal
