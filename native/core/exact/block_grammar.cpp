#include "exact/block_grammar.hpp"

#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "exact/block_runs.hpp"
#include "problem/applicable_rules.hpp"

namespace slp::exact {

namespace {

class Builder {
public:
    // obstacle: why nothing was built.
    Builder(const Problem& problem, Sum sum, std::optional<std::size_t> deepest, Obstacle& obstacle)
        : problem_(problem),
          grammar_(problem.grammar),
          sum_(sum),
          deepest_(deepest),
          obstacle_(obstacle) {}

    std::optional<BlockGrammar> build() {
        if (!find_states()) {
            return std::nullopt;
        }
        find_levels();
        order();
        find_classes();
        if (!find_measure_classes()) {
            return std::nullopt;
        }
        make_nodes();
        Runs(problem_, flat_, placed_, cell_of_class_, out_).add(start_returns_);
        bound_splits();
        return std::move(out_);
    }

private:
    bool stop_at(Obstacle found) {
        obstacle_ = found;
        return false;
    }

    // The states that boxes can be in, from the start on.
    bool find_states() {
        if (!problem_.table.plain() || grammar_.states.open()) {
            return stop_at(problem_.table.plain() ? Obstacle::open : Obstacle::kinds);
        }
        if (problem_.leaf.in_boxes()) {
            return stop_at(Obstacle::priors);
        }
        if (grammar_.grouped()) {
            return stop_at(Obstacle::groups);
        }
        number_.assign(grammar_.states.size(), -1);
        const auto reach = [&](std::int32_t state) {
            if (state >= 0 && number_[static_cast<std::size_t>(state)] < 0) {
                number_[static_cast<std::size_t>(state)] = static_cast<std::int32_t>(own_.size());
                own_.push_back(state);
            }
        };
        reach(grammar_.start);
        bool has_measure = false;
        for (std::size_t at = 0; at < own_.size(); ++at) {
            Flat flat;
            if (!flatten(own_[at], 1.0, 1.0, flat)) {
                return false;
            }
            if (flat.majority != nullptr && (flat.calls || flat.splits.size() > 1)) {
                return stop_at(Obstacle::majority);
            }
            for (const Flat::FlatSplit& split : flat.splits) {
                if (has_measure && split.rule->measure != out_.measure) {
                    return stop_at(Obstacle::measures);
                }
                out_.measure = split.rule->measure;
                has_measure = true;
                std::ranges::for_each(split.rule->transitions, reach);
            }
            out_.has_calls = out_.has_calls || flat.calls;
            flat_.push_back(std::move(flat));
        }
        if (sum_ == Sum::count && out_.measure != Measure::partition) {
            out_.measure = Measure::each;
        }
        return true;
    }

    // Adds the rules of a state, taken with these weights: in boxes that cannot be split, and in
    // those that can. False if they need more than one pair of weights, or differ in measure.
    bool flatten(std::int32_t state, double alone, double split, Flat& out) {
        const Rules& rules = grammar_.states[static_cast<std::size_t>(state)];
        if (std::ranges::any_of(rules, [](const Rule& rule) { return !rule.rows.empty(); })) {
            return stop_at(Obstacle::rows);
        }
        const auto over = [&](double weight, PlainBox box) {
            return sum_ == Sum::count ? weight : weight / box.divisor(grammar_, rules);
        };
        const double by_alone = over(alone, {.majority = true, .splits = false});
        const double by_split = over(split, {.majority = true, .splits = true});
        for (const Rule& rule : rules) {
            const double own = weight_of(rule);
            if (rule.log_weight == -INFINITY) {
                continue;
            }
            if (rule.kind == RuleKind::leaf) {
                if (out.majority != nullptr || (!rule.majority.empty() && out.may_stop)) {
                    return stop_at(Obstacle::majority);
                }
                out.majority = rule.majority.empty() ? nullptr : &rule;
                out.may_stop = true;
                add_leaf(own * by_alone, out.leaf_alone);
                add_leaf(own * by_split, out.leaf);
            } else if (rule.kind == RuleKind::split) {
                if (!out.splits.empty() && rule.measure != out.splits.front().rule->measure) {
                    return stop_at(Obstacle::measures);
                }
                out.splits.push_back({own * by_split, &rule});
                out.split_only = over(own * split, {.majority = false, .splits = true});
            } else {
                out.calls = true;
                if (!flatten(rule.state, own * by_alone, own * by_split, out)) {
                    return false;
                }
            }
        }
        return true;
    }

    double weight_of(const Rule& rule) const {
        return sum_ == Sum::count ? 1.0 : std::exp(rule.log_weight);
    }

    void add_leaf(double x, double& to) const { to = sum_ == Sum::best ? std::max(to, x) : to + x; }

    // Calls use(number) for the states that splits of a state lead to, as often as they do.
    template <typename Use>
    void for_each_next(std::size_t state, Use use) const {
        for (const Flat::FlatSplit& split : flat_[state].splits) {
            for (const std::int32_t to : split.rule->transitions) {
                if (to >= 0) {
                    use(static_cast<std::size_t>(number_[static_cast<std::size_t>(to)]));
                }
            }
        }
    }

