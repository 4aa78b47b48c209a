#include "mcmc/exact_subtrees.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mcmc/proposals.hpp"

namespace slp::mcmc {

namespace {

// The most bytes of sums. If there are more, all sums are dropped before the next goal.
constexpr std::size_t kMostBytes = std::size_t{1} << 26;
// Powers that sums are kept for.
constexpr std::size_t kMostPowers = 32;

}  // namespace

ExactSubtrees::ExactSubtrees(const Problem& problem, const Geometry& geometry, double most_boxes)
    : problem_(problem),
      geometry_(geometry),
      most_boxes_(most_boxes),
      splitter_(geometry),
      builder_(problem, geometry),
      budget_(std::numeric_limits<std::size_t>::max()) {
    std::int32_t most_codes = 0;
    for (const Feature& feature : problem.table.features) {
        most_codes = std::max(most_codes, feature.n_codes);
    }
    seen_.assign(static_cast<std::size_t>(most_codes), 0);
}

bool ExactSubtrees::fits(Rows rows) {
    if (std::ldexp(1.0, static_cast<int>(std::min<std::size_t>(rows.size(), 1000))) <=
        most_boxes_) {
        return true;
    }
    double bound = 1.0;
    for (const Feature& feature : problem_.table.features) {
        if (++looked_ == 0) {
            std::fill(seen_.begin(), seen_.end(), 0);
            looked_ = 1;
        }
        double codes = 0;
        for (const std::uint32_t row : rows) {
            std::uint32_t& seen = seen_[feature.codes[row]];
            codes += seen != looked_;
            seen = looked_;
        }
        const bool misses = feature.has_versions() && seen_[feature.missing()] == looked_;
        bound *= feature.most_sets(codes, misses);
        if (bound > most_boxes_) {
            return false;
        }
    }
    return true;
}

// --- sums -------------------------------------------------------------------------------------

// The sums of a power. If there are too many, they are dropped before new ones are computed.
void ExactSubtrees::take_power(double power) {
    auto own = std::find_if(sums_.begin(), sums_.end(),
                            [&](const PowerSums& sums) { return sums.power == power; });
    if (own == sums_.end()) {
        if (sums_.size() == kMostPowers) {
            sums_.erase(sums_.begin());
        }
        sums_.push_back({power, std::make_unique<exact::Memo>(Value::kWords, 1, budget_)});
        own = sums_.end() - 1;
    }
    memo_ = own->memo.get();
    power_ = power;
}

void ExactSubtrees::prepare(Rows rows, std::int32_t state, double power) {
    const Box box = geometry_.box_of(rows);
    const Key key = box.key + builder_.state_key(state);
    take_power(power);
    if (find(key) != nullptr) {
        return;
    }
    if (budget_.used() > kMostBytes) {
        sums_.clear();
        take_power(power);
    }
    arena_.release({});
    open(box, state, key, arena_.mark());
    while (!frames_.empty()) {
        if (go_on(frames_.back())) {
            const GoalFrame& done = frames_.back();
            std::uint64_t words[Value::kWords];
            done.sum.store(words);
            memo_->insert(done.key, words);
            arena_.release(done.before);
            frames_.pop_back();
        }
    }
}

void ExactSubtrees::open(const Box& box, std::int32_t state, Key key, Arena::Mark before) {
    GoalFrame frame;
    frame.box = box;
    frame.key = key;
    frame.before = before;
    frame.splits = splitter_.splits(box, arena_);
    frame.item = builder_.edges(box, frame.splits, state, arena_);
    for (const RuleEdges& rule : frame.item.rules) {
        for (const Edge& edge : rule.edges) {
            memo_->prefetch(edge.left);
        }
    }
    frames_.push_back(std::move(frame));
}

// Adds known values to a goal's sum; true at its end, false if a goal below was entered.
bool ExactSubtrees::go_on(GoalFrame& frame) {
    for (; frame.rule < frame.item.rules.size(); ++frame.rule, frame.edge = 0) {
        const RuleEdges& rule = frame.item.rules[frame.rule];
        if (rule.kind == RuleKind::leaf) {
            frame.sum += leaf_weight(rule, frame.item.log_likelihood);
            continue;
        }
        const Value factor = Value::from_log(rule.log_factor);
        for (; frame.edge < rule.edges.size(); ++frame.edge) {
            const Edge& edge = rule.edges[frame.edge];
            if (enter_missing(frame, rule, edge)) {
                return false;  // `frame` may have moved
            }
            Value value = Value::load(find(edge.left));
            if (rule.kind == RuleKind::split) {
                value = (value * Value::load(find(edge.right))).times(edge);
            }
            frame.sum += value * factor;
        }
    }
    return true;
}

bool ExactSubtrees::enter_missing(const GoalFrame& frame, const RuleEdges& rule, const Edge& edge) {
    const Arena::Mark before = arena_.mark();
    if (rule.kind == RuleKind::call) {
        if (find(edge.left) != nullptr) {
            return false;
        }
        open(frame.box, edge.left_state, edge.left, before);
        return true;
    }
    const bool left = find(edge.left) == nullptr;
    if (!left && find(edge.right) != nullptr) {
        return false;
    }
    const BoxSplit& split = frame.splits[edge.split];
    const Box side = geometry_.side(frame.box, split, left, arena_);
    open(side, left ? edge.left_state : edge.right_state, left ? edge.left : edge.right, before);
    return true;
}

ExactSubtrees::Value ExactSubtrees::leaf_weight(const RuleEdges& rule,
                                                double log_likelihood) const {
    return Value::from_log(rule.log_factor + tempered(power_, log_likelihood));
}

// --- drawing ----------------------------------------------------------------------------------

bool ExactSubtrees::draw(Randomness& random, Rows rows, std::int32_t state, Taken& out) {
    arena_.release({});
    const Box box = geometry_.box_of(rows);
    const std::span<const BoxSplit> splits = splitter_.splits(box, arena_);
    const ItemEdges item = builder_.edges(box, splits, state, arena_);
    values_.clear();
    edges_.clear();
    for (const RuleEdges& rule : item.rules) {
        if (rule.kind == RuleKind::leaf) {
            values_.push_back(leaf_weight(rule, item.log_likelihood));
            edges_.push_back({rule.rule, kLeaf, {}});
            continue;
        }
        const Value factor = Value::from_log(rule.log_factor);
        for (const Edge& edge : rule.edges) {
            const Value below = Value::load(find(edge.left)) * factor;
            if (rule.kind == RuleKind::call) {
                values_.push_back(below);
                edges_.push_back({rule.rule, kCall, {}});
                continue;
            }
            const BoxSplit& split = splits[edge.split];
            values_.push_back((below * Value::load(find(edge.right))).times(edge));
            edges_.push_back(
                {rule.rule, static_cast<std::int32_t>(split.feature), split.cut});
        }
    }
    const auto most = std::max_element(values_.begin(), values_.end());
    if (most == values_.end() || most->is_zero()) {
        return false;
    }
    weights_.clear();
    for (const Value& value : values_) {
        weights_.push_back(ratio(value, *most));
    }
    out = edges_[random.among(weights_)];
    return true;
}

}  // namespace slp::mcmc
