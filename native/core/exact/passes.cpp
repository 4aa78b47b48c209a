// The passes of an engine: item by item, or by blocks.

#include <cmath>
#include <utility>

#include "exact/algebras.hpp"
#include "exact/binary_blocks/search.hpp"
#include "exact/distributions.hpp"
#include "exact/engine.hpp"
#include "exact/interval_blocks/feature_use.hpp"
#include "exact/interval_blocks/search.hpp"

namespace slp::exact {

namespace {

template <typename Algebra>
class PassOf final : public Pass {
public:
    PassOf(const Problem& problem, const Geometry& geometry, const EdgeBuilder& keys,
           Algebra algebra, bool likelihood, std::size_t memory, std::size_t n_threads)
        : search_(problem, geometry, std::move(algebra), memory, n_threads),
          root_(geometry.root()),
          keys_(keys),
          likelihood_(likelihood) {}

    Status run(const Poll& poll) override { return search_.run(poll); }
    Progress progress() const override { return search_.progress(); }
    double log_value(const Box& box, std::int32_t product) const override {
        const std::uint64_t* found = find(box, product);
        if (found == nullptr) {
            return -INFINITY;
        }
        if constexpr (Algebra::kByValue) {
            return Algebra::load(found).log();
        } else {
            return Scaled::load(found).log();
        }
    }
    bool reached(const Box& box, std::int32_t product) const override {
        return find(box, product) != nullptr;
    }
    double root_count(std::int32_t product) const override {
        const std::uint64_t* found = find(root_, product);
        return found == nullptr ? 0.0 : Linear::load(found).m;
    }
    std::span<const double> root_vector([[maybe_unused]] std::int32_t product) const override {
        if constexpr (!Algebra::kByValue) {
            if (const std::uint64_t* found = find(root_, product)) {
                return {Algebra::numbers(found), search_.algebra().words() - Scaled::kWords};
            }
        }
        return {};
    }
    bool likelihood() const override { return likelihood_; }
    void edge_probabilities(const Engine& engine, const Box& box,
                            std::span<const BoxSplit> splits, std::int32_t product,
                            const ItemEdges& item, double* out) const override {
        if constexpr (requires { typename Algebra::Number; }) {
            for (const RuleEdges& rule : item.rules) {
                for (const Edge& edge : rule.edges) {
                    search_.prefetch(edge.left);
                    search_.prefetch(edge.right);
                }
            }
            search_.algebra().edge_probabilities(item, find(box, product), out,
                                                 [this](Key at) { return search_.find(at); });
        } else {
            Pass::edge_probabilities(engine, box, splits, product, item, out);
        }
    }

private:
    const std::uint64_t* find(const Box& box, std::int32_t product) const {
        return search_.find(box.key + keys_.state_key(product));
    }

    Search<Algebra> search_;
    Box root_;
    const EdgeBuilder& keys_;
    bool likelihood_;
};

class BlockPass final : public Pass {
public:
    BlockPass(std::unique_ptr<BlockSearch> search, const DepthGrammar& by_depth,
              bool by_interval_blocks, const std::optional<DepthCut>& cut, bool likelihood)
        : search_(std::move(search)),
          depth_of_state_(by_depth.depth_of_state),
          n_depths_(static_cast<double>(by_depth.nodes.size())),
          by_interval_blocks_(by_interval_blocks),
          cut_(cut),
          likelihood_(likelihood) {}

    Status run(const Poll& poll) override { return search_->run(poll); }
    Progress progress() const override { return search_->progress(); }
    double log_value(const Box& box, std::int32_t product) const override {
        const std::int32_t depth = depth_of_state_[static_cast<std::size_t>(product)];
        return depth < 0 ? -INFINITY : search_->log_value(box, static_cast<std::size_t>(depth));
    }
    std::uint32_t few_rows() const override { return search_->few_rows(); }
    double most_edges() const override {
        // For each box kept there may be as many others as there are sets of few rows, each in
        // every state.
        return std::ldexp(Pass::most_edges(), static_cast<int>(few_rows())) * n_depths_;
    }
    double root_count(std::int32_t product) const override {
        return search_->root_count(
            static_cast<std::size_t>(depth_of_state_[static_cast<std::size_t>(product)]));
    }
    std::span<const double> root_vector(std::int32_t) const override { return {}; }
    bool likelihood() const override { return likelihood_; }
    bool by_interval_blocks() const override { return by_interval_blocks_; }
    std::optional<DepthCut> depth_cut() const override { return cut_; }

private:
    std::unique_ptr<BlockSearch> search_;
    std::vector<std::int32_t> depth_of_state_;  // in the depth grammar, of each state
    double n_depths_;
    bool by_interval_blocks_;
    std::optional<DepthCut> cut_;
    bool likelihood_;
};

}  // namespace

void Pass::edge_probabilities(const Engine& engine, const Box& box,
                              std::span<const BoxSplit> splits, std::int32_t product,
                              const ItemEdges& item, double* out) const {
    const double own = log_value(box, product);
    for (const RuleEdges& rule : item.rules) {
        if (rule.kind == RuleKind::leaf) {
            *out++ = std::exp(rule.log_factor + (likelihood() ? item.log_likelihood : 0.0) - own);
        }
        for (const Edge& edge : rule.edges) {
            double below = 0;
            if (rule.kind == RuleKind::call) {
                below = log_value(box, edge.left_state);
            } else {
                const BoxSplit& split = splits[edge.split];
                below = engine.log_value_of_side(*this, box, split, true, edge.left_state) +
                        engine.log_value_of_side(*this, box, split, false, edge.right_state);
            }
            *out++ = edge.probability * std::exp(rule.log_factor + below - own);
        }
    }
}

std::unique_ptr<Pass> Engine::make_pass(Quantity quantity, bool likelihood, bool scaled,
                                        std::size_t length, bool keep, std::size_t memory,
                                        std::size_t n_threads) const {
    const auto make = [&](auto algebra) -> std::unique_ptr<Pass> {
        return std::make_unique<PassOf<decltype(algebra)>>(problem_, geometry_, keys_, algebra,
                                                           likelihood, memory, n_threads);
    };
    if (!scaled && quantity <= Quantity::count && uses_blocks()) {
        DepthGrammar by_depth = *by_depth_;
        std::optional<DepthCut> cut;
        if (quantity == Quantity::count) {
            by_depth = counting_grammar(by_depth, problem_.table.n_rows);
        } else if (!binary_table_ &&
                   (cut = depth_cut(problem_, geometry_, by_depth, likelihood))) {
            by_depth = cut_at(by_depth, cut->depth);
        }
        const BlockTask task{static_cast<Sum>(quantity), likelihood, keep, memory, n_threads};
        return std::make_unique<BlockPass>(
            binary_table_
                ? make_binary_block_search(problem_, geometry_, *binary_table_, by_depth, task)
                : make_interval_block_search(problem_, geometry_, by_depth, *inner_, task),
            by_depth, !binary_table_, cut, likelihood);
    }
    if (!scaled && quantity == Quantity::feature_use && uses_interval_blocks()) {
        return make_feature_use_pass(problem_, geometry_, depths_for_totals(likelihood), *inner_,
                                     likelihood, memory, n_threads);
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

}  // namespace slp::exact
