// Boxes drawn at random: paths from the root, side by side, which choose for each feature the codes
// that a box keeps (estimate.hpp).

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "exact/random_descents.hpp"
#include "problem/problem.hpp"

namespace slp::exact {

// One path: the rows that are left, and the ends that must keep occurring.
struct Path {
    std::vector<std::uint32_t> rows;
    // For each feature done, the codes that were chosen: of an order both ends and that of missing
    // values, else all codes kept.
    std::vector<std::vector<std::uint32_t>> ends;
};

// Paths from the root to boxes, side by side, through the same sequence of choices.
class Paths {
public:
    // order: the features in the order of the choices; it must outlive this object.
    Paths(const Problem& problem, const std::vector<std::size_t>& order, std::size_t n,
          std::uint64_t seed)
        : problem_(problem),
          order_(order),
          random_(seed),
          least_(std::min(static_cast<std::uint64_t>(problem.grammar.min_leaf),
                          std::accumulate(problem.table.counts.begin(),
                                          problem.table.counts.end(), std::uint64_t{0}))),
          paths_(n) {
        for (Path& path : paths_) {
            path.rows.resize(problem.table.n_rows);
            std::iota(path.rows.begin(), path.rows.end(), 0U);
        }
    }

    // Log of the estimated number of boxes, and whether it stopped because there are enough,
    // because the ends of many features take too long to look at, or because go_on, called for each
    // feature, returned false.
    template <typename GoOn>
    double run(bool& more, GoOn go_on) {
        constexpr double kEnough = 41.4;  // log of 1e18: the search ends there
        std::size_t done = 0;
        for (; done < order_.size() && log_number_ < kEnough && ends_read_ < kMostEnds && go_on();
             ++done) {
            const Feature& feature = problem_.table.features[order_[done]];
            for (Path& path : paths_) {
                path.ends.emplace_back();
            }
            if (!feature.ordered()) {
                const auto n_levels = static_cast<std::uint32_t>(feature.n_codes);
                for (std::uint32_t level = 0; level < n_levels; ++level) {
                    choose_level(feature, level);
                }
            } else {
                if (feature.has_versions()) {  // boxes of missing rows alone are left out
                    choose_level(feature, feature.missing());
                }
                choose_end({feature, true});
                choose_end({feature, false});
            }
        }
        more = done < order_.size();
        return log_number_;
    }

    const std::vector<Path>& paths() const { return paths_; }

private:
    using Choices = std::vector<std::uint32_t>;

    // About a second for all groups of paths; some 3,000 features of two values.
    static constexpr std::uint64_t kMostEnds = 50'000'000;
    // The end of a box whose rows all miss the value.
    static constexpr std::uint32_t kNoEnd = UINT32_MAX;

    // The codes of a feature, reversed for an upper end.
    struct Codes {
        const Feature& feature;
        bool lower;

        bool is_missing(std::uint32_t row) const {
            return feature.codes[row] == feature.missing();
        }
        std::uint32_t in_order(std::uint32_t code) const {
            return lower ? code : static_cast<std::uint32_t>(feature.n_codes) - 1 - code;
        }
        std::uint32_t operator[](std::uint32_t row) const { return in_order(feature.codes[row]); }
    };

    const std::vector<std::uint32_t>& codes(std::size_t place) const {
        return problem_.table.features[order_[place]].codes;
    }

    // Draws paths in proportion to their open choices, and one of these for each path.
    template <typename Open, typename Take>
    void choose(Open open, Take take) {
        std::vector<Choices> choices;
        for (const Path& path : paths_) {
            choices.push_back(open(path));
        }
        draw_anew(choices);
        for (std::size_t i = 0; i < paths_.size(); ++i) {
            take(paths_[i], choices[i][random_.below(choices[i].size())]);
        }
    }

    // The lower end of a feature's interval (an upper end is a lower one, codes reversed).
    void choose_end(const Codes& code) {
        choose([&](const Path& path) { return open_ends(path, code); },
               [&](Path& path, std::uint32_t end) {
                   if (end == kNoEnd) {
                       return;
                   }
                   std::erase_if(path.rows, [&](std::uint32_t row) {
                       return !code.is_missing(row) && code[row] < end;
                   });
                   end = code.in_order(end);
                   if (path.ends.back().empty() || path.ends.back().back() != end) {
                       path.ends.back().push_back(end);
                   }
               });
    }