    // States come after one that leads to them, so that one run over them finds the least levels.
    void find_levels() {
        constexpr std::uint32_t kNone = UINT32_MAX;
        std::vector<std::uint32_t> level(own_.size(), kNone);
        level[0] = 0;
        bool unique = true;
        for (std::size_t s = 0; s < own_.size(); ++s) {
            for_each_next(s, [&](std::size_t to) {
                std::uint32_t& found = level[to];
                start_returns_ = start_returns_ || to == 0;
                unique = unique && (found == kNone || found == level[s] + 1);
                found = std::min(found, level[s] + 1);
            });
        }
        if (unique) {
            level_ = std::move(level);
        }
    }

    bool is_cut(std::size_t s) const { return deepest_ && level_[s] >= *deepest_; }
    bool is_kept(std::size_t s) const { return !deepest_ || level_[s] <= *deepest_; }

    // Paths of states, each followed by the state that most of its splits lead to, as far as that
    // one does not follow another.
    void order() {
        constexpr std::size_t kNone = SIZE_MAX;
        using Link = std::pair<std::size_t, std::size_t>;
        std::map<Link, std::size_t> links;
        for (std::size_t s = 0; s < own_.size(); ++s) {
            for_each_next(s, [&](std::size_t to) {
                if (to > s) {
                    ++links[{s, to}];
                }
            });
        }
        std::vector<std::pair<Link, std::size_t>> sorted(links.begin(), links.end());
        std::ranges::stable_sort(sorted, std::greater<>(), [](const auto& x) { return x.second; });
        std::vector<std::size_t> next(own_.size(), kNone);
        std::vector<bool> follows(own_.size(), false);
        for (const auto& [link, n] : sorted) {
            if (next[link.first] == kNone && !follows[link.second]) {
                next[link.first] = link.second;
                follows[link.second] = true;
            }
        }
        for (std::size_t first = 0; first < own_.size(); ++first) {
            for (std::size_t s = follows[first] ? kNone : first; s != kNone; s = next[s]) {
                if (is_kept(s)) {
                    placed_.push_back(s);
                }
            }
        }
        const std::int32_t n_owed = problem_.n_owed();
        out_.state_of_product.assign(grammar_.states.size() * static_cast<std::size_t>(n_owed), -1);
        for (std::size_t at = 0; at < placed_.size(); ++at) {
            for (std::int32_t owed = 0; owed < n_owed; ++owed) {
                out_.state_of_product[static_cast<std::size_t>(own_[placed_[at]] * n_owed + owed)] =
                    static_cast<std::int32_t>(at) * n_owed + owed;
                out_.origin.push_back(own_[placed_[at]]);
            }
        }
    }

    // Cells of one feature that all rules treat alike are one split class; such classes of all
    // features are one kind.
    void find_classes() {
        std::map<std::vector<std::int32_t>, std::uint32_t> kinds;
        std::set<const Rule*> rules;
        for (const Flat& flat : flat_) {
            for (const Flat::FlatSplit& split : flat.splits) {
                rules.insert(split.rule);
            }
        }
        for (const Feature& feature : problem_.table.features) {
            out_.first_class.push_back(static_cast<std::uint32_t>(cell_of_class_.size()));
            std::map<std::vector<std::int32_t>, std::uint32_t> found;
            for (std::int32_t c = 0; c < feature.n_cells(); ++c) {
                const std::size_t cell = out_.class_of_cell.size();
                std::vector<std::int32_t> column;
                bool has_sides = false;
                for (const Rule* rule : rules) {
                    const std::int32_t left = rule->transitions[2 * cell];
                    const std::int32_t right = rule->transitions[2 * cell + 1];
                    column.insert(column.end(), {left, right});
                    has_sides = has_sides || left != right;
                }
                const auto [at, is_new] = found.try_emplace(
                    std::move(column), static_cast<std::uint32_t>(cell_of_class_.size()));
                if (is_new) {
                    cell_of_class_.push_back(cell);
                    const auto next = static_cast<std::uint32_t>(kinds.size());
                    out_.kind_of_class.push_back(kinds.try_emplace(at->first, next).first->second);
                    if (out_.kinds.size() < kinds.size()) {
                        out_.kinds.push_back({at->second, has_sides});
                    }
                }
                out_.class_of_cell.push_back(at->second);
            }
        }
        out_.first_class.push_back(static_cast<std::uint32_t>(cell_of_class_.size()));
    }

