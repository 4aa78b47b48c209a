// Random descents from the root to a given box, and the states in which they arrive.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "problem/geometry.hpp"
#include "problem/key.hpp"
#include "problem/problem.hpp"

namespace slp::exact {

// A stream of random numbers, the same everywhere.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    // Uniform in [0, 1).
    double uniform() {
        state_ = split_mix(state_);
        return static_cast<double>(state_ >> 11) * 0x1p-53;
    }
    // Uniform in 0, ..., n - 1.
    std::size_t below(std::size_t n) {
        return std::min(n - 1, static_cast<std::size_t>(uniform() * static_cast<double>(n)));
    }

private:
    std::uint64_t state_;
};

// Which features any rule can split on: of an open grammar any may be.
inline std::vector<std::uint8_t> features_split(const Problem& problem) {
    const States& states = problem.grammar.states;
    std::vector<std::uint8_t> out(problem.table.features.size(), states.open());
    if (states.open()) {
        return out;
    }
    for (const Rules& rules : states) {
        for (const Rule& rule : rules) {
            for (std::size_t f = 0; f < out.size() && rule.kind == RuleKind::split; ++f) {
                const std::span<const std::int32_t> to = problem.transitions(rule, f);
                for (std::size_t i = 0; i < to.size() && !out[f]; i += 2) {
                    out[f] = to[i] >= 0;
                }
            }
        }
    }
    return out;
}

// The codes of a feature that occur in these rows, ascending.
inline void find_codes(const Feature& feature, std::span<const std::uint32_t> rows,
                       std::vector<std::uint32_t>& out) {
    out.clear();
    for (const std::uint32_t row : rows) {
        out.push_back(feature.codes[row]);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
}

enum class CutOrder : std::uint8_t { most_first, fewest_first, random };

// Walks from the root to boxes.
class RandomDescents {
public:
    RandomDescents(const Problem& problem, const Geometry& geometry, std::uint64_t seed)
        : problem_(problem),
          geometry_(geometry),
          random_(seed),
          split_(features_split(problem)),
          kept_codes_(problem.table.features.size()) {}

    // Follows one path to the box of `target`; in random order its cuts are in full or in steps.
    // Returns the states in which it arrives: none if it cannot.
    const std::set<std::int32_t>& states(const std::vector<std::uint32_t>& target, CutOrder order) {
        aim(target);
        states_ = {problem_.grammar.start};
        too_many_ = false;
        const double in_full = order == CutOrder::random ? random_.uniform() : 1.0;
        while (rows_.size() > target.size() && !states_.empty() && !too_many_) {
            if (!cut(random_.uniform() >= in_full, order)) {
                states_.clear();
            }
        }
        follow_calls();
        return states_;
    }

    // The number of full cuts that lead to it in this order, for any state; -1 if min_leaf prevents
    // it.
    std::int32_t cuts(const std::vector<std::uint32_t>& target, CutOrder order) {
        aim(target);
        states_.clear();
        while (rows_.size() > target.size()) {
            if (!cut(false, order)) {
                return -1;
            }
        }
        return n_cuts_;
    }

    // Whether the last path was stopped because it has too many states; only for open grammars.
    bool too_many() const { return too_many_; }

    // Cuts of the last path.
    std::int32_t n_cuts() const { return n_cuts_; }

    // Visits to rows so far.
    double work() const { return work_; }

private:
    // The probability that a step which is not a full cut is as short as possible.
    static constexpr double kShortest = 0.5;

    // With more states of one box, those of an open grammar are not followed: an exact pass would
    // need as many items for each similar box.
    static constexpr std::size_t kMostStatesOfBox = 10'000;

    // A cut that keeps the target on one side.
    struct TargetCut {
        std::size_t feature;
        slp::Cut cut;
        bool keep_left;
        std::uint64_t kept_rows;  // of the data
    };

    void aim(const std::vector<std::uint32_t>& target) {
        const Box root = geometry_.root();
        rows_.assign(root.rows.begin(), root.rows.end());
        data_rows_ = data_rows(root.sizes);
        n_cuts_ = 0;
        for (std::size_t f = 0; f < kept_codes_.size(); ++f) {
            find_codes(problem_.table.features[f], target, kept_codes_[f]);
        }
        work_ += static_cast<double>(target.size() * kept_codes_.size());
    }

    // False if there is none.
    bool cut(bool in_steps, CutOrder order) {
        find_cuts(in_steps);
        if (cuts_.empty()) {
            return false;
        }
        follow(choose(order));
        ++n_cuts_;
        return true;
    }

    void find_cuts(bool in_steps) {
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
            // Cuts at the ends of what is kept, or steps on the way there.
            const auto step = [&](std::ptrdiff_t n) {
                if (!in_steps || random_.uniform() < kShortest) {
                    return in_steps ? std::ptrdiff_t{1} : n;
                }
                return 1 + static_cast<std::ptrdiff_t>(random_.below(static_cast<std::size_t>(n)));
            };
            feature.cuts_keeping(codes_, kept_codes_[f], rows_, step,
                                 [&](slp::Cut cut, bool keep_left) { add(f, cut, keep_left); });
        }
        const auto least = static_cast<std::uint64_t>(problem_.grammar.min_leaf);
        std::erase_if(cuts_, [&](const TargetCut& cut) {
            return cut.kept_rows < least || data_rows_ - cut.kept_rows < least;
        });
    }

    void add(std::size_t f, slp::Cut own, bool keep_left) {
        TargetCut cut{f, own, keep_left, 0};
        const RowTest test = test_of(cut);
        for (const std::uint32_t row : rows_) {
            cut.kept_rows += test.goes_left(row) == keep_left ? problem_.table.counts[row] : 0;
        }
        work_ += static_cast<double>(rows_.size());
        cuts_.push_back(cut);
    }

    RowTest test_of(const TargetCut& cut) const {
        return problem_.table.features[cut.feature].test(cut.cut);
    }

    const TargetCut& choose(CutOrder order) {
        switch (order) {
            case CutOrder::most_first: return *std::ranges::min_element(cuts_, {},
                                                                        &TargetCut::kept_rows);
            case CutOrder::fewest_first: return *std::ranges::max_element(cuts_, {},
                                                                          &TargetCut::kept_rows);
            default: return cuts_[random_.below(cuts_.size())];
        }
    }

    void follow_calls() {
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

    void follow(const TargetCut& cut) {
        follow_calls();
        const std::int32_t cell = problem_.table.features[cut.feature].cell(cut.cut);
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
        const RowTest test = test_of(cut);
        std::erase_if(rows_, [&](std::uint32_t row) {
            return test.goes_left(row) != cut.keep_left;
        });
        data_rows_ = cut.kept_rows;
    }

    const Problem& problem_;
    const Geometry& geometry_;
    Random random_;
    std::vector<std::uint8_t> split_;
    double work_ = 0;
    std::int32_t n_cuts_ = 0;

    std::vector<std::vector<std::uint32_t>> kept_codes_;  // of the target, for each feature
    std::vector<std::uint32_t> rows_;
    std::uint64_t data_rows_ = 0;
    std::vector<TargetCut> cuts_;
    std::vector<std::uint32_t> codes_;
    std::set<std::int32_t> states_;
    bool too_many_ = false;
};

}  // namespace slp::exact
