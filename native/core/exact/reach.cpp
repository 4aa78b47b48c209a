#include "exact/reach.hpp"

#include <cmath>
#include <cstring>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "exact/calls.hpp"

namespace slp::exact {

namespace {

constexpr double kNegligible = 1e-20;

struct KeyHash {
    std::size_t operator()(Key key) const { return key.a; }
};

struct Visit {
    std::vector<std::uint32_t> rows;
    std::int32_t product = 0;
    double probability = 0.0;
};

// Visits to boxes of one size, and where in the list each item is.
struct Level {
    std::vector<Visit> visits;
    std::unordered_map<Key, std::size_t, KeyHash> place;
};

class Descent {
public:
    Descent(const Engine& engine, const Pass& pass, const std::vector<double>& row)
        : engine_(engine),
          problem_(engine.problem()),
          pass_(pass),
          row_(row),
          splitter_(engine.geometry()),
          builder_(problem_, engine.geometry()),
          ranks_(call_ranks(problem_.grammar)) {}

    LeafMass run() {
        start();
        // From the largest boxes on, and callers before the called.
        while (!waiting_.empty()) {
            const auto last = std::prev(waiting_.end());
            const Level level = std::move(last->second);
            waiting_.erase(last);
            for (const Visit& visit : level.visits) {
                follow(visit);
            }
        }
        LeafMass out;
        const std::size_t k = problem_.leaf.n_statistics();
        for (const auto& [statistics, mass] : leaves_) {
            out.probability.push_back(mass);
            const std::size_t at = out.statistics.size();
            out.statistics.resize(at + k);
            std::memcpy(out.statistics.data() + at, statistics.data(), k * sizeof(double));
        }
        return out;
    }

private:
    using Order = std::pair<std::size_t, std::size_t>;  // distinct rows, call rank

    void start() {
        const Box root = engine_.geometry().root();
        const double total = engine_.log_root(pass_);
        for (std::int32_t i = 0; i < problem_.n_owed(); ++i) {
            const std::int32_t product = problem_.grammar.start * problem_.n_owed() + i;
            const Key key = root.key + builder_.state_key(product);
            const double share = std::exp(pass_.log_value(key, product) - total);
            add(key, root.rows, product, share);
        }
    }

    void add(Key key, std::span<const std::uint32_t> rows, std::int32_t product, double mass) {
        if (!(mass > kNegligible)) {
            return;
        }
        const auto state = static_cast<std::size_t>(product / problem_.n_owed());
        const Order order{rows.size(), ranks_[state]};
        Level& level = waiting_[order];
        const auto [found, is_new] = level.place.try_emplace(key, level.visits.size());
        if (is_new) {
            level.visits.push_back({{rows.begin(), rows.end()}, product, 0.0});
        }
        level.visits[found->second].probability += mass;
    }

    void follow(const Visit& visit) {
        const Arena::Mark mark = arena_.mark();
        const Box box = engine_.geometry().box_of(visit.rows);
        const std::span<const BoxSplit> splits = splitter_.splits(box, arena_);
        const ItemEdges item = builder_.edges(box, splits, visit.product, arena_);
        const double own = pass_.log_value(
            box.key + builder_.state_key(visit.product), visit.product);
        const double scale = std::log(visit.probability) - own;
        side_.resize(visit.rows.size());
        for (const RuleEdges& rule : item.rules) {
            if (rule.kind == RuleKind::leaf) {
                const double extra = pass_.likelihood() ? item.log_likelihood : 0.0;
                end_in(visit.rows, std::exp(scale + rule.log_factor + extra));
            }
            for (const Edge& edge : rule.edges) {
                if (rule.kind == RuleKind::call) {
                    const double below = pass_.log_value(edge.left, edge.left_state);
                    add(edge.left, visit.rows, edge.left_state,
                        std::exp(scale + rule.log_factor + below));
                    continue;
                }
                const double below = pass_.log_value(edge.left, edge.left_state) +
                                         pass_.log_value(edge.right, edge.right_state);
                const double mass =
                    edge.share * std::exp(scale + rule.log_factor + below);
                if (!(mass > kNegligible)) {
                    continue;
                }
                const BoxSplit& split = splits[edge.split];
                const bool left = engine_.geometry().passes(split, row_[split.feature]);
                const Box side = engine_.geometry().side(box, split, left, side_.data());
                add(left ? edge.left : edge.right, side.rows,
                    left ? edge.left_state : edge.right_state, mass);
            }
        }
        arena_.release(mark);
    }

    void end_in(const std::vector<std::uint32_t>& rows, double mass) {
        std::string statistics(problem_.leaf.n_statistics() * sizeof(double), '\0');
        problem_.leaf.sum(rows, reinterpret_cast<double*>(statistics.data()));
        leaves_[statistics] += mass;
    }

    const Engine& engine_;
    const Problem& problem_;
    const Pass& pass_;
    const std::vector<double>& row_;
    Splitter splitter_;
    EdgeBuilder builder_;
    std::vector<std::size_t> ranks_;
    Arena arena_;
    std::vector<std::uint32_t> side_;
    std::map<Order, Level> waiting_;
    std::map<std::string, double> leaves_;
};

}  // namespace

LeafMass leaves_reached(const Engine& engine, const Pass& pass, const std::vector<double>& row) {
    return Descent(engine, pass, row).run();
}

}  // namespace slp::exact
