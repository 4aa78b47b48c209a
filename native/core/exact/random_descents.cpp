#include "exact/random_descents.hpp"

#include <algorithm>
#include <numeric>

#include "problem/key.hpp"

namespace slp::exact {

namespace {

// The probability that a step which is not a full cut is as short as possible.
constexpr double kShortest = 0.5;

// With more states of one box, those of an open grammar are not followed: an exact pass would need
// as many items for each similar box.
constexpr std::size_t kMostStatesOfBox = 10'000;

}  // namespace

double Random::uniform() {
    state_ = split_mix(state_);
    return static_cast<double>(state_ >> 11) * 0x1p-53;
}

std::size_t Random::below(std::size_t n) {
    return std::min(n - 1, static_cast<std::size_t>(uniform() * static_cast<double>(n)));
}

std::vector<std::uint8_t> features_split(const Problem& problem) {
    const auto& features = problem.table.features;
    std::vector<std::uint8_t> out(features.size(), problem.grammar.states.open());
    if (problem.grammar.states.open()) {
        return out;
    }
    for (const auto& state : problem.grammar.states) {
        for (const Rule& rule : state) {
            for (std::size_t f = 0; f < features.size() && rule.kind == RuleKind::split; ++f) {
                const std::span<const std::int32_t> to = problem.transitions(rule, f);
                for (std::size_t i = 0; i < to.size() && !out[f]; i += 2) {
                    out[f] = to[i] >= 0;
                }
            }
        }
    }
    return out;
}

void find_codes(const Feature& feature, std::span<const std::uint32_t> rows,
                std::vector<std::uint32_t>& out) {
    out.clear();
    for (const std::uint32_t row : rows) {
        out.push_back(feature.codes[row]);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
}

std::int32_t most_cuts(const Problem& problem) {
    const auto& states = problem.grammar.states;
    const auto rows = static_cast<std::int32_t>(problem.table.n_rows);
    const std::int32_t most = problem.counted() ? std::min(rows, problem.n_owed() - 1) : rows;
    if (states.open()) {
        return std::min(most, states.most_cuts());
    }
    std::vector<std::set<std::pair<std::int32_t, std::int32_t>>> next(states.size());
    for (std::size_t s = 0; s < states.size(); ++s) {
        for (const Rule& rule : states[s]) {
            if (rule.kind == RuleKind::call) {
                next[s].emplace(rule.state, 0);
            }
            for (const std::int32_t to : rule.transitions) {
                if (to >= 0) {
                    next[s].emplace(to, 1);
                }
            }
        }
    }
    // Longest paths from the start by relaxation in depth-first order: a state found again while it
    // is open closes a cycle.
    std::vector<std::int32_t> longest(states.size(), -1);
    std::vector<std::uint8_t> open(states.size(), 0);
    std::vector<std::int32_t> stack{problem.grammar.start};
    while (!stack.empty()) {
        const auto s = static_cast<std::size_t>(stack.back());
        if (longest[s] >= 0) {
            stack.pop_back();
            continue;
        }
        bool ready = true;
        std::int32_t below = 0;
        for (const auto& [to, cuts] : next[s]) {
            const auto t = static_cast<std::size_t>(to);
            if (longest[t] >= 0) {
                below = std::max(below, longest[t] + cuts);
            } else if (open[t] || t == s) {
                return most;
            } else {
                stack.push_back(to);
                ready = false;
            }
        }
        open[s] = 1;
        if (ready) {
            longest[s] = below;
            open[s] = 0;
            stack.pop_back();
        }
    }
    return std::min(most, longest[static_cast<std::size_t>(problem.grammar.start)]);
}

RandomDescents::RandomDescents(const Problem& problem, const Geometry& geometry)
    : problem_(problem),
      geometry_(geometry),
      split_(features_split(problem)),
      kept_codes_(problem.table.features.size()) {}

const std::set<std::int32_t>& RandomDescents::states(const std::vector<std::uint32_t>& target,
                                                     Order order, Random& random) {
    aim(target);
    states_ = {problem_.grammar.start};
    too_many_ = false;
    const double in_full = order == Order::random ? random.uniform() : 1.0;
    while (rows_.size() > target.size() && !states_.empty() && !too_many_) {
        if (!cut(random.uniform() >= in_full, order, random)) {
            states_.clear();
        }
    }
    follow_calls();
    return states_;
}

std::int32_t RandomDescents::cuts(const std::vector<std::uint32_t>& target, Order order,
                                  Random& random) {
    aim(target);
    states_.clear();
    while (rows_.size() > target.size()) {
        if (!cut(false, order, random)) {
            return -1;
        }
    }
    return n_cuts_;
}

// False if there is none.
bool RandomDescents::cut(bool in_steps, Order order, Random& random) {
    find_cuts(in_steps, random);
    if (cuts_.empty()) {
        return false;
    }
    follow(choose(order, random));
    ++n_cuts_;
    return true;
}

void RandomDescents::aim(const std::vector<std::uint32_t>& target) {
    rows_.resize(problem_.table.n_rows);
    std::iota(rows_.begin(), rows_.end(), 0U);
    n_cuts_ = 0;
    data_rows_ = std::accumulate(problem_.table.counts.begin(), problem_.table.counts.end(),
                                 std::uint64_t{0});
    for (std::size_t f = 0; f < kept_codes_.size(); ++f) {
        find_codes(problem_.table.features[f], target, kept_codes_[f]);
    }
    work_ += static_cast<double>(target.size() * kept_codes_.size());
}

void RandomDescents::find_cuts(bool in_steps, Random& random) {
    cuts_.clear();
    for (std::size_t f = 0; f < kept_codes_.size(); ++f) {
        if (!split_[f]) {
            continue;
        }
        const Feature& feature = problem_.table.features[f];
        find_codes(feature, rows_, codes_);
        work_ += 4 * static_cast<double>(rows_.size());
        if (codes_.size() == kept_codes_[f].size()) {
            continue;
        }
        if (feature.kind == FeatureKind::subsets) {
            subset_cuts(f);
        } else if (feature.holes && codes_.back() == feature.missing()) {
            sided_cuts(f, in_steps, random);
        } else {
            plain_cuts(f, in_steps, random);
        }
    }
    const auto least = static_cast<std::uint64_t>(problem_.grammar.min_leaf);
    std::erase_if(cuts_, [&](const Cut& cut) {
        return cut.kept_rows < least || data_rows_ - cut.kept_rows < least;
    });
}

// The cut below the target's lowest code and that above its highest, or steps on the way there; of
// levels those that drop one, or keep one alone.
void RandomDescents::plain_cuts(std::size_t f, bool in_steps, Random& random) {
    if (problem_.table.features[f].kind == FeatureKind::levels) {
        level_cuts(f);
        return;
    }
    const std::uint32_t lowest = kept_codes_[f].front(), highest = kept_codes_[f].back();
    const auto begin = std::lower_bound(codes_.begin(), codes_.end(), lowest);
    const auto end = std::upper_bound(codes_.begin(), codes_.end(), highest);
    const auto step = [&](std::ptrdiff_t n) {
        if (!in_steps || random.uniform() < kShortest) {
            return in_steps ? std::ptrdiff_t{1} : n;
        }
        return 1 + static_cast<std::ptrdiff_t>(random.below(static_cast<std::size_t>(n)));
    };
    if (begin != codes_.begin()) {
        const auto at = codes_.begin() + step(begin - codes_.begin());
        add(f, *(at - 1), *at, false);
    }
    if (end != codes_.end()) {
        const auto at = codes_.end() - step(codes_.end() - end);
        add(f, *(at - 1), *at, true);
    }
}

void RandomDescents::level_cuts(std::size_t f) {
    const auto& kept = kept_codes_[f];
    if (codes_.size() == 2) {  // one split, on the first
        add(f, codes_[0], codes_[0], kept[0] == codes_[0]);
        return;
    }
    for (const std::uint32_t code : codes_) {
        if (!std::binary_search(kept.begin(), kept.end(), code)) {
            add(f, code, code, false);
        } else if (kept.size() == 1) {
            add(f, code, code, true);
        }
    }
}

// The cut between the target's levels and all others.
void RandomDescents::subset_cuts(std::size_t f) {
    const auto& kept = kept_codes_[f];
    std::uint32_t all = 0, group = 0;
    for (const std::uint32_t code : codes_) {
        all |= 1U << code;
    }
    for (const std::uint32_t code : kept) {
        group |= 1U << code;
    }
    const bool keep_left = kept.front() == codes_.front();
    add(f, keep_left ? group : all ^ group, keep_left ? all ^ group : group, keep_left);
}

// The cuts without the missing rows, which go where the target's do, or from a target without any to
// the other side; and the test for them, if it keeps the target on one side.
void RandomDescents::sided_cuts(std::size_t f, bool in_steps, Random& random) {
    const Feature& feature = problem_.table.features[f];
    const std::uint32_t missing = feature.missing();
    auto& kept = kept_codes_[f];
    const bool keeps_missing = kept.back() == missing;
    const std::size_t first = cuts_.size();
    codes_.pop_back();
    if (keeps_missing) {
        kept.pop_back();
    }
    if (!kept.empty() && codes_.size() > kept.size()) {
        plain_cuts(f, in_steps, random);
        const std::vector<Cut> found(cuts_.begin() + static_cast<std::ptrdiff_t>(first), cuts_.end());
        cuts_.resize(first);
        for (const Cut& cut : found) {
            const bool left = cut.keep_left == keeps_missing;
            const slp::Cut sided = feature.with_side({cut.low, cut.high},
                                                     left ? Missing::left : Missing::right);
            add(f, sided.low, sided.high, cut.keep_left);
        }
    }
    if (keeps_missing) {
        kept.push_back(missing);
    }
    if (!codes_.empty() && (!keeps_missing || kept.size() == 1)) {
        add(f, missing, missing, keeps_missing);
    }
}

void RandomDescents::add(std::size_t f, std::uint32_t low, std::uint32_t high, bool keep_left) {
    Cut cut{f, low, high, keep_left, 0};
    for (const std::uint32_t row : rows_) {
        cut.kept_rows += keeps(cut, row) ? problem_.table.counts[row] : 0;
    }
    work_ += static_cast<double>(rows_.size());
    cuts_.push_back(cut);
}

bool RandomDescents::keeps(const Cut& cut, std::uint32_t row) const {
    return problem_.table.features[cut.feature].goes_left(cut.low, row) == cut.keep_left;
}

const RandomDescents::Cut& RandomDescents::choose(Order order, Random& random) const {
    if (order == Order::random) {
        return cuts_[random.below(cuts_.size())];
    }
    const auto fewer_left = [](const Cut& x, const Cut& y) { return x.kept_rows < y.kept_rows; };
    return order == Order::most_first ? *std::min_element(cuts_.begin(), cuts_.end(), fewer_left)
                                      : *std::max_element(cuts_.begin(), cuts_.end(), fewer_left);
}

void RandomDescents::follow_calls() {
    std::vector<std::int32_t> waiting(states_.begin(), states_.end());
    while (!waiting.empty() && !too_many_) {
        const auto s = static_cast<std::size_t>(waiting.back());
        waiting.pop_back();
        for (const Rule& rule : problem_.grammar.states[s]) {
            if (rule.kind == RuleKind::call && states_.insert(rule.state).second) {
                waiting.push_back(rule.state);
            }
        }
        too_many_ = problem_.grammar.states.open() && states_.size() > kMostStatesOfBox;
    }
}

void RandomDescents::follow(const Cut& cut) {
    follow_calls();
    const Feature& feature = problem_.table.features[cut.feature];
    const std::int32_t cell = geometry_.cell_of_split(feature, cut.low, cut.high);
    const auto at = static_cast<std::size_t>(cell) * 2 + (cut.keep_left ? 0 : 1);
    std::set<std::int32_t> after;
    for (const std::int32_t s : states_) {
        for (const Rule& rule : problem_.grammar.states[static_cast<std::size_t>(s)]) {
            if (rule.kind == RuleKind::split && rule.transitions[at] >= 0) {
                after.insert(rule.transitions[at]);
            }
        }
        work_ += 4;
    }
    states_ = std::move(after);
    std::erase_if(rows_, [&](std::uint32_t row) { return !keeps(cut, row); });
    data_rows_ = cut.kept_rows;
}

}  // namespace slp::exact
