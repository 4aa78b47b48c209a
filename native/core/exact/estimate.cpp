#include "exact/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <numeric>
#include <unordered_set>
#include <vector>

#include "exact/box_paths.hpp"
#include "exact/random_descents.hpp"

namespace slp::exact {

namespace {

constexpr std::size_t kGroups = 8;  // of paths, side by side, whose spread gives the error
constexpr std::size_t kMostPaths = 512, kLeastPaths = 4;  // in a group
// With more rows the least number of paths is one, because each path holds a part of the rows. Four
// would take seconds, and half of the table's memory, although the sums are far too large anyway.
constexpr std::size_t kManyRows = 200'000;
constexpr std::size_t kBoxesForSplits = 60, kBoxesForStates = 40, kWays = 40, kWaysInFull = 12;

std::size_t n_occurring(const Feature& feature) {
    return std::unordered_set(feature.codes.begin(), feature.codes.end()).size();
}

// Features that can be split on, those of most codes first.
std::vector<std::size_t> features_in_order(const Problem& problem) {
    const std::vector<std::uint8_t> split = features_split(problem);
    std::vector<std::size_t> order, codes;
    for (std::size_t f = 0; f < split.size(); ++f) {
        codes.push_back(n_occurring(problem.table.features[f]));
        if (split[f]) {
            order.push_back(f);
        }
    }
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t f) { return codes[f]; });
    return order;
}

// The most splits on one path; the number of rows if states have a cycle.
std::int32_t most_cuts(const Problem& problem) {
    const auto& states = problem.grammar.states;
    const auto rows = static_cast<std::int32_t>(problem.table.n_rows);
    const std::int32_t most = problem.counted() ? std::min(rows, problem.n_owed() - 1) : rows;
    if (states.open()) {
        return std::min(most, states.most_cuts());
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
        const std::size_t before = stack.size();
        std::int32_t below = 0;
        bool cycle = false;
        const auto follow = [&](std::int32_t to, std::int32_t cuts) {
            const auto t = static_cast<std::size_t>(to);
            if (to >= 0 && longest[t] >= 0) {
                below = std::max(below, longest[t] + cuts);
            } else if (to >= 0) {
                cycle = cycle || open[t] != 0;
                stack.push_back(to);
            }
        };
        open[s] = 1;
        for (const Rule& rule : states[s]) {
            follow(rule.kind == RuleKind::call ? rule.state : -1, 0);
            for (const std::int32_t to : rule.transitions) {
                follow(to, 1);
            }
        }
        if (cycle) {
            return most;
        }
        if (stack.size() == before) {
            longest[s] = below;
        }
    }
    return std::min(most, longest[static_cast<std::size_t>(problem.grammar.start)]);
}

CutOrder order_of(std::size_t way) {
    return way == 0 ? CutOrder::most_first : way == 1 ? CutOrder::fewest_first : CutOrder::random;
}

// The boxes in `sampled` that full cuts can reach within the depth; all if nothing prevents it.
std::vector<const Path*> reachable(RandomDescents& descents,
                                   const std::vector<const Path*>& sampled, std::int32_t max_cuts,
                                   double work, std::size_t& tried) {
    std::vector<const Path*> out;
    for (tried = 0; tried < sampled.size() && descents.work() < work; ++tried) {
        const Path* const path = sampled[tried];
        for (std::size_t way = 0; way < kWaysInFull; ++way) {
            const std::int32_t n = descents.cuts(path->rows, order_of(way));
            if (n >= 0 && n <= max_cuts) {
                out.push_back(path);
                break;
            }
        }
    }
    return out;
}

// Average splits of a box, without the limits of min_leaf and the states.
double splits_of(const Problem& problem, const std::vector<std::size_t>& order,
                 const std::vector<const Path*>& sampled) {
    const std::size_t every = std::max<std::size_t>(1, sampled.size() / kBoxesForSplits);
    double splits = 0, boxes = 0;
    std::vector<std::uint32_t> here;
    std::vector<Cut> cuts;
    for (std::size_t i = 0; i < sampled.size(); i += every) {
        for (const std::size_t f : order) {
            const Feature& feature = problem.table.features[f];
            find_codes(feature, sampled[i]->rows, here);
            cuts.clear();
            feature.list_cuts(here, sampled[i]->rows, cuts);
            splits += static_cast<double>(cuts.size());
        }
        boxes += 1;
    }
    return splits / boxes;
}

struct StatesFound {
    double states = 0.0;  // on average, of boxes reached in any
    std::size_t tried = 0, reached = 0;
    bool more = false;  // a lower bound: a box occurs in too many to follow
};

