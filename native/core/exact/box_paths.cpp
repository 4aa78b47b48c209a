#include "exact/box_paths.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace slp::exact {

namespace {

constexpr double kEnough = 41.4;  // log of 1e18: the search ends there

// The end of a box whose rows all miss the value.
constexpr std::uint32_t kNoEnd = UINT32_MAX;

}  // namespace

Paths::Paths(const Problem& problem, const std::vector<std::size_t>& order, std::size_t n,
             std::uint64_t seed)
    : problem_(problem),
      order_(order),
      random_(seed),
      least_(std::min(static_cast<std::uint64_t>(problem.grammar.min_leaf),
                      std::accumulate(problem.table.counts.begin(), problem.table.counts.end(),
                                      std::uint64_t{0}))),
      paths_(n) {
    std::vector<std::uint32_t> all(problem.table.n_rows);
    std::iota(all.begin(), all.end(), 0U);
    for (Path& path : paths_) {
        path.rows = all;
    }
}

double Paths::run(bool& more, const std::function<bool()>& go_on) {
    std::size_t done = 0;
    for (; done < order_.size() && log_number_ < kEnough && go_on(); ++done) {
        const std::size_t f = order_[done];
        for (Path& path : paths_) {
            path.ends.emplace_back();
        }
        const Feature& feature = problem_.table.features[f];
        if (feature.kind >= FeatureKind::levels) {
            const auto n_levels = static_cast<std::uint32_t>(feature.n_codes);
            for (std::uint32_t level = 0; level < n_levels; ++level) {
                choose_level(f, level);
            }
        } else {
            if (feature.holes) {  // boxes of missing rows alone are left out
                choose_level(f, feature.missing());
            }
            choose_end(f, true);
            choose_end(f, false);
        }
    }
    more = done < order_.size();
    return log_number_;
}

// Draws paths in proportion to their open choices, and one of these for each path.
template <typename Open, typename Take>
void Paths::choose(Open open, Take take) {
    std::vector<std::vector<std::uint32_t>> choices;
    for (const Path& path : paths_) {
        choices.push_back(open(path));
    }
    draw_anew(choices);
    for (std::size_t i = 0; i < paths_.size(); ++i) {
        take(paths_[i], choices[i][random_.below(choices[i].size())]);
    }
}

// The lower end of a feature's interval (an upper end is a lower one, codes reversed).
void Paths::choose_end(std::size_t f, bool lower) {
    const Codes code{problem_.table.features[f], lower};
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

// Codes that may be the end: each end chosen before keeps a row, and the box has at least min_leaf
// rows.
std::vector<std::uint32_t> Paths::open_ends(const Path& path, const Codes& code) {
    const std::uint32_t farthest = farthest_end(path, code);
    rows_of_.resize(std::max(rows_of_.size(), static_cast<std::size_t>(code.feature.n_codes)), 0);
    std::uint64_t rows = 0;
    std::vector<std::uint32_t> here;  // codes that occur
    for (const std::uint32_t row : path.rows) {
        if (code.is_missing(row)) {
            rows += problem_.table.counts[row];
            continue;
        }
        if (rows_of_[code[row]] == 0) {
            here.push_back(code[row]);
        }
        rows_of_[code[row]] += problem_.table.counts[row];
    }
    std::sort(here.begin(), here.end(), std::greater<>());  // from the far side on
    std::vector<std::uint32_t> out;
    for (const std::uint32_t c : here) {
        rows += rows_of_[c];
        rows_of_[c] = 0;
        if (c <= farthest && rows >= least_) {
            out.push_back(c);
        }
    }
    return out.empty() ? std::vector<std::uint32_t>{kNoEnd} : out;
}

// The limit of a lower end such that each end chosen before keeps a row. Rows are read until no end
// can narrow it.
std::uint32_t Paths::farthest_end(const Path& path, const Codes& code) const {
    std::uint32_t out = UINT32_MAX;
    for (std::size_t i = 0; i < path.ends.size(); ++i) {
        const std::vector<std::uint32_t>& own = codes(order_[i]);
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
void Paths::choose_level(std::size_t f, std::uint32_t level) {
    const auto is_here = [&](std::uint32_t row) { return codes(f)[row] == level; };
    choose([&](const Path& path) { return open_choices(path, f, level); },
           [&](Path& path, std::uint32_t keep) {
               if (keep == 0) {
                   std::erase_if(path.rows, is_here);
               } else if (std::ranges::any_of(path.rows, is_here)) {
                   path.ends.back().push_back(level);
               }
           });
}

// 1: to keep it, 0: to drop it.
std::vector<std::uint32_t> Paths::open_choices(const Path& path, std::size_t f,
                                               std::uint32_t level) const {
    std::uint64_t others = 0;
    bool can_drop = false;
    for (const std::uint32_t row : path.rows) {
        const bool here = codes(f)[row] == level;
        can_drop = can_drop || here;
        others += here ? 0 : problem_.table.counts[row];
    }
    can_drop = can_drop && others >= least_;
    for (std::size_t i = 0; can_drop && i < path.ends.size(); ++i) {
        can_drop = std::ranges::all_of(path.ends[i], [&](std::uint32_t end) {
            return std::ranges::any_of(path.rows, [&](std::uint32_t row) {
                return codes(order_[i])[row] == end && codes(f)[row] != level;
            });
        });
    }
    return can_drop ? std::vector<std::uint32_t>{0, 1} : std::vector<std::uint32_t>{1};
}

// Paths in proportion to their open choices, evenly spaced (Carpenter, Clifford & Fearnhead
// 1999); multiplies the estimate by the mean of these.
void Paths::draw_anew(std::vector<std::vector<std::uint32_t>>& open) {
    double total = 0, least = INFINITY, most = 0;
    for (const auto& choices : open) {
        const auto n = static_cast<double>(choices.size());
        total += n;
        least = std::min(least, n);
        most = std::max(most, n);
    }
    const double step = total / static_cast<double>(open.size());
    log_number_ += std::log(step);
    if (least == most) {
        return;
    }
    double at = random_.uniform() * step, sum = 0;
    std::vector<Path> paths;
    std::vector<std::vector<std::uint32_t>> choices;
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

}  // namespace slp::exact
