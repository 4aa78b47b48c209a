#include "exact/level_pass.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "exact/algebras.hpp"
#include "log_sum.hpp"

namespace slp::exact {

namespace {

class LevelPass final : public Pass {
public:
    LevelPass(const Engine& engine, std::shared_ptr<LevelSums> sums, Quantity quantity)
        : engine_(engine),
          keys_(engine.problem(), engine.geometry()),
          sums_(std::move(sums)),
          quantity_(quantity) {}

    Status run(const Poll& poll) override { return sums_->run(poll); }
    Progress progress() const override { return sums_->progress(); }
    double log_value(const Box& box, std::int32_t product) const override {
        const TreeSummary* const found = find(box, product);
        return found == nullptr ? -INFINITY : is_best() ? found->log_best : found->log_total;
    }
    bool reached(const Box& box, std::int32_t product) const override {
        return find(box, product) != nullptr;
    }
    double root_count(std::int32_t) const override {
        const TreeSummary* const found = sums_->root();
        return found == nullptr ? 0.0 : found->count;
    }
    std::span<const double> root_vector(std::int32_t) const override {
        const TreeSummary* const found = sums_->root();
        if (found == nullptr || quantity_ <= Quantity::count) {
            return {};
        }
        const SummaryLayout& at = sums_->layout();
        const std::span<const double> all(found->numbers);
        return quantity_ == Quantity::leaf_number ? all.subspan(at.leaves(), at.n_leaves())
                                                  : all.subspan(at.depth(), at.levels + 1);
    }
    bool likelihood() const override { return sums_->likelihood(); }
    const LevelSums* level_sums() const override { return sums_.get(); }
    std::unique_ptr<Pass> other(Quantity quantity) const override {
        return std::make_unique<LevelPass>(engine_, sums_, quantity);
    }
    double most_edges() const override {
        return 4.0 * Pass::most_edges();  // edges of sides lead to two leaves each
    }
    void log_values_below(const Engine&, const Box& box, std::span<const BoxSplit> splits,
                          const ItemEdges& item, std::int32_t product, double* left,
                          double* right) const override {
        sums_->log_values_below(box, splits, product, item, is_best(), left, right);
    }
    // The value of most items is not kept.
    void edge_probabilities(const Engine& engine, const Box& box,
                            std::span<const BoxSplit> splits, std::int32_t product,
                            const ItemEdges& item, double* out) const override {
        std::vector<double> left(item.n_edges), right(item.n_edges), terms;
        log_values_below(engine, box, splits, item, product, left.data(), right.data());
        std::size_t at = 0;
        for (const RuleEdges& rule : item.rules) {
            if (rule.kind == RuleKind::leaf) {
                terms.push_back(log_factor(rule, item, likelihood()));
            }
            for (const Edge& edge : rule.edges) {
                terms.push_back(rule.log_factor + edge.log_probability() + left[at] + right[at]);
                ++at;
            }
        }
        const double own = log_sum(terms);
        for (const double term : terms) {
            *out++ = std::exp(term - own);
        }
    }

private:
    bool is_best() const { return quantity_ == Quantity::best; }
    const TreeSummary* find(const Box& box, std::int32_t product) const {
        return sums_->find(box.key + keys_.state_key(product));
    }

    const Engine& engine_;
    EdgeBuilder keys_;
    std::shared_ptr<LevelSums> sums_;
    Quantity quantity_;
};

}  // namespace

std::unique_ptr<Pass> make_level_pass(const Engine& engine, const PassTask& task) {
    return std::make_unique<LevelPass>(
        engine,
        std::make_shared<LevelSums>(engine.problem(), engine.geometry(), task.likelihood,
                                    task.memory, task.n_threads),
        task.quantity);
}

}  // namespace slp::exact
