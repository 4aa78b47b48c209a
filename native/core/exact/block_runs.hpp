// The runs of a block grammar: where splits of a class lead to states that stand one after the
// other, their terms go together (BlockGrammar::Run).

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "exact/block_grammar.hpp"
#include "problem/problem.hpp"

namespace slp::exact {

// A state with the rules of the states that it calls.
struct Flat {
    struct FlatSplit {
        double weight;  // if the box can be split
        const Rule* rule;
    };
    double leaf_alone = 0.0, leaf = 0.0, split_only = 0.0;
    bool may_stop = false, calls = false;
    const Rule* majority = nullptr;
    std::vector<FlatSplit> splits;
};

// Adds the runs to a block grammar that has its nodes, measure classes, split classes and states of
// products, and finds whether it is linear.
class Runs {
public:
    // order: the states' numbers in `flat`, as their nodes stand in the block grammar.
    // cell_of_class: a cell of each split class.
    Runs(const Problem& problem, std::span<const Flat> flat, std::span<const std::size_t> order,
         std::span<const std::size_t> cell_of_class, BlockGrammar& out)
        : problem_(problem), flat_(flat), order_(order), cell_of_class_(cell_of_class), out_(out) {}

    // start_returns: whether some split leads back to the start, the first of the states.
    void add(bool start_returns) {
        out_.n_starts = start_returns ? 0 : static_cast<std::size_t>(problem_.n_owed());
        out_.is_linear = !out_.may_fail && !problem_.counted() && out_.n_measure_classes == 1 &&
                     out_.takes_all();
        for (std::size_t c = 0; c < cell_of_class_.size(); ++c) {
            std::vector<Term> single, several, of_start;
            for (std::size_t at = 0; at < order_.size(); ++at) {
                const std::vector<Term> own = terms(at, 2 * cell_of_class_[c]);
                const bool is_plain =
                    own.size() == 1 && own.front().weight == 1.0 && !problem_.counted();
                auto& to = at == 0 && !start_returns ? of_start
                           : is_plain                          ? single : several;
                to.insert(to.end(), own.begin(), own.end());
                note_linear(at, own, is_plain);
            }
            std::sort(several.begin(), several.end(), [](const Term& x, const Term& y) {
                return std::tie(x.left, x.to, x.right) < std::tie(y.left, y.to, y.right);
            });
            out_.first_run.push_back(static_cast<std::uint32_t>(out_.runs.size()));
            append(single, false);
            append(several, true);
            out_.first_run.push_back(static_cast<std::uint32_t>(out_.runs.size()));
            append(of_start, true);
        }
        out_.first_run.push_back(static_cast<std::uint32_t>(out_.runs.size()));
    }

private:
    struct Term {
        std::uint32_t to, left, right;
        double weight;
        std::uint32_t rule;
    };

    void note_linear(std::size_t at, const std::vector<Term>& terms, bool is_plain) {
        const bool is_last = at + 1 == order_.size();
        const std::uint32_t next = static_cast<std::uint32_t>(at) + (is_last ? 0 : 1);
        const bool follows = is_plain && terms.front().left == next && terms.front().right == next;
        if (is_last) {
            const bool ends = terms.empty() && !(out_.nodes[at].split > 0.0);
            out_.is_linear = out_.is_linear && (follows || ends) &&
                         (!seen_last_ || out_.endless == follows);
            out_.endless = follows;
            seen_last_ = true;
        } else {
            out_.is_linear = out_.is_linear && follows;
        }
    }

    // The terms of a state for the splits of a class; of all that it may owe.
    std::vector<Term> terms(std::size_t at, std::size_t transition) const {
        const Flat& flat = flat_[order_[at]];
        const auto n_owed = static_cast<std::uint32_t>(problem_.n_owed());
        const double weight_of_all = out_.nodes[at * n_owed].split;
        std::vector<Term> out;
        for (std::uint32_t rule = 0; rule < flat.splits.size(); ++rule) {
            const Flat::FlatSplit& split = flat.splits[rule];
            const std::int32_t left = split.rule->transitions[transition];
            if (left < 0 || !(weight_of_all > 0.0)) {
                continue;
            }
            const auto place = [&](std::int32_t state) {
                return static_cast<std::uint32_t>(
                    out_.state_of_product[static_cast<std::size_t>(state) * n_owed]);
            };
            const std::uint32_t to = static_cast<std::uint32_t>(at) * n_owed, l = place(left),
                                r = place(split.rule->transitions[transition + 1]);
            const double weight = split.weight / weight_of_all;
            if (!problem_.counted()) {
                out.push_back({to, l, r, weight, rule});
            }
            // The leaves owed are distributed: at least one to each side.
            for (std::uint32_t owed = 1; owed < n_owed; ++owed) {
                for (std::uint32_t j = 0; j < owed; ++j) {
                    out.push_back({to + owed, l + j, r + owed - 1 - j, weight, rule});
                }
            }
        }
        return out;
    }

    void append(const std::vector<Term>& terms, bool crossed) {
        const std::size_t first = out_.runs.size();
        for (const Term& term : terms) {
            const std::uint32_t of_class = out_.nodes[term.to].measure_class;
            bool extends = false;
            if (out_.runs.size() > first) {
                BlockGrammar::Run& last = out_.runs.back();
                extends = term.to == last.to + last.n && term.right == last.right + last.n &&
                          term.left == last.left + (crossed ? 0 : last.n) &&
                          of_class == last.measure_class;
                last.n += extends ? 1 : 0;
            }
            if (!extends) {
                out_.runs.push_back({term.to, term.left, term.right, 1, of_class, crossed,
                                     crossed ? static_cast<std::int32_t>(out_.weights.size()) : -1,
                                     static_cast<std::uint32_t>(out_.rule_of_term.size())});
            }
            out_.rule_of_term.push_back(term.rule);
            if (crossed) {
                out_.weights.push_back(term.weight);
            }
        }
        for (std::size_t i = first; crossed && i < out_.runs.size(); ++i) {
            const auto begin = out_.weights.begin() + out_.runs[i].weights;
            if (std::all_of(begin, begin + out_.runs[i].n, [](double w) { return w == 1.0; })) {
                out_.runs[i].weights = -1;
            }
        }
    }

    const Problem& problem_;
    std::span<const Flat> flat_;
    std::span<const std::size_t> order_, cell_of_class_;
    BlockGrammar& out_;
    bool seen_last_ = false;
};

}  // namespace slp::exact
