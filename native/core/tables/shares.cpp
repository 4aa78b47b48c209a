// Expected uses and draws: both go from the roots down, by the shares of edges. As
// slp/reference/tables/uses.py and draws.py.

#include <algorithm>
#include <atomic>
#include <cmath>

#include "mcmc/randomness.hpp"
#include "tables/solved.hpp"
#include "threads.hpp"

namespace slp::tables {

namespace {

using Random = mcmc::SeededRandomness;

// Draws of one stream of random numbers.
constexpr std::size_t kBlock = 64;
// Steps between two questions whether to go on.
constexpr std::size_t kLook = 1 << 16;

// SplitMix64 (Steele, Lea & Flood 2014).
std::uint64_t mixed(std::uint64_t& state) {
    std::uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

Random stream(const std::array<std::uint64_t, 4>& seeds, std::size_t block) {
    std::array<std::uint64_t, 4> own{};
    std::uint64_t state = block;
    for (std::size_t k = 0; k < own.size(); ++k) {
        state ^= seeds[k];
        own[k] = mixed(state);
    }
    own[3] += own == std::array<std::uint64_t, 4>{} ? 1 : 0;
    return Random(own);
}

void append(Draws& out, const Draws& more) {
    for (std::size_t k = 0; k + 1 < more.first.size(); ++k) {
        out.first.push_back(out.first.back() + more.first[k + 1] - more.first[k]);
    }
    out.edges.insert(out.edges.end(), more.edges.begin(), more.edges.end());
    out.roots.insert(out.roots.end(), more.roots.begin(), more.roots.end());
    out.log_masses.insert(out.log_masses.end(), more.log_masses.begin(), more.log_masses.end());
}

}  // namespace

Shares::Shares(const Graph& graph, std::span<const Mass> masses)
    : graph_(graph), share_(graph.edges.size()), running_(graph.into.all.size()) {
    const auto mass = [&](std::int32_t i) {
        return i == kNone ? kOne : masses[static_cast<std::size_t>(i)];
    };
    std::vector<Mass> own;
    for (std::size_t i = 0; i < graph.size(); ++i) {
        own.clear();
        Mass unit;
        for (const std::int32_t e : graph.into[i]) {
            const Hyperedge& edge = graph.edges[static_cast<std::size_t>(e)];
            own.push_back(mass(edge.prefix).times(mass(edge.answer)).times(edge.coefficient()));
            unit = std::max(unit, own.back());
        }
        double whole = 0.0;
        for (std::size_t k = 0; k < own.size(); ++k) {
            whole += own[k].in_units(unit.exponent);
        }
        double sum = 0.0;
        for (std::size_t k = 0; k < own.size(); ++k) {
            const std::size_t at = graph.into.first[i] + k;
            const double share = whole > 0 ? own[k].in_units(unit.exponent) / whole : 0.0;
            share_[static_cast<std::size_t>(graph.into.all[at])] = share;
            running_[at] = sum += share;
        }
    }
}

std::optional<std::vector<double>> Shares::expected_uses(std::span<const Root> roots,
                                                         const Lists& parts,
                                                         const GoOn& go_on) const {
    std::vector<double> uses(graph_.size()), out(graph_.edges.size());
    for (const auto& [variable, weight] : roots) {
        uses[static_cast<std::size_t>(variable)] += weight;
    }
    std::vector<std::int32_t> place(graph_.size(), kNone);
    for (std::size_t p = parts.size(); p-- > 0;) {  // users first
        const std::span<const std::int32_t> part = parts[p];
        if ((part.size() > 1 || graph_.needs_itself(part.front())) &&
            !uses_together(part, uses, place, go_on)) {
            return std::nullopt;
        }
        for (const std::int32_t v : part) {
            for (const std::int32_t e : graph_.into[static_cast<std::size_t>(v)]) {
                const Hyperedge& edge = graph_.edges[static_cast<std::size_t>(e)];
                const double flow = share_[static_cast<std::size_t>(e)] *
                                    uses[static_cast<std::size_t>(v)];
                out[static_cast<std::size_t>(e)] = flow;
                for (const std::int32_t i : {edge.prefix, edge.answer}) {
                    if (i != kNone && place[static_cast<std::size_t>(i)] == kNone) {
                        uses[static_cast<std::size_t>(i)] += flow;
                    }
                }
            }
        }
        for (const std::int32_t v : part) {
            place[static_cast<std::size_t>(v)] = kNone;
        }
    }
    return out;
}

// Replaces the uses of a component's variables from outside by all of theirs. `place` then has
// them.
bool Shares::uses_together(std::span<const std::int32_t> part, std::vector<double>& uses,
                           std::vector<std::int32_t>& place, const GoOn& go_on) const {
    for (std::size_t k = 0; k < part.size(); ++k) {
        place[static_cast<std::size_t>(part[k])] = static_cast<std::int32_t>(k);
    }
    std::vector<std::pair<std::int32_t, std::int32_t>> entries;
    std::vector<double> values, given;
    for (std::size_t k = 0; k < part.size(); ++k) {
        const auto v = static_cast<std::size_t>(part[k]);
        given.push_back(uses[v]);
        for (const std::int32_t e : graph_.into[v]) {
            const Hyperedge& edge = graph_.edges[static_cast<std::size_t>(e)];
            for (const std::int32_t i : {edge.prefix, edge.answer}) {
                if (i != kNone && place[static_cast<std::size_t>(i)] != kNone) {
                    entries.emplace_back(place[static_cast<std::size_t>(i)],
                                         static_cast<std::int32_t>(k));
                    values.push_back(share_[static_cast<std::size_t>(e)]);
                }
            }
        }
    }
    Elimination system(part.size(), std::move(entries));
    if (!system.fits() || !system.factor(values, go_on)) {
        return false;
    }
    const std::vector<double> found = system.solve(given);
    for (std::size_t k = 0; k < part.size(); ++k) {
        if (!std::isfinite(found[k])) {
            return false;
        }
        uses[static_cast<std::size_t>(part[k])] = found[k];
    }
    return true;
}

template <typename Source>
bool Shares::draw_one(std::int32_t root, Source& random, Draws& out, const GoOn& go_on) const {
    std::vector<std::int32_t> todo{root};
    double sum = 0.0, lost = 0.0;  // of logarithms of labels; what the sum lost so far
    for (std::size_t step = 1; !todo.empty(); ++step) {
        if (step % kLook == 0 && !go_on()) {
            return false;
        }
        const auto v = static_cast<std::size_t>(todo.back());
        todo.pop_back();
        const std::size_t first = graph_.into.first[v], n = graph_.into.first[v + 1] - first;
        const std::size_t k = random.among_sums(std::span(running_).subspan(first, n));
        const std::int32_t e = graph_.into.all[first + k];
        const Hyperedge& edge = graph_.edges[static_cast<std::size_t>(e)];
        // The prefix was proved before the answer that extends it.
        for (const std::int32_t i : {edge.answer, edge.prefix}) {
            if (i != kNone) {
                todo.push_back(i);
            }
        }
        if (edge.begins) {
            out.edges.push_back(e);
            const double term = std::log(edge.label) - lost, next = sum + term;
            lost = (next - sum) - term;
            sum = next;
        }
    }
    out.roots.push_back(root);
    out.log_masses.push_back(sum);
    out.first.push_back(static_cast<std::int64_t>(out.edges.size()));
    return true;
}

Draws Shares::draw(std::span<const Root> roots, std::size_t n,
                   const std::array<std::uint64_t, 4>& seeds, std::size_t threads,
                   const GoOn& go_on) const {
    std::vector<double> running;
    for (const auto& [variable, weight] : roots) {
        running.push_back(weight + (running.empty() ? 0.0 : running.back()));
    }
    std::vector<Draws> blocks((n + kBlock - 1) / kBlock);
    std::atomic<std::size_t> next{0};
    std::atomic<bool> ended{false};
    run_threads(std::min(threads, blocks.size()), [&](std::size_t thread) {
        const GoOn own = [&] {
            if (thread == 0 && !go_on()) {
                ended = true;
            }
            return !ended;
        };
        for (std::size_t b = next++; b < blocks.size() && own(); b = next++) {
            Random random = stream(seeds, b);
            Draws& out = blocks[b];
            out.first.push_back(0);
            for (std::size_t k = b * kBlock; k < std::min(n, (b + 1) * kBlock); ++k) {
                const std::size_t root = random.among_sums(running);
                if (!draw_one(roots[root].first, random, out, own)) {
                    break;
                }
            }
        }
    });
    Draws out;
    out.first.push_back(0);
    for (const Draws& block : blocks) {
        append(out, block);
    }
    return out;
}

}  // namespace slp::tables