    // False if rules of one state take different splits over.
    bool find_measure_classes() {
        std::map<std::vector<std::uint8_t>, std::uint32_t> found;
        for (const std::size_t s : placed_) {
            const std::vector<Flat::FlatSplit>& splits = flat_[s].splits;
            if (splits.empty()) {  // it matters for nothing
                classes_of_probability_.push_back(0);
                continue;
            }
            std::vector<std::uint8_t> own;
            for (const std::size_t cell : cell_of_class_) {
                const auto takes = [&](const Flat::FlatSplit& split) {
                    return grammar_.takes_over(split.rule->transitions[2 * cell]);
                };
                own.push_back(takes(splits.front()));
                if (std::ranges::find(splits, own.back() == 0, takes) != splits.end()) {
                    return stop_at(Obstacle::splits);
                }
            }
            const auto [at, is_new] =
                found.try_emplace(own, static_cast<std::uint32_t>(found.size()));
            classes_of_probability_.push_back(at->second);
            if (is_new) {
                out_.allowed.insert(out_.allowed.end(), own.begin(), own.end());
                out_.n_measure_classes = found.size();
                out_.range_totals.resize(out_.n_measure_classes);
                out_.range_totals.back() = splits.front().rule->range_total;
            }
        }
        if (found.empty()) {
            out_.allowed.assign(cell_of_class_.size(), 0);
        }
        for (std::uint32_t f = 0; f < problem_.table.features.size(); ++f) {
            bool is_split = false;
            for (std::uint32_t c = out_.first_class[f]; c < out_.first_class[f + 1]; ++c) {
                for (std::size_t q = 0; q < out_.n_measure_classes; ++q) {
                    is_split = is_split || out_.takes_over(q, c);
                }
            }
            out_.is_split.push_back(is_split);
        }
        return true;
    }

    void make_nodes() {
        for (std::size_t at = 0; at < placed_.size(); ++at) {
            const std::size_t s = placed_[at];
            const Flat& flat = flat_[s];
            double split = 0.0;  // the weight of all splits: that of the heaviest rule
            for (const Flat::FlatSplit& own : flat.splits) {
                split = is_cut(s) ? 0.0 : std::max(split, own.weight);
            }
            BlockGrammar::StateWeights node{
                flat.leaf_alone, flat.leaf,        split, is_cut(s) ? 0.0 : flat.split_only,
                classes_of_probability_[at],     majority_of(flat)};
            for (std::int32_t owed = 0; owed < problem_.n_owed(); ++owed) {
                out_.nodes.push_back(node);
                out_.may_fail = out_.may_fail || node.majority >= 0 || !(node.leaf_alone > 0.0) ||
                                !(node.leaf > 0.0);
                node.leaf_alone = node.leaf = 0.0;  // a leaf owes no more
            }
        }
        for (std::uint32_t s = 0; s < out_.nodes.size(); ++s) {
            const BlockGrammar::StateWeights& node = out_.nodes[s];
            if (out_.segments.empty() || out_.segments.back().measure_class != node.measure_class ||
                out_.segments.back().majority != node.majority) {
                out_.segments.push_back({s, s, node.measure_class, node.majority});
            }
            ++out_.segments.back().end;
        }
    }

    std::int32_t majority_of(const Flat& flat) {
        if (flat.majority == nullptr) {
            return -1;
        }
        const auto& classes = flat.majority->majority;
        const auto found = std::find(out_.majorities.begin(), out_.majorities.end(), classes);
        const auto number = static_cast<std::int32_t>(found - out_.majorities.begin());
        if (found == out_.majorities.end()) {
            out_.majorities.push_back(classes);
        }
        return number;
    }

    // See BlockGrammar::most_splits.
    void bound_splits() {
        constexpr double kRounding = 1e-9;
        if (level_.empty() || sum_ == Sum::count) {
            return;
        }
        std::vector<double> most(std::ranges::max(level_) + std::size_t{1}, 0.0);
        for (std::size_t s = 0; s < own_.size(); ++s) {
            const Flat& flat = flat_[s];
            double splits = 0.0;
            for (const Flat::FlatSplit& split : flat.splits) {
                splits += split.weight;
            }
            if (flat.leaf_alone > 1 + kRounding || flat.leaf + splits > 1 + kRounding ||
                flat.split_only > 1 + kRounding) {
                return;
            }
            const bool may_only_split = flat.majority != nullptr && !flat.splits.empty();
            double& own = most[level_[s]];
            own = std::max(own, may_only_split ? flat.split_only : splits);
        }
        out_.most_splits = std::move(most);
    }

    const Problem& problem_;
    const Grammar& grammar_;
    Sum sum_;
    std::optional<std::size_t> deepest_;
    Obstacle& obstacle_;
    BlockGrammar out_;
    std::vector<std::int32_t> number_;  // of each state of the grammar, as they were found
    std::vector<std::int32_t> own_;     // the reverse
    std::vector<Flat> flat_;
    std::vector<std::uint32_t> level_;  // of each state; empty if one occurs at several
    bool start_returns_ = false;        // whether some split leads to the start
    std::vector<std::size_t> placed_;   // in the order in which they stand in the end
    std::vector<std::uint32_t> classes_of_probability_;  // of those placed
    std::vector<std::size_t> cell_of_class_;
};

}  // namespace

std::optional<BlockGrammar> block_grammar_of(const Problem& problem, Sum sum,
                                             std::optional<std::size_t> deepest,
                                             Obstacle* obstacle) {
    Obstacle found = Obstacle::none;
    return Builder(problem, sum, deepest, obstacle != nullptr ? *obstacle : found).build();
}

}  // namespace slp::exact
