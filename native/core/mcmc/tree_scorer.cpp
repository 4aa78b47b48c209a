// Weights of many trees, and the least number of leaves below each state.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <thread>

#include "mcmc/tree_weights.hpp"
#include "threads.hpp"

namespace slp::mcmc {

namespace {

// The most sweeps over the states. Fewer sweeps give lower bounds too.
constexpr int kSweeps = 100;

constexpr std::chrono::milliseconds kBetweenAsking{20};
constexpr std::chrono::milliseconds kBetweenLooks{1};

std::uint32_t least_by_rule(const Problem& problem, const Rule& rule,
                            std::span<const std::uint32_t> least) {
    if (rule.kind == RuleKind::leaf) {
        return 1;
    }
    if (rule.kind == RuleKind::call) {
        return least[static_cast<std::size_t>(rule.state)];
    }
    const std::uint32_t most = problem.table.n_rows + 1;  // more than any tree has
    std::uint32_t out = most;
    for (std::size_t i = 0; i < rule.transitions.size(); i += 2) {
        if (rule.transitions[i] >= 0) {
            const std::uint32_t both = least[static_cast<std::size_t>(rule.transitions[i])] +
                                       least[static_cast<std::size_t>(rule.transitions[i + 1])];
            out = std::min(out, both);
        }
    }
    return out;
}

}  // namespace

std::vector<std::uint32_t> least_leaves(const Problem& problem) {
    const auto& states = problem.grammar.states;
    if (states.open()) {
        return {};
    }
    const std::uint32_t most = problem.table.n_rows + 1;
    std::vector<std::uint32_t> least(states.size(), 1);
    bool changed = true;
    for (int sweep = 0; sweep < kSweeps && changed; ++sweep) {
        changed = false;
        for (std::size_t i = 0; i < states.size(); ++i) {
            const std::size_t s = sweep % 2 == 0 ? states.size() - 1 - i : i;
            std::uint32_t own = most;
            for (const Rule& rule : states[s]) {
                own = std::min(own, least_by_rule(problem, rule, least));
            }
            changed = changed || own != least[s];
            least[s] = own;
        }
    }
    return least;
}

TreeScorer::TreeScorer(const Problem& problem, const Geometry& geometry, bool by_partition)
    : least_(least_leaves(problem)), weighers_([this, &problem, &geometry, by_partition] {
          return std::make_unique<TreeWeigher>(problem, geometry, least_, by_partition);
      }) {}

std::vector<double> TreeScorer::log_weights(std::span<const TreeNode> nodes,
                                            std::span<const std::int64_t> starts,
                                            std::size_t n_threads,
                                            const std::function<bool()>& go_on) {
    using Clock = std::chrono::steady_clock;
    const std::size_t n = starts.empty() ? 0 : starts.size() - 1;
    std::vector<double> out(n, std::numeric_limits<double>::quiet_NaN());
    std::atomic<std::size_t> next = 0, weighed = 0;
    std::atomic<bool> stopped = false;
    Clock::time_point asked = Clock::now();
    const auto ask = [&] {  // in the caller's thread
        if (!stopped && Clock::now() - asked > kBetweenAsking) {
            try {
                stopped = !go_on();
            } catch (...) {
                stopped = true;
                throw;
            }
            asked = Clock::now();
        }
        return !stopped;
    };
    const auto look = [&] { return !stopped; };
    run_threads(std::min(n_threads, std::max<std::size_t>(n, 1)), [&](std::size_t thread) {
        weighers_.lend([&](TreeWeigher& weigher) {
            const std::function<bool()> own = thread == 0 ? std::function<bool()>(ask) : look;
            for (std::size_t t; own() && (t = next++) < n; ++weighed) {
                const auto begin = static_cast<std::size_t>(starts[t]);
                const auto end = static_cast<std::size_t>(starts[t + 1]);
                out[t] = weigher.log_weight(nodes.subspan(begin, end - begin), own);
            }
            return true;
        });
        while (thread == 0 && weighed < n && ask()) {  // another thread is at a large tree
            std::this_thread::sleep_for(kBetweenLooks);
        }
    });
    return out;
}

}  // namespace slp::mcmc