    // Codes that may be the end: each end chosen before keeps a row, and the box has at least
    // min_leaf rows.
    Choices open_ends(const Path& path, const Codes& code) {
        const std::uint32_t farthest = farthest_end(path, code);
        std::vector<std::uint64_t> rows_of(static_cast<std::size_t>(code.feature.n_codes), 0);
        std::uint64_t rows = 0;
        for (const std::uint32_t row : path.rows) {
            (code.is_missing(row) ? rows : rows_of[code[row]]) += problem_.table.counts[row];
        }
        Choices out;
        for (std::size_t c = rows_of.size(); c-- > 0;) {  // from the far side on
            rows += rows_of[c];
            if (rows_of[c] > 0 && c <= farthest && rows >= least_) {
                out.push_back(static_cast<std::uint32_t>(c));
            }
        }
        return out.empty() ? Choices{kNoEnd} : out;
    }

    // The limit of a lower end such that each end chosen before keeps a row. Rows are read until no
    // end can narrow it.
    std::uint32_t farthest_end(const Path& path, const Codes& code) {
        std::uint32_t out = UINT32_MAX;
        for (std::size_t i = 0; i < path.ends.size(); ++i) {
            const std::vector<std::uint32_t>& own = codes(i);
            ends_read_ += path.ends[i].size();
            for (const std::uint32_t end : path.ends[i]) {
                std::uint32_t reach = 0;
                for (std::size_t r = 0; r < path.rows.size() && reach < out; ++r) {
                    const std::uint32_t row = path.rows[r];
                    if (own[row] == end) {  // no end drops a row that misses the value
                        reach = std::max(reach, code.is_missing(row) ? UINT32_MAX : code[row]);
                    }
                }
                out = std::min(out, reach);
            }
        }
        return out;
    }

    // A level: kept, or dropped if each end chosen before keeps a row.
    void choose_level(const Feature& feature, std::uint32_t level) {
        const auto is_here = [&](std::uint32_t row) { return feature.codes[row] == level; };
        choose(
            [&](const Path& path) {
                return can_drop(path, is_here) ? Choices{0, 1} : Choices{1};
            },
            [&](Path& path, std::uint32_t keep) {
                if (keep == 0) {
                    std::erase_if(path.rows, is_here);
                } else if (std::ranges::any_of(path.rows, is_here)) {
                    path.ends.back().push_back(level);
                }
            });
    }

    template <typename IsHere>
    bool can_drop(const Path& path, IsHere is_here) {
        std::uint64_t others = 0;
        for (const std::uint32_t row : path.rows) {
            others += is_here(row) ? 0 : problem_.table.counts[row];
        }
        bool out = others >= least_ && std::ranges::any_of(path.rows, is_here);
        for (std::size_t i = 0; out && i < path.ends.size(); ++i) {
            ends_read_ += path.ends[i].size();
            out = std::ranges::all_of(path.ends[i], [&](std::uint32_t end) {
                return std::ranges::any_of(path.rows, [&](std::uint32_t row) {
                    return codes(i)[row] == end && !is_here(row);
                });
            });
        }
        return out;
    }

    // Paths in proportion to their open choices, evenly spaced (Carpenter, Clifford & Fearnhead
    // 1999); multiplies the estimate by the mean of these.
    void draw_anew(std::vector<Choices>& open) {
        double total = 0;
        for (const Choices& choices : open) {
            total += static_cast<double>(choices.size());
        }
        const double step = total / static_cast<double>(open.size());
        log_number_ += std::log(step);
        if (std::ranges::all_of(open, [&](const Choices& choices) {
                return choices.size() == open.front().size();
            })) {
            return;
        }
        double at = random_.uniform() * step, sum = 0;
        std::vector<Path> paths;
        std::vector<Choices> choices;
        for (std::size_t i = 0; i < open.size(); ++i) {
            sum += static_cast<double>(open[i].size());
            const bool is_last = i + 1 == open.size();  // takes what rounding leaves
            for (; (at < sum || is_last) && paths.size() < open.size(); at += step) {
                paths.push_back(paths_[i]);
                choices.push_back(open[i]);
            }
        }
        paths_.swap(paths);
        open.swap(choices);
    }

    const Problem& problem_;
    const std::vector<std::size_t>& order_;
    Random random_;
    std::uint64_t least_;  // rows of the data that a box has, at least
    std::vector<Path> paths_;
    double log_number_ = 0;
    std::uint64_t ends_read_ = 0;
};

}  // namespace slp::exact
