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
    for (done_ = 0; done_ < order_.size() && log_number_ < kEnough && go_on(); ++done_) {
        const std::size_t f = order_[done_];
        for (Path& path : paths_) {
            path.ends.emplace_back();
        }
        const Feature& feature = problem_.table.features[f];
        if (feature.kind >= FeatureKind::levels) {
            for (std::uint32_t level = 0; level < static_cast<std::uint32_t>(feature.n_codes);
                 ++level) {
                choose_level(f, level);
            }
        } else {
            if (feature.holes) {  // boxes of missing rows alone, one for each other box, are left out
                choose_level(f, feature.missing());
            }
            choose_end(f, true);
            choose_end(f, false);
        }
    }
    more = done_ < order_.size();
    return log_number_;
}

// The limit of an end of feature f such that each end chosen before keeps a row: an upper limit for
// a lower end, a lower limit for an upper end. Rows are read until no end can narrow it.
std::uint32_t Paths::farthest_end(const Path& path, std::size_t f, bool lower) const {
    const std::vector<std::uint32_t>& code = codes(f);
    const std::uint32_t missing = problem_.table.features[f].missing();
    std::uint32_t out = lower ? UINT32_MAX : 0;
    for (std::size_t i = 0; i < path.ends.size(); ++i) {
        const std::vector<std::uint32_t>& own = codes(order_[i]);
        for (const std::uint32_t end : path.ends[i]) {
            std::uint32_t reach = lower ? 0 : UINT32_MAX;
            for (const std::uint32_t row : path.rows) {
                if (own[row] == end && code[row] == missing) {  // no end drops it
                    reach = lower ? UINT32_MAX : 0;
                    break;
                }
                if (own[row] == end) {
                    reach = lower ? std::max(reach, code[row]) : std::min(reach, code[row]);
                    if (lower ? reach >= out : reach <= out) {
                        break;
                    }
                }
            }
            out = lower ? std::min(out, reach) : std::max(out, reach);
        }
    }
    return out;
}

// Whether each end chosen before keeps a row if a level of feature f is dropped.
bool Paths::can_drop(const Path& path, std::size_t f, std::uint32_t level) const {
    const std::vector<std::uint32_t>& code = codes(f);
    for (std::size_t i = 0; i < path.ends.size(); ++i) {
        const std::vector<std::uint32_t>& own = codes(order_[i]);
        for (const std::uint32_t end : path.ends[i]) {
            if (std::none_of(path.rows.begin(), path.rows.end(), [&](std::uint32_t row) {
                    return own[row] == end && code[row] != level;
                })) {
                return false;
            }
        }
    }
    return true;
}

// The lower end of a feature's interval (an upper end is a lower one, codes reversed).
void Paths::choose_end(std::size_t f, bool lower) {
    std::vector<std::vector<std::uint32_t>> open(paths_.size());
    for (std::size_t i = 0; i < paths_.size(); ++i) {
        open[i] = open_ends(paths_[i], f, lower);
    }
    draw_anew(open);
    for (std::size_t i = 0; i < paths_.size(); ++i) {
        Path& path = paths_[i];
        const std::uint32_t end = open[i][random_.below(open[i].size())];
        if (end == kNoEnd) {
            continue;
        }
        const std::uint32_t missing = problem_.table.features[f].missing();
        std::erase_if(path.rows, [&](std::uint32_t row) {
            return codes(f)[row] != missing &&
                   (lower ? codes(f)[row] < end : codes(f)[row] > end);
        });
        if (path.ends.back().empty() || path.ends.back().back() != end) {
            path.ends.back().push_back(end);
        }
    }
}

// Codes that may be the end: each end chosen before keeps a row, and the box has at least min_leaf
// rows.
std::vector<std::uint32_t> Paths::open_ends(const Path& path, std::size_t f, bool lower) {
    const std::vector<std::uint32_t>& code = codes(f);
    const std::uint32_t farthest = farthest_end(path, f, lower);
    if (rows_of_.size() < static_cast<std::size_t>(problem_.table.features[f].n_codes)) {
        rows_of_.resize(static_cast<std::size_t>(problem_.table.features[f].n_codes), 0);
    }
    const std::uint32_t missing = problem_.table.features[f].missing();
    std::uint64_t rows = 0;
    std::vector<std::uint32_t> here;  // codes that occur
    for (const std::uint32_t row : path.rows) {
        if (code[row] == missing) {
            rows += problem_.table.counts[row];
            continue;
        }
        if (rows_of_[code[row]] == 0) {
            here.push_back(code[row]);
        }
        rows_of_[code[row]] += problem_.table.counts[row];
    }
    std::sort(here.begin(), here.end());
    if (lower) {  // from the far side on
        std::reverse(here.begin(), here.end());
    }
    std::vector<std::uint32_t> out;
    for (const std::uint32_t c : here) {
        rows += rows_of_[c];
        rows_of_[c] = 0;
        if ((lower ? c <= farthest : c >= farthest) && rows >= least_) {
            out.push_back(c);
        }
    }
    return out.empty() ? std::vector<std::uint32_t>{kNoEnd} : out;
}

// A level: kept, or dropped if each end chosen before keeps a row.
void Paths::choose_level(std::size_t f, std::uint32_t level) {
    std::vector<std::vector<std::uint32_t>> open(paths_.size());  // 1: keep, 0: drop
    for (std::size_t i = 0; i < paths_.size(); ++i) {
        open[i] = open_choices(paths_[i], f, level);
    }
    draw_anew(open);
    for (std::size_t i = 0; i < paths_.size(); ++i) {
        Path& path = paths_[i];
        const bool keep = open[i][random_.below(open[i].size())] == 1;
        if (!keep) {
            std::erase_if(path.rows, [&](std::uint32_t row) { return codes(f)[row] == level; });
        } else {
            const auto found =
                std::any_of(path.rows.begin(), path.rows.end(),
                            [&](std::uint32_t row) { return codes(f)[row] == level; });
            if (found) {
                path.ends.back().push_back(level);
            }
        }
    }
}

std::vector<std::uint32_t> Paths::open_choices(const Path& path, std::size_t f,
                                               std::uint32_t level) {
    std::uint64_t others = 0;
    bool here = false;
    for (const std::uint32_t row : path.rows) {
        if (codes(f)[row] == level) {
            here = true;
        } else {
            others += problem_.table.counts[row];
        }
    }
    if (!here || others < least_) {
        return {1};
    }
    return can_drop(path, f, level) ? std::vector<std::uint32_t>{0, 1}
                                    : std::vector<std::uint32_t>{1};
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
    log_number_ += std::log(total / static_cast<double>(open.size()));
    if (least == most) {
        return;
    }
    const double step = total / static_cast<double>(open.size());
    double at = random_.uniform() * step, sum = 0;
    std::vector<std::size_t> from;
    for (std::size_t i = 0; i < open.size(); ++i) {
        sum += static_cast<double>(open[i].size());
        for (; at < sum && from.size() < open.size(); at += step) {
            from.push_back(i);
        }
    }
    while (from.size() < open.size()) {  // rounding
        from.push_back(open.size() - 1);
    }
    std::vector<Path> paths;
    std::vector<std::vector<std::uint32_t>> choices;
    for (const std::size_t i : from) {
        paths.push_back(paths_[i]);
        choices.push_back(open[i]);
    }
    paths_.swap(paths);
    open.swap(choices);
}

}  // namespace slp::exact