StatesFound find_states(const Problem& problem, RandomDescents& descents,
                        const std::vector<const Path*>& sampled, double work) {
    StatesFound out;
    const double limit = descents.work() + work;
    const std::size_t every = std::max<std::size_t>(1, sampled.size() / kBoxesForStates);
    for (std::size_t i = 0; i < sampled.size() && descents.work() < limit; i += every) {
        struct StateSeen {
            int times = 0;
            std::int32_t fewest_cuts = INT32_MAX;
        };
        std::map<std::int32_t, StateSeen> seen;
        for (std::size_t way = 0; way < kWays && descents.work() < limit; ++way) {
            for (const std::int32_t state : descents.states(sampled[i]->rows, order_of(way))) {
                StateSeen& own = seen[state];
                ++own.times;
                own.fewest_cuts = std::min(own.fewest_cuts, descents.n_cuts());
            }
            if (descents.too_many()) {
                return {static_cast<double>(seen.size()), 1, 1, true};
            }
        }
        double once = 0, twice = 0, products = 0;
        for (const auto& [state, own] : seen) {
            once += own.times == 1;
            twice += own.times == 2;
            // of K leaves each cut above leaves one at least to the other side
            products += problem.counted()
                            ? std::clamp<double>(problem.n_owed() - own.fewest_cuts, 0,
                                                 static_cast<double>(sampled[i]->rows.size()))
                            : 1.0;
        }
        const double unseen = twice > 0 ? once * once / (2 * twice) : once * (once - 1) / 2;
        const auto met = static_cast<double>(seen.size());
        const States& all = problem.grammar.states;
        const double states =
            all.open() ? met + unseen : std::min(met + unseen, static_cast<double>(all.size()));
        out.states += met > 0 ? products * states / met : 0.0;
        out.reached += !seen.empty();
        ++out.tried;
    }
    out.states /= static_cast<double>(std::max<std::size_t>(1, out.reached));
    return out;
}

}  // namespace

double most_boxes(const Problem& problem) {
    const std::vector<std::uint8_t> split = features_split(problem);
    const auto cuts = static_cast<std::size_t>(most_cuts(problem));
    // number[k]: descriptions that take k cuts of the features so far
    std::vector<double> number{1.0};
    for (std::size_t f = 0; f < split.size(); ++f) {
        if (!split[f]) {
            continue;
        }
        const Feature& feature = problem.table.features[f];
        const auto c = static_cast<double>(n_occurring(feature));
        const std::vector<double> own = feature.sets_by_cuts(c, cuts);
        std::vector<double> product(std::min(cuts + 1, number.size() + own.size() - 1), 0.0);
        for (std::size_t i = 0; i < number.size(); ++i) {
            for (std::size_t j = 0; j < own.size() && i + j < product.size(); ++j) {
                product[i + j] += number[i] * own[j];
            }
        }
        number = std::move(product);
    }
    const double descriptions = std::accumulate(number.begin(), number.end(), 0.0);
    return std::min(descriptions, std::exp2(static_cast<double>(problem.table.n_rows)));
}

BoxEstimate estimate_boxes(const Problem& problem, const Geometry& geometry, double work,
                           std::uint64_t seed, const Poll* poll) {
    ThreadTeam team;
    Watch watch(team, poll);
    const auto go_on = [&] { return watch.go_on([] { return Progress{}; }); };
    const std::vector<std::size_t> order = features_in_order(problem);
    // A path goes through the levels of a feature one by one where each box orders them anew.
    std::size_t steps = 1;
    for (const std::size_t f : order) {
        const Feature& feature = problem.table.features[f];
        steps += feature.looks_at_response() ? static_cast<std::size_t>(feature.n_codes) : 1;
    }
    const double cost = static_cast<double>(problem.table.n_rows) * static_cast<double>(steps) *
                        static_cast<double>(kGroups);
    const std::size_t least = problem.table.n_rows > kManyRows ? 1 : kLeastPaths;
    const auto n = std::clamp(static_cast<std::size_t>(work / (4 * cost)), least, kMostPaths);
    std::vector<Paths> groups;
    std::vector<double> number;
    bool more = false;
    for (std::size_t g = 0; g < kGroups; ++g) {
        groups.emplace_back(problem, order, n, split_mix(seed + g));
        bool stopped = false;
        number.push_back(std::exp(groups.back().run(stopped, go_on)));
        more = more || stopped;
    }
    const double mean = std::accumulate(number.begin(), number.end(), 0.0) / kGroups;
    double squares = 0;
    for (const double x : number) {
        squares += (x - mean) * (x - mean);
    }
    double variance = squares / (kGroups - 1) / kGroups / (mean * mean);
    BoxEstimate out{mean, mean, 0.0, 1.0, 0.0, more};
    if (team.ended()) {
        return out;
    }

    std::vector<const Path*> sampled;
    for (std::size_t i = 0; i < n; ++i) {  // from all groups in turn
        for (const Paths& group : groups) {
            sampled.push_back(&group.paths()[i]);
        }
    }
    out.splits = splits_of(problem, order, sampled);
    const auto reached_of = [&](double reached, double tried) {
        const double fraction = std::max(reached, 0.5) / tried;
        out.boxes *= fraction;
        variance += (1 - fraction) / (fraction * tried);
    };
    RandomDescents descents(problem, geometry, split_mix(~seed));
    const std::int32_t max_cuts = most_cuts(problem);
    if (!more && (problem.grammar.min_leaf > 1 ||
                  max_cuts + 1 < static_cast<std::int32_t>(problem.table.n_rows))) {
        std::size_t tried = 0;
        sampled = reachable(descents, sampled, max_cuts, work / 2, tried);
        if (tried > 0) {
            reached_of(static_cast<double>(sampled.size()), static_cast<double>(tried));
        }
    }
    const States& states = problem.grammar.states;
    if (states.open() ? !more : states.size() > 1 || problem.counted()) {
        const StatesFound found = find_states(problem, descents, sampled, work / 2);
        if (found.tried > 0) {
            out.states = std::max(1.0, found.states);
            out.more = out.more || found.more;
            reached_of(static_cast<double>(found.reached), static_cast<double>(found.tried));
        }
    }
    out.boxes = std::max(1.0, std::min(out.boxes, most_boxes(problem)));
    out.error = std::sqrt(variance);
    return out;
}

}  // namespace slp::exact
