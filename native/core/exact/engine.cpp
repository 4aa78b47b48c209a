#include "exact/engine.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "exact/algebras.hpp"
#include "exact/distributions.hpp"
#include "exact/families.hpp"

namespace slp::exact {

namespace {

template <typename Algebra>
class PassOf final : public Pass {
public:
    PassOf(const Problem& problem, const Geometry& geometry, Algebra algebra, bool likelihood,
           std::size_t memory, std::size_t n_threads)
        : search_(problem, geometry, std::move(algebra), memory, n_threads),
          likelihood_(likelihood) {}

    Status run(const Poll& poll) override { return search_.run(poll); }
    Progress progress() const override { return search_.progress(); }
    double log_value(Key key, std::int32_t) const override {
        const std::uint64_t* found = search_.find(key);
        if (found == nullptr) {
            return -INFINITY;
        }
        if constexpr (Algebra::kByValue) {
            return Algebra::load(found).log();
        } else {
            return Scaled::load(found).log();
        }
    }
    bool reached(Key key, std::int32_t) const override { return search_.find(key) != nullptr; }
    double count(Key key, std::int32_t) const override {
        const std::uint64_t* found = search_.find(key);
        return found == nullptr ? 0.0 : Linear::load(found).m;
    }
    std::span<const double> vector([[maybe_unused]] Key key, std::int32_t) const override {
        if constexpr (!Algebra::kByValue) {
            if (const std::uint64_t* found = search_.find(key)) {
                return {Algebra::numbers(found), search_.algebra().words() - Scaled::kWords};
            }
        }
        return {};
    }
    bool likelihood() const override { return likelihood_; }
    void shares(Key key, std::int32_t product, const ItemEdges& item,
                double* out) const override {
        if constexpr (requires { typename Algebra::Number; }) {
            for (const RuleEdges& rule : item.rules) {
                for (const Edge& edge : rule.edges) {
                    search_.prefetch(edge.left);
                    search_.prefetch(edge.right);
                }
            }
            search_.algebra().shares(item, search_.find(key), out,
                                     [this](Key at) { return search_.find(at); });
        } else {
            Pass::shares(key, product, item, out);
        }
    }

private:
    Search<Algebra> search_;
    bool likelihood_;
};

class FamilyPass final : public Pass {
public:
    FamilyPass(std::unique_ptr<FamilySearch> search, const Chain& chain,
               const std::optional<DepthCut>& cut, const EdgeBuilder& keys, bool likelihood)
        : search_(std::move(search)),
          chain_(chain),
          cut_(cut),
          keys_(keys),
          likelihood_(likelihood) {}

