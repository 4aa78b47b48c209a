// The passes of an engine: item by item, or by blocks.

#include <algorithm>
#include <cmath>
#include <utility>

#include "exact/algebras.hpp"
#include "exact/binary_blocks/search.hpp"
#include "exact/engine.hpp"
#include "exact/interval_blocks/inner_feature.hpp"
#include "exact/interval_blocks/search.hpp"
#include "exact/level_pass.hpp"
#include "log_sum.hpp"

namespace slp::exact {

namespace {

template <typename Algebra>
class PassOf final : public Pass {
public:
    PassOf(const Problem& problem, const Geometry& geometry, const EdgeBuilder& keys,
           Algebra algebra, const PassTask& task)
        : search_(problem, geometry, std::move(algebra), task.memory, task.n_threads,
                  task.excluded),
          root_(geometry.root()),
          keys_(keys),
          likelihood_(task.likelihood) {}

    Status run(const Poll& poll) override { return search_.run(poll); }
    Progress progress() const override { return search_.progress(); }
    double log_value(const Box& box, std::int32_t product) const override {
        const std::uint64_t* found = find(box, product);
        return found == nullptr ? -INFINITY : Algebra::Total::load(found).log();
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
        if constexpr (requires { requires Algebra::kSum == Sum::total; }) {
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

    DepthFirstSearch<Algebra> search_;
    Box root_;
    const EdgeBuilder& keys_;
    bool likelihood_;
};

class BlockPass final : public Pass {
public:
    // table: null where it goes by interval blocks, with this inner feature.
    BlockPass(const Engine& engine, const BlockTask& task, const AnyBinaryTable* table,
              std::uint32_t inner, BlockGrammar grammar, const std::optional<DepthCut>& cut)
        : engine_(engine),
          task_(task),
          table_(table),
          inner_(inner),
          grammar_(std::move(grammar)),
          cut_(cut) {}

    Status run(const Poll& poll) override {
        task_.log_scale = 0.0;
        if (task_.sum != Sum::count && find_log_scale(poll) == Status::stopped) {
            return Status::stopped;
        }
        return within_budget([&] {
            search_ = make(task_);
            return search_->run(poll);
        });
    }
    Progress progress() const override {
        return search_ == nullptr ? Progress{} : search_->progress();
    }
    double log_value(const Box& box, std::int32_t product) const override {
        const std::int32_t state = state_of(product);
        if (state >= 0 && search_ != nullptr) {
            return search_->log_value(box, static_cast<std::size_t>(state));
        }
        return grammar_.has_calls && !box.rows.empty() ? log_called(box, product) : -INFINITY;
    }
    bool reached(const Box& box, std::int32_t product) const override {
        return state_of(product) >= 0 && search_ != nullptr && search_->is_known(box);
    }
    std::uint32_t few_rows() const override {
        return search_ == nullptr ? 0 : search_->few_rows();
    }
    double most_edges() const override {
        // For each box kept there may be as many others as there are sets of few rows, each in
        // every state.
        return std::ldexp(Pass::most_edges(), static_cast<int>(few_rows())) *
               static_cast<double>(grammar_.nodes.size());
    }
    double root_count(std::int32_t product) const override {
        const auto state = static_cast<std::size_t>(state_of(product));
        return search_ == nullptr ? 0.0 : search_->root_count(state);
    }
    bool likelihood() const override { return task_.likelihood; }
    bool by_interval_blocks() const override { return table_ == nullptr; }
    IntervalBlockSearch* blocks() const override {
        return by_interval_blocks() && task_.keep_blocks
                   ? static_cast<IntervalBlockSearch*>(search_.get())
                   : nullptr;
    }
    std::optional<DepthCut> depth_cut() const override { return cut_; }

private:
    std::unique_ptr<BlockSearch> make(const BlockTask& task) const {
        if (table_ != nullptr) {
            return make_binary_block_search(engine_.problem(), *table_, grammar_, task);
        }
        return make_interval_block_search(engine_.problem(), engine_.geometry(), grammar_, inner_,
                                          task);
    }

    std::int32_t state_of(std::int32_t product) const {
        return grammar_.state_of_product[static_cast<std::size_t>(product)];
    }

    Status find_log_scale(const Poll& poll) {
        constexpr std::size_t kFew = 24;
        const std::span<const std::uint32_t> all = task_.root.rows;
        const std::size_t n_few = std::min(all.size(), kFew);
        std::vector<std::uint32_t> rows;
        for (std::size_t i = 0; i < n_few; ++i) {
            rows.push_back(all[i * all.size() / n_few]);
        }
        BlockTask few = task_;
        few.keep = few.keep_blocks = false;
        few.excluded = -1;  // the scale of all trees
        few.n_threads = 1;
        few.root = engine_.geometry().box_of(rows);
        return within_budget([&] {
            const std::unique_ptr<BlockSearch> search = make(few);
            const Status status = search->run(poll);
            if (status == Status::done) {
                double largest = -INFINITY;
                for (std::int32_t owed = 0; owed < engine_.problem().n_owed(); ++owed) {
                    largest = std::max(
                        largest, search->log_value(few.root, static_cast<std::size_t>(owed)));
                }
                task_.log_scale = largest > -INFINITY ? -largest / data_rows(few.root.sizes) : 0.0;
            }
            return status;
        });
    }

    // The log value of a state that is only called. Blocks do not keep these values.
    double log_called(const Box& box, std::int32_t product) const {
        double leaf = 0;
        std::vector<double> terms;
        for (const ScoredEdge& edge : engine_.scored_edges(*this, box.rows, product, &leaf)) {
            const double of_leaf = edge.feature == -1 && task_.likelihood ? leaf : 0.0;
            terms.push_back(edge.log_weight + (edge.log_left + edge.log_right + of_leaf));
        }
        if (task_.sum == Sum::best) {
            return terms.empty() ? -INFINITY : *std::max_element(terms.begin(), terms.end());
        }
        return log_sum(terms);
    }

    const Engine& engine_;
    BlockTask task_;
    const AnyBinaryTable* table_;
    std::uint32_t inner_;
    BlockGrammar grammar_;
    // Made when it runs, because finding the scale takes time.
    std::unique_ptr<BlockSearch> search_;
    std::optional<DepthCut> cut_;
};

}  // namespace

void Pass::log_values_below(const Engine& engine, const Box& box,
                            std::span<const BoxSplit> splits, const ItemEdges& item,
                            std::int32_t, double* left, double* right) const {
    for (const RuleEdges& rule : item.rules) {
        for (const Edge& edge : rule.edges) {
            if (rule.kind == RuleKind::call) {
                *left++ = log_value(box, edge.left_state);
                *right++ = 0.0;
                continue;
            }
            const BoxSplit& split = splits[edge.split];
            *left++ = engine.log_value_of_side(*this, box, split, true, edge.left_state);
            *right++ = engine.log_value_of_side(*this, box, split, false, edge.right_state);
        }
    }
}

void Pass::edge_probabilities(const Engine& engine, const Box& box,
                              std::span<const BoxSplit> splits, std::int32_t product,
                              const ItemEdges& item, double* out) const {
    const double own = log_value(box, product);
    std::vector<double> left(item.n_edges), right(item.n_edges);
    log_values_below(engine, box, splits, item, product, left.data(), right.data());
    std::size_t at = 0;
    for (const RuleEdges& rule : item.rules) {
        if (rule.kind == RuleKind::leaf) {
            *out++ = std::exp(log_factor(rule, item, likelihood()) - own);
        }
        for (const Edge& edge : rule.edges) {
            const double below = left[at] + right[at];
            *out++ = std::exp(rule.log_factor + below - own + edge.log_probability());
            ++at;
        }
    }
}

std::unique_ptr<Pass> Engine::make_block_pass(const PassTask& task) const {
    const auto cut = task.quantity == Quantity::count || binary_table_
                         ? std::nullopt
                         : depth_cut(problem_, geometry_, *blocks_, task.likelihood);
    BlockTask own{static_cast<Sum>(task.quantity), task.likelihood};
    own.memory = task.memory;
    own.n_threads = task.n_threads;
    own.excluded = task.excluded;
    own.root = geometry_.root();
    own.keep_blocks = inner_ && task.keep != Keep::root;
    own.keep = task.keep == Keep::items || (binary_table_ && task.keep != Keep::root);
    std::uint32_t inner = inner_.value_or(0);
    if (inner_ && task.excluded == static_cast<std::int32_t>(inner)) {
        inner = inner_feature(problem_, *blocks_, task.excluded).value_or(inner);
    }
    return std::make_unique<BlockPass>(*this, own, binary_table_ ? &*binary_table_ : nullptr, inner,
                                       blocks_for(task.quantity, cut), cut);
}

std::unique_ptr<Pass> Engine::make_pass(const PassTask& task) const {
    if (task.excluded < 0 && looks()) {
        return make_level_pass(*this, task);
    }
    const bool is_number = task.quantity <= Quantity::count;
    if (!task.scaled && is_number && uses_blocks() &&
        !(task.excluded >= 0 && binary_table_ && problem_.grammar.min_leaf > 1)) {
        return make_block_pass(task);
    }
    const auto make = [&](auto algebra) -> std::unique_ptr<Pass> {
        return std::make_unique<PassOf<decltype(algebra)>>(problem_, geometry_, keys_, algebra,
                                                           task);
    };
    switch (task.quantity) {
        case Quantity::total:
            return task.scaled ? make(WeightAlgebra<Scaled, Sum::total>(task.likelihood))
                               : make(WeightAlgebra<Linear, Sum::total>(task.likelihood));
        case Quantity::best: return make(WeightAlgebra<Scaled, Sum::best>(task.likelihood));
        case Quantity::count: return make(WeightAlgebra<Linear, Sum::count>(false));
        case Quantity::leaf_number:
            return make(VectorAlgebra(task.likelihood, LeafNumber{task.length}));
        case Quantity::tree_depth: break;
    }
    return make(VectorAlgebra(task.likelihood, TreeDepth{task.length}));
}

}  // namespace slp::exact
