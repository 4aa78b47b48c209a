#include "exact/block_grammar.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "exact/block_runs.hpp"
#include "exact/flat_state.hpp"

namespace slp::exact {

namespace {

using Pair = std::pair<std::int32_t, std::int32_t>;

class Builder {
public:
    Builder(const Problem& problem, Sum sum, std::optional<std::size_t> deepest)
        : problem_(problem), grammar_(problem.grammar), sum_(sum), deepest_(deepest) {}

    std::optional<BlockGrammar> build() {
        if (!problem_.table.plain()) {
            obstacle = Obstacle::kinds;
            return std::nullopt;
        }
        if (grammar_.states.open()) {
            obstacle = Obstacle::open;
            return std::nullopt;
        }
        if (!find_states()) {
            return std::nullopt;
        }
        find_levels();
        if (deepest_) {
            cut();
        }
        order();
        find_classes();
        if (!find_shares()) {
            return std::nullopt;
        }
        make_nodes();
        add_runs(problem_, {flat_, placed_, is_target(0)}, cell_of_class_, out_);
        bound_splits();
        return std::move(out_);
    }

    // Why nothing was built.
    Obstacle obstacle = Obstacle::none;

private:
    bool stop_at(Obstacle found) {
        obstacle = found;
        return false;
    }

    // The states that boxes can be in, from the start on.
    bool find_states() {
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
            std::optional<Flat> found = flat_state(grammar_, sum_, own_[at], obstacle);
            if (!found) {
                return false;
            }
            const Flat& flat = *found;
            if (flat.majority != nullptr && (flat.calls || flat.splits.size() > 1)) {
                return stop_at(Obstacle::majority);
            }
            for (const Flat::Split& split : flat.splits) {
                if (has_measure && split.rule->measure != out_.measure) {
                    return stop_at(Obstacle::measures);
                }
                out_.measure = split.rule->measure;
                has_measure = true;
                std::for_each(split.rule->transitions.begin(), split.rule->transitions.end(),
                              reach);
            }
            out_.has_calls = out_.has_calls || flat.calls;
            flat_.push_back(std::move(*found));
        }
        if (sum_ == Sum::count && out_.measure != Measure::partition) {
            out_.measure = Measure::each;
        }
        return true;
    }