    Status run(const Poll& poll) override { return search_->run(poll); }
    Progress progress() const override { return search_->progress(); }
    double log_value(Key key, std::int32_t product) const override {
        const std::int32_t place = chain_.place[static_cast<std::size_t>(product)];
        return place < 0 ? -INFINITY
                         : search_->log_value(key - keys_.state_key(product),
                                              static_cast<std::size_t>(place));
    }
    double count(Key, std::int32_t product) const override {
        const std::int32_t place = chain_.place[static_cast<std::size_t>(product)];
        return search_->root_count(static_cast<std::size_t>(place));
    }
    std::span<const double> vector(Key, std::int32_t) const override { return {}; }
    bool likelihood() const override { return likelihood_; }
    bool by_families() const override { return true; }
    std::optional<DepthCut> depth_cut() const override { return cut_; }

private:
    std::unique_ptr<FamilySearch> search_;
    Chain chain_;
    std::optional<DepthCut> cut_;
    const EdgeBuilder& keys_;
    bool likelihood_;
};

}  // namespace

void Pass::shares(Key key, std::int32_t product, const ItemEdges& item, double* out) const {
    const double own = log_value(key, product);
    for (const RuleEdges& rule : item.rules) {
        if (rule.kind == RuleKind::leaf) {
            *out++ = std::exp(rule.log_factor + (likelihood() ? item.log_likelihood : 0.0) - own);
        }
        for (const Edge& edge : rule.edges) {
            const double left = log_value(edge.left, edge.left_state);
            const double right =
                rule.kind == RuleKind::call ? 0.0 : log_value(edge.right, edge.right_state);
            *out++ = edge.share * std::exp(rule.log_factor + left + right - own);
        }
    }
}

Engine::Engine(Problem problem)
    : problem_(std::move(problem)),
      geometry_(problem_),
      keys_(problem_, geometry_),
      chain_(chain_of(problem_.grammar)) {
    if (chain_) {
        inner_ = inner_feature(problem_);
    }
}

std::unique_ptr<Pass> Engine::make_pass(Quantity quantity, bool likelihood, bool scaled,
                                        std::size_t length, bool keep, std::size_t memory,
                                        std::size_t n_threads) const {
    const auto make = [&](auto algebra) -> std::unique_ptr<Pass> {
        return std::make_unique<PassOf<decltype(algebra)>>(problem_, geometry_, algebra,
                                                           likelihood, memory, n_threads);
    };
    if (chain_ && inner_ && !scaled && quantity <= Quantity::count) {
        Chain chain = *chain_;
        std::optional<DepthCut> cut;
        if (quantity == Quantity::count) {
            chain = counting_chain(chain, problem_.table.n_rows);
        } else if ((cut = depth_cut(problem_, geometry_, chain, likelihood))) {
            chain = cut_at(chain, cut->depth);
        }
        const FamilyTask task{static_cast<Sum>(quantity), likelihood, keep, memory, n_threads};
        return std::make_unique<FamilyPass>(
            make_family_search(problem_, geometry_, chain, *inner_, task), chain, cut, keys_,
            likelihood);
    }
    const FeatureUse use{problem_.table.features.size()};
    switch (quantity) {
        case Quantity::total:
            return scaled ? make(SumAlgebra<Scaled>(likelihood))
                          : make(SumAlgebra<Linear>(likelihood));
        case Quantity::best: return make(BestAlgebra<Scaled>(likelihood));
        case Quantity::count: return make(CountAlgebra());
        case Quantity::feature_use: return make(VectorAlgebra(likelihood, use));
        case Quantity::leaf_number: return make(VectorAlgebra(likelihood, LeafNumber{length}));
        case Quantity::tree_depth: break;
    }
    return make(VectorAlgebra(likelihood, TreeDepth{length}));
}

std::vector<double> Engine::root_values(const Pass& pass) const {
    std::vector<double> out;
    for (std::int32_t i = 0; i < problem_.n_owed(); ++i) {
        out.push_back(pass.log_value(root_key(i), root_product(i)));
    }
    return out;
}

std::vector<double> Engine::root_counts(const Pass& pass) const {
    std::vector<double> out;
    for (std::int32_t i = 0; i < problem_.n_owed(); ++i) {
        out.push_back(pass.count(root_key(i), root_product(i)));
    }
    return out;
}

double Engine::log_root(const Pass& pass) const {
    const std::vector<double> values = root_values(pass);
    const double top = *std::max_element(values.begin(), values.end());
    double sum = 0;
    for (const double value : values) {
        sum += top > -INFINITY ? std::exp(value - top) : 0.0;
    }
    return values.size() == 1 || sum == 0.0 ? top : top + std::log(sum);
}

std::vector<double> Engine::root_vector(const Pass& pass) const {
    const double total = log_root(pass);
    std::vector<double> out;
    for (std::int32_t i = 0; i < problem_.n_owed(); ++i) {
        const Key key = root_key(i);
        const double share = std::exp(pass.log_value(key, root_product(i)) - total);
        const std::span<const double> own = pass.vector(key, root_product(i));
        out.resize(std::max(out.size(), own.size()), 0.0);
        for (std::size_t j = 0; j < own.size() && share > 0; ++j) {
            out[j] += share * own[j];
        }
    }
    return out;
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

std::int32_t Engine::root_product(std::int32_t owed) const {
    return problem_.grammar.start * problem_.n_owed() + owed;
}

Key Engine::root_key(std::int32_t owed) const {
    return geometry_.root().key + keys_.state_key(root_product(owed));
}

}  // namespace slp::exact
