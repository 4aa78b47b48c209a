#include "exact/engine.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "exact/algebras.hpp"

namespace slp::exact {

namespace {

template <typename Algebra>
class PassOf final : public Pass {
public:
    PassOf(const Problem& problem, const Geometry& geometry, Algebra algebra, std::size_t memory,
           std::size_t n_threads)
        : search_(problem, geometry, std::move(algebra), memory, n_threads) {}

    Status run(const Poll& poll) override { return search_.run(poll); }
    Progress progress() const override { return search_.progress(); }
    double log_value(Key key) const override {
        const std::uint64_t* found = search_.find(key);
        return found == nullptr ? -INFINITY : Algebra::load(found).log();
    }

private:
    Search<Algebra> search_;
};

}  // namespace

Engine::Engine(Problem problem)
    : problem_(std::move(problem)), geometry_(problem_), keys_(problem_, geometry_) {}

std::unique_ptr<Pass> Engine::make_pass(Quantity quantity, bool likelihood, bool scaled,
                                        std::size_t memory, std::size_t n_threads) const {
    const auto make = [&](auto algebra) -> std::unique_ptr<Pass> {
        return std::make_unique<PassOf<decltype(algebra)>>(problem_, geometry_, algebra, memory,
                                                           n_threads);
    };
    switch (quantity) {
        case Quantity::total:
            return scaled ? make(SumAlgebra<Scaled>(likelihood))
                          : make(SumAlgebra<Linear>(likelihood));
        case Quantity::best: return make(BestAlgebra<Scaled>(likelihood));
        case Quantity::count: break;
    }
    return make(CountAlgebra());
}

double Engine::log_root(const Pass& pass, bool maximum) const {
    const Box root = geometry_.root();
    double top = -INFINITY, sum = 0;
    std::vector<double> values;
    for (std::int32_t i = 0; i < problem_.n_owed(); ++i) {
        const Key state = keys_.state_key(problem_.grammar.start * problem_.n_owed() + i);
        values.push_back(pass.log_value(root.key + state));
        top = std::max(top, values.back());
    }
    if (maximum || top == -INFINITY || values.size() == 1) {
        return top;
    }
    for (const double value : values) {
        sum += std::exp(value - top);
    }
    return top + std::log(sum);
}

std::vector<Way> Engine::ways(std::span<const std::uint32_t> rows, std::int32_t product,
                              double* log_likelihood) const {
    Arena arena;
    Splitter splitter(geometry_);
    EdgeBuilder builder(problem_, geometry_);
    const Box box = geometry_.box_of(rows);
    const std::span<const BoxSplit> splits = splitter.splits(box, arena);
    const ItemEdges item = builder.edges(box, splits, product, arena);
    std::vector<double> statistics(problem_.leaf.n_statistics());
    problem_.leaf.sum(rows, statistics.data());
    *log_likelihood = problem_.leaf.log_marginal(statistics.data());
    std::vector<Way> out;
    out.reserve(item.n_edges);
    for (const RuleEdges& rule : item.rules) {
        if (rule.kind == RuleKind::leaf) {
            out.push_back({rule.rule, -1, 0, 0, -1, -1, {}, {}, rule.log_factor});
        }
        for (const Edge& edge : rule.edges) {
            Way way{rule.rule,       -2,         0,         0, edge.left_state, edge.right_state,
                    edge.left, edge.right, rule.log_factor};
            if (rule.kind == RuleKind::split) {
                const BoxSplit& split = splits[edge.split];
                way.feature = static_cast<std::int32_t>(split.feature);
                way.low = split.low;
                way.high = split.high;
                way.log_weight += std::log(edge.share);
            }
            out.push_back(way);
        }
    }
    return out;
}

Key Engine::key(std::span<const std::uint32_t> rows, std::int32_t product) const {
    return geometry_.box_of(rows).key + keys_.state_key(product);
}

}  // namespace slp::exact
