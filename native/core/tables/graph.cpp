#include "tables/graph.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace slp::tables {

namespace {

// The numbers of `n` lists: number i of `of` stands in list of[i], unless that is kNone.
Lists lists_by(std::size_t n, std::span<const std::int32_t> of) {
    Lists out;
    out.first.assign(n + 1, 0);
    for (const std::int32_t i : of) {
        if (i != kNone) {
            ++out.first[static_cast<std::size_t>(i) + 1];
        }
    }
    std::partial_sum(out.first.begin(), out.first.end(), out.first.begin());
    out.all.resize(out.first.back());
    std::vector<std::size_t> next(out.first.begin(), out.first.end() - 1);
    for (std::size_t k = 0; k < of.size(); ++k) {
        if (of[k] != kNone) {
            out.all[next[static_cast<std::size_t>(of[k])]++] = static_cast<std::int32_t>(k);
        }
    }
    return out;
}

std::vector<std::int32_t> member(const std::vector<Hyperedge>& edges,
                                 std::int32_t Hyperedge::* which) {
    std::vector<std::int32_t> out;
    out.reserve(edges.size());
    for (const Hyperedge& edge : edges) {
        out.push_back(edge.*which);
    }
    return out;
}

// Of each edge whether its coefficient, prefix and answer have mass. A failure may have none, and
// labels may become 0.
std::vector<bool> productive(std::size_t n, const std::vector<Hyperedge>& edges) {
    const Lists by_prefix = lists_by(n, member(edges, &Hyperedge::prefix));
    const Lists by_answer = lists_by(n, member(edges, &Hyperedge::answer));
    std::vector<std::int8_t> missing;
    std::vector<std::size_t> ready;
    for (const Hyperedge& edge : edges) {
        const int needs = (edge.coefficient() > 0 ? 0 : 1) + (edge.prefix != kNone) +
                          (edge.answer != kNone);
        missing.push_back(static_cast<std::int8_t>(needs));
        if (missing.back() == 0) {
            ready.push_back(missing.size() - 1);
        }
    }
    std::vector<bool> positive(n), out(edges.size());
    for (std::size_t k = 0; k < ready.size(); ++k) {
        out[ready[k]] = true;
        const auto target = static_cast<std::size_t>(edges[ready[k]].target);
        if (positive[target]) {
            continue;
        }
        positive[target] = true;
        for (const Lists* const by : {&by_prefix, &by_answer}) {
            for (const std::int32_t other : (*by)[target]) {
                const auto e = static_cast<std::size_t>(other);
                if (--missing[e] == 0) {
                    ready.push_back(e);
                }
            }
        }
    }
    return out;
}

// Tarjan, Depth-first search and linear graph algorithms, SIAM Journal on Computing 1, 1972.
class Tarjan {
public:
    Tarjan(const Graph& graph, bool prefixes_only)
        : graph_(graph), prefixes_only_(prefixes_only), turn_(graph.size()), low_(graph.size()),
          at_(graph.size()), is_open_(graph.size()) {
        out_.first.push_back(0);
    }

    Lists run() {
        for (std::size_t v = 0; v < graph_.size(); ++v) {
            if (turn_[v] == 0) {
                visit(v);
            }
        }
        return std::move(out_);
    }

private:
    // Need number k of a variable, kNone where there is none at this place.
    std::int32_t need(std::size_t v, std::size_t k) const {
        const Hyperedge& edge = graph_.edges[static_cast<std::size_t>(graph_.into[v][k / 2])];
        if (!prefixes_only_) {
            return k % 2 == 0 ? edge.prefix : edge.answer;
        }
        return k % 2 == 0 && graph_.kinds[v] == VariableKind::prefix ? edge.prefix : kNone;
    }

    void open(std::size_t v) {
        turn_[v] = low_[v] = ++met_;
        open_.push_back(v);
        is_open_[v] = true;
        path_.push_back(v);
    }

    void visit(std::size_t start) {
        open(start);
        while (!path_.empty()) {
            const std::size_t v = path_.back();
            bool deeper = false;
            for (const std::size_t n = 2 * graph_.into[v].size(); at_[v] < n; ++at_[v]) {
                const std::int32_t i = need(v, at_[v]);
                if (i == kNone) {
                    continue;
                }
                const auto other = static_cast<std::size_t>(i);
                if (turn_[other] == 0) {
                    open(other);
                    deeper = true;
                    break;
                }
                if (is_open_[other]) {
                    low_[v] = std::min(low_[v], low_[other]);
                }
            }
            if (!deeper) {
                close(v);
            }
        }
    }

    void close(std::size_t v) {
        path_.pop_back();
        if (low_[v] != turn_[v]) {
            return;
        }
        std::size_t part = 0;
        do {
            part = open_.back();
            open_.pop_back();
            is_open_[part] = false;
            out_.all.push_back(static_cast<std::int32_t>(part));
        } while (part != v);
        out_.first.push_back(out_.all.size());
    }

    const Graph& graph_;
    bool prefixes_only_;
    std::vector<std::size_t> turn_, low_, at_, open_, path_;
    std::vector<bool> is_open_;
    std::size_t met_ = 0;
    Lists out_;
};

}  // namespace

Graph::Graph(std::vector<VariableKind> of, std::vector<Hyperedge> all)
    : kinds(std::move(of)), edges(std::move(all)) {
    const std::vector<bool> has_mass = productive(kinds.size(), edges);
    std::vector<std::int32_t> targets = member(edges, &Hyperedge::target);
    for (std::size_t e = 0; e < edges.size(); ++e) {
        if (!has_mass[e]) {
            targets[e] = kNone;
        }
    }
    into = lists_by(kinds.size(), targets);
}

bool Graph::needs_itself(std::int32_t variable) const {
    const auto own = into[static_cast<std::size_t>(variable)];
    return std::any_of(own.begin(), own.end(), [&](std::int32_t e) {
        const Hyperedge& edge = edges[static_cast<std::size_t>(e)];
        return edge.prefix == variable || edge.answer == variable;
    });
}

Lists components(const Graph& graph) { return Tarjan(graph, false).run(); }

bool visits_once(const Graph& graph) {
    for (const Hyperedge& edge : graph.edges) {
        if (edge.prefix == edge.target) {
            return false;
        }
    }
    return Tarjan(graph, true).run().size() == graph.size();
}

}  // namespace slp::tables
