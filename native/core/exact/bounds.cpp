#include "exact/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <unordered_map>
#include <vector>

#include "budget.hpp"
#include "exact/mass.hpp"
#include "exact/numbers.hpp"
#include "problem/applicable_rules.hpp"

namespace slp::exact {

namespace {

// Intervals not from the pass are widened by this, far more than any rounding error.
constexpr double kLogRounding = 1e-8;

// Look-ups cost as much as visits to so many rows.
constexpr double kLookUp = 40;

// So do values that a pass computes from few rows.
constexpr double kSmallBox = 400;

// Items open at a time: calls may follow each other a thousandfold.
constexpr int kMostOpen = 400;

constexpr int kMostDepth = 64;

// Bytes for open items, or the scratch memory of the pass.
constexpr std::size_t kLeastRoom = std::size_t{1} << 22;

// Intervals are kept for so many items, or for as many as fit into a part of the pass's memory.
constexpr std::size_t kKept = 20'000, kBytesForOne = 64 * 20;

struct KeyHash {
    std::size_t operator()(Key key) const { return key.a; }
};

class BoundedItems {
public:
    BoundedItems(const Engine& engine, const Pass& pass, double work)
        : engine_(engine),
          problem_(engine.problem()),
          pass_(pass),
          work_(work),
          overdraft_(-work),
          most_kept_(std::max(kKept, pass.progress().bytes / kBytesForOne)),
          mass_(problem_),
          room_(std::max(kLeastRoom, pass.progress().peak_bytes - pass.progress().bytes)),
          splitter_(engine.geometry()),
          builder_(problem_, engine.geometry()),
          arena_(room_),
          statistics_(problem_.leaf.n_statistics()) {
        find_stops();
    }

    Interval root() {
        Interval out{-INFINITY, INFINITY};
        if (mass_.of_state(1, problem_.grammar.start) == INFINITY) {
            return out;
        }
        cut_ = true;
        try {
            for (int depth = 0; depth < kMostDepth && cut_ && (depth == 0 || work_ > 0); ++depth) {
                cut_ = false;
                const Interval next = at_depth(depth);
                out = {std::max(out.low, next.low), std::min(out.high, next.high)};
            }
        } catch (const OutOfBudget&) {  // what is known by then holds
        }
        return out;
    }

private:
    struct BoundsToDepth {
        int depth;
        Interval bounds;
    };

    // The root's bounds with items opened down to a depth; cut_ tells whether this depth stopped
    // any item.
    Interval at_depth(int depth) {
        const Box root = engine_.geometry().root();
        seen_.clear();
        bool reached = true;
        Scaled low, high;
        for (std::int32_t owed = 0; owed < problem_.n_owed(); ++owed) {
            const std::int32_t product = problem_.root_product(owed);
            if (!builder_.room(product, root.sizes)) {
                continue;
            }
            reached = reached && pass_.reached(root, product);
            const Interval own = of(root, product, depth);
            low += Scaled::from_log(own.low);
            high += Scaled::from_log(own.high);
        }
        if (reached) {
            const double total = engine_.log_root(pass_);
            return {total, total};
        }
        const double whole =
            log_pure(root) + mass_.of_state(distinct_rows(root.sizes), problem_.grammar.start);
        return {low.log() - kLogRounding, std::min(high.log(), whole) + kLogRounding};
    }

    Interval of(const Box& box, std::int32_t product, int depth) {
        if (distinct_rows(box.sizes) <= pass_.few_rows()) {
            work_ -= kSmallBox;
        }
        if (pass_.reached(box, product)) {
            const double value = pass_.log_value(box, product);
            return {value, value};
        }
        const Key key = box.key + builder_.state_key(product);
        if (const auto found = seen_.find(key);
            found != seen_.end() && found->second.depth >= depth) {
            return found->second.bounds;
        }
        Interval out = guess(box, product);
        const bool single = distinct_rows(box.sizes) == 1;  // cannot split
        if (work_ > 0 && n_open_ < kMostOpen && (depth > 0 || single)) {
            const Arena::Mark mark = arena_.mark();
            ++n_open_;
            const Interval opened = open(box, product, depth);
            --n_open_;
            arena_.release(mark);
            out = {std::max(out.low, opened.low), std::min(out.high, opened.high)};
        } else {
            cut_ = true;
        }
        if (seen_.size() < most_kept_) {
            seen_[key] = {depth, out};
        }
        return out;
    }