    template <typename Use>
    void for_each_term(std::size_t state, Use use) const {
        for (const Flat::Split& split : flat_[state].splits) {
            const auto& to = split.rule->transitions;
            for (std::size_t cell = 0; 2 * cell < to.size(); ++cell) {
                if (to[2 * cell] >= 0) {
                    use(number_[static_cast<std::size_t>(to[2 * cell])],
                        number_[static_cast<std::size_t>(to[2 * cell + 1])], cell);
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
            for_each_term(s, [&](std::int32_t left, std::int32_t right, std::size_t) {
                for (const std::int32_t to : {left, right}) {
                    std::uint32_t& found = level[static_cast<std::size_t>(to)];
                    unique = unique && (found == kNone || found == level[s] + 1);
                    found = std::min(found, level[s] + 1);
                }
            });
        }
        if (unique) {
            level_ = std::move(level);
            out_.n_levels = *std::max_element(level_.begin(), level_.end()) + std::size_t{1};
        }
    }

    void cut() {
        for (std::size_t s = 0; s < own_.size(); ++s) {
            cut_.push_back(level_[s] >= *deepest_);
        }
    }

    bool is_cut(std::size_t s) const { return !cut_.empty() && cut_[s]; }
    bool is_kept(std::size_t s) const { return cut_.empty() || level_[s] <= *deepest_; }

    // Chains of states, each followed by the state that most of its splits lead to, as far as that
    // one does not follow another.
    void order() {
        std::map<Pair, std::size_t> links;
        for (std::size_t s = 0; s < own_.size(); ++s) {
            for_each_term(s, [&](std::int32_t left, std::int32_t right, std::size_t) {
                for (const std::int32_t to : {left, right}) {
                    if (to > static_cast<std::int32_t>(s)) {
                        ++links[{static_cast<std::int32_t>(s), to}];
                    }
                }
            });
        }
        std::vector<std::tuple<std::size_t, std::int32_t, std::int32_t>> sorted;
        for (const auto& [link, n] : links) {
            sorted.emplace_back(n, link.first, link.second);
        }
        std::stable_sort(sorted.begin(), sorted.end(), [](const auto& x, const auto& y) {
            return std::get<0>(x) > std::get<0>(y);
        });
        std::vector<std::int32_t> next(own_.size(), -1);
        std::vector<bool> follows(own_.size(), false);
        for (const auto& [n, from, to] : sorted) {
            if (next[static_cast<std::size_t>(from)] < 0 && !follows[static_cast<std::size_t>(to)]) {
                next[static_cast<std::size_t>(from)] = to;
                follows[static_cast<std::size_t>(to)] = true;
            }
        }
        place_.assign(own_.size(), -1);
        for (std::size_t first = 0; first < own_.size(); ++first) {
            if (follows[first]) {
                continue;
            }
            for (auto s = static_cast<std::int32_t>(first); s >= 0;
                 s = next[static_cast<std::size_t>(s)]) {
                if (is_kept(static_cast<std::size_t>(s))) {
                    place_[static_cast<std::size_t>(s)] = static_cast<std::int32_t>(placed_.size());
                    placed_.push_back(static_cast<std::size_t>(s));
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
                if (!level_.empty()) {
                    out_.level.push_back(level_[placed_[at]]);
                }
            }
        }
    }

    // Cells of one feature that all rules treat alike are one split class.
    void find_classes() {
        std::vector<const Rule*> rules;
        for (const Flat& flat : flat_) {
            for (const Flat::Split& split : flat.splits) {
                rules.push_back(split.rule);
            }
        }
        std::sort(rules.begin(), rules.end());
        rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
        for (const Feature& feature : problem_.table.features) {
            const auto first = static_cast<std::uint32_t>(cell_of_class_.size());
            out_.first_class.push_back(first);
            std::map<std::vector<std::int32_t>, std::uint32_t> found;
            const auto n_cells = static_cast<std::size_t>(feature.n_cells());
            for (std::size_t c = 0; c < n_cells; ++c) {
                const std::size_t cell = static_cast<std::size_t>(feature.first_cell) + c;
                std::vector<std::int32_t> column;
                for (const Rule* rule : rules) {
                    column.push_back(rule->transitions[2 * cell]);
                    column.push_back(rule->transitions[2 * cell + 1]);
                }
                const auto [at, is_new] = found.try_emplace(
                    std::move(column), static_cast<std::uint32_t>(cell_of_class_.size()));
                if (is_new) {
                    cell_of_class_.push_back(cell);
                }
                out_.class_of_cell.push_back(at->second);
            }
        }
        out_.first_class.push_back(static_cast<std::uint32_t>(cell_of_class_.size()));
    }

    // False if rules of one state take different splits over.
    bool find_shares() {
        std::map<std::vector<std::uint8_t>, std::uint32_t> found;
        std::vector<double> range_totals;
        for (const std::size_t s : placed_) {
            std::vector<std::uint8_t> own(cell_of_class_.size(), 0);
            bool is_first = true;
            for (const Flat::Split& split : flat_[s].splits) {
                for (std::size_t c = 0; c < own.size(); ++c) {
                    const std::uint8_t takes =
                        grammar_.takes_over(split.rule->transitions[2 * cell_of_class_[c]]);
                    if (!is_first && takes != own[c]) {
                        return stop_at(Obstacle::splits);
                    }
                    own[c] = takes;
                }
                is_first = false;
            }
            if (is_first) {  // it matters for nothing
                shares_.push_back(0);
                continue;
            }
            const auto [at, is_new] =
                found.try_emplace(own, static_cast<std::uint32_t>(found.size()));
            shares_.push_back(at->second);
            if (is_new) {
                out_.allowed.insert(out_.allowed.end(), own.begin(), own.end());
                range_totals.push_back(flat_[s].splits.front().rule->range_total);
            }
        }
        if (found.empty()) {
            out_.allowed.assign(cell_of_class_.size(), 0);
        } else {
            out_.range_totals = std::move(range_totals);
        }
        out_.n_shares = std::max<std::size_t>(1, found.size());
        return true;
    }

    // The weight of all splits of a state: that of its heaviest rule.
    double split_weight(std::size_t s) const {
        double out = 0.0;
        for (const Flat::Split& split : flat_[s].splits) {
            out = std::max(out, split.weight);
        }
        return is_cut(s) ? 0.0 : out;
    }

    void make_nodes() {
        for (std::size_t at = 0; at < placed_.size(); ++at) {
            const std::size_t s = placed_[at];
            const Flat& flat = flat_[s];
            BlockGrammar::Node node{
                flat.leaf_alone, flat.leaf, split_weight(s), is_cut(s) ? 0.0 : flat.split_only,
                shares_[at],     majority_of(flat)};
            for (std::int32_t owed = 0; owed < problem_.n_owed(); ++owed) {
                out_.nodes.push_back(node);
                out_.may_fail = out_.may_fail || node.majority >= 0 || !(node.leaf_alone > 0.0) ||
                                !(node.leaf > 0.0);
                node.leaf_alone = node.leaf = 0.0;  // a leaf owes no more
            }
        }
        for (std::uint32_t s = 0; s < out_.nodes.size(); ++s) {
            const BlockGrammar::Node& node = out_.nodes[s];
            if (out_.segments.empty() || out_.segments.back().shares != node.shares ||
                out_.segments.back().majority != node.majority) {
                out_.segments.push_back({s, s, node.shares, node.majority});
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
        std::vector<double> most(out_.n_levels, 0.0);
        for (std::size_t s = 0; s < own_.size(); ++s) {
            const Flat& flat = flat_[s];
            double splits = 0.0;
            for (const Flat::Split& split : flat.splits) {
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

    // Whether some split leads to the state.
    bool is_target(std::int32_t state) const {
        bool out = false;
        for (std::size_t s = 0; s < own_.size(); ++s) {
            for_each_term(s, [&](std::int32_t left, std::int32_t right, std::size_t) {
                out = out || left == state || right == state;
            });
        }
        return out;
    }

    const Problem& problem_;
    const Grammar& grammar_;
    Sum sum_;
    std::optional<std::size_t> deepest_;
    BlockGrammar out_;
    std::vector<std::int32_t> number_;  // of each state of the grammar, as they were found
    std::vector<std::int32_t> own_;     // the reverse
    std::vector<Flat> flat_;
    std::vector<std::uint32_t> level_;
    std::vector<bool> cut_;
    std::vector<std::int32_t> place_;  // where each stands in the end; -1 for those left out
    std::vector<std::size_t> placed_;
    std::vector<std::uint32_t> shares_;  // of those placed
    std::vector<std::size_t> cell_of_class_;
};

}  // namespace

std::optional<BlockGrammar> block_grammar_of(const Problem& problem, Sum sum,
                                             std::optional<std::size_t> deepest,
                                             Obstacle* obstacle) {
    Builder builder(problem, sum, deepest);
    std::optional<BlockGrammar> out = builder.build();
    if (obstacle != nullptr) {
        *obstacle = builder.obstacle;
    }
    return out;
}

}  // namespace slp::exact