    Interval open(const Box& box, std::int32_t product, int depth) {
        const std::span<const BoxSplit> splits = splitter_.splits(box, arena_);
        const ItemEdges item = builder_.edges(box, splits, product, arena_);
        work_ -= static_cast<double>(box.rows.size() * problem_.table.features.size()) +
                 2 * kLookUp * item.n_edges;
        Scaled low, high;
        for (const RuleEdges& rule : item.rules) {
            const Scaled factor = Scaled::from_log(rule.log_factor);
            if (rule.kind == RuleKind::leaf) {
                const double data = pass_.likelihood() ? item.log_likelihood : 0.0;
                low += factor * Scaled::from_log(data);
                high += factor * Scaled::from_log(data);
            }
            for (const Edge& edge : rule.edges) {
                if (work_ < overdraft_) {  // nothing is known of the rest
                    cut_ = true;
                    return {low.log(), INFINITY};
                }
                Interval below{};
                if (rule.kind == RuleKind::call) {
                    below = of(box, edge.left_state, depth);
                } else {
                    const BoxSplit& split = splits[edge.split];
                    const Interval left = side(box, split, edge, true, depth - 1);
                    const Interval right = side(box, split, edge, false, depth - 1);
                    below = {left.low + right.low, left.high + right.high};
                }
                low += (factor * Scaled::from_log(below.low)).times(edge);
                high += (factor * Scaled::from_log(below.high)).times(edge);
            }
        }
        return {low.log(), high.log()};
    }

    Interval side(const Box& box, const BoxSplit& split, const Edge& edge, bool left, int depth) {
        const std::int32_t product = left ? edge.left_state : edge.right_state;
        const Box known = split.side(box, left);
        if (pass_.reached(known, product)) {  // its rows need not be known
            const double value = pass_.log_value(known, product);
            return {value, value};
        }
        const Arena::Mark mark = arena_.mark();
        work_ -= static_cast<double>(box.rows.size());
        const Interval out = of(engine_.geometry().side(box, split, left, arena_), product, depth);
        arena_.release(mark);
        return out;
    }

    // Bounds of an item that is not opened.
    Interval guess(const Box& box, std::int32_t product) {
        const auto state = static_cast<std::size_t>(product / problem_.n_owed());
        const bool may_stop = !problem_.counted() || product % problem_.n_owed() == 0;
        const double pure = log_pure(box);  // fills statistics_
        double stop = -INFINITY;
        if (may_stop) {
            stop = stops_[state];
            for (const Rule& rule : problem_.grammar.states[state]) {
                if (rule.kind == RuleKind::leaf && !rule.majority.empty() && rule.rows.empty() &&
                    has_majority(rule.majority, statistics_)) {
                    stop = std::max(stop, rule.log_weight - most_log_divisor(state));
                }
            }
        }
        problem_.set_prior(statistics_.data(), product / problem_.n_owed());
        const double leaf =
            pass_.likelihood() ? problem_.leaf.log_marginal(statistics_.data()) : 0.0;
        const double mass = mass_.of_product(distinct_rows(box.sizes), product);
        if (mass == -INFINITY) {
            return {-INFINITY, -INFINITY};
        }
        // The part that is not a leaf. Rounding must not reduce it: U may be far above L.
        const double others = std::max(0.0, -std::expm1(stop - mass)) + 1e-15;
        Scaled high = Scaled::from_log(stop + leaf);
        high += Scaled::from_log(pure + mass + std::log(others));
        return {stop + leaf, high.log()};
    }

    double log_pure(const Box& box) {
        work_ -= static_cast<double>(box.rows.size());
        problem_.leaf.sum(box.rows, statistics_.data());
        return pass_.likelihood() ? problem_.leaf.log_pure(statistics_.data()) : 0.0;
    }

    // For each state the least weight of its leaf rules without a test, calls followed, if all
    // rules apply. Rules that depend on the rows may have weight 0.
    void find_stops() {
        const auto& states = problem_.grammar.states;
        stops_.assign(states.size(), -INFINITY);
        for (const std::size_t s : mass_.order()) {
            double stop = 0;
            for (const Rule& rule : states[s]) {
                const double probability = std::exp(rule.log_weight - most_log_divisor(s));
                if (rule.kind == RuleKind::leaf && rule.majority.empty() && rule.rows.empty()) {
                    stop += probability;
                } else if (rule.kind == RuleKind::call && rule.rows.empty()) {
                    stop += probability * std::exp(stops_[static_cast<std::size_t>(rule.state)]);
                }
            }
            stops_[s] = std::log(stop);
        }
    }

    // What the weights of a state's rules are divided by at most: labels that depend on rows are at
    // most 1.
    double most_log_divisor(std::size_t state) const {
        constexpr PlainBox all_apply{.majority = true, .splits = true};
        const Grammar& grammar = problem_.grammar;
        return std::log(all_apply.divisor(grammar, grammar.states[state]));
    }

    const Engine& engine_;
    const Problem& problem_;
    const Pass& pass_;
    double work_;
    // Finishing the open items may take as much work again.
    double overdraft_;
    std::size_t most_kept_;
    MassBound mass_;
    Budget room_;
    Splitter splitter_;
    EdgeBuilder builder_;
    Arena arena_;
    std::vector<double> statistics_;
    std::vector<double> stops_;
    std::unordered_map<Key, BoundsToDepth, KeyHash> seen_;
    bool cut_ = false;
    int n_open_ = 0;
};

}  // namespace

Interval bounds_on_root(const Engine& engine, const Pass& pass, double work) {
    return BoundedItems(engine, pass, work).root();
}

}  // namespace slp::exact
