// The engine of a problem: which way its passes go, and what is read from a finished pass.

#include "exact/engine.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "exact/estimate.hpp"
#include "exact/interval_blocks/first_splits.hpp"
#include "exact/interval_blocks/inner_feature.hpp"
#include "exact/interval_blocks/search.hpp"
#include "exact/numbers.hpp"
#include "log_sum.hpp"

namespace slp::exact {

Engine::Engine(Problem problem)
    : problem_((check_problem(problem), std::move(problem))),
      geometry_(problem_),
      keys_(problem_, geometry_),
      blocks_(block_grammar_of(problem_, Sum::total, std::nullopt, &obstacle_)) {}

bool Engine::uses_blocks() const {
    std::call_once(blocks_found_, [&] {
        if (!blocks_) {
            return;
        }
        const bool partitions = blocks_->measure == Measure::partition;
        if (partitions && blocks_->n_measure_classes > FirstSplits::kMostClasses) {
            obstacle_ = Obstacle::partition;
            return;
        }
        if (!weights_are_alike(problem_, geometry_, blocks_->measure)) {
            obstacle_ = Obstacle::weights;
            return;
        }
        if (!partitions) {
            binary_table_ = binary_table(problem_, geometry_, *blocks_);
        }
        if (!is_worth_blocks()) {
            binary_table_.reset();
            obstacle_ = Obstacle::sparse;
            return;
        }
        inner_ = binary_table_ ? std::nullopt : inner_feature(problem_, *blocks_);
        if (!binary_table_ && !inner_) {
            obstacle_ = partitions ? Obstacle::partition : Obstacle::values;
        }
    });
    return binary_table_ || inner_;
}

Obstacle Engine::obstacle() const {
    uses_blocks();
    return obstacle_;
}

std::size_t Engine::values_per_box() const {
    return uses_blocks() ? n_states() : 0;
}

std::optional<LookPlan> Engine::looks() const {
    std::call_once(looks_found_, [&] { looks_ = look_plan(problem_, geometry_); });
    return looks_;
}

std::size_t Engine::n_states() const {
    const auto cut = binary_table_ ? std::nullopt : depth_cut(problem_, geometry_, *blocks_, true);
    return blocks_for(Quantity::total, cut).nodes.size();
}

// A search by blocks visits every box, even those that no tree of the grammar reaches, in every
// state. If few of these pairs are reached, a pass item by item takes less work: from 20 pairs for
// each that is reached, or from 6 under the measure `partition`. Under constraints the estimate of
// those reached needs more work and is still too low, so blocks are taken up to 300 and 20. Two
// standard errors are added to the boxes reached: only the work item by item is uncertain.
bool Engine::is_worth_blocks() const {
    if (blocks_->is_linear &&
        (blocks_->endless || blocks_->nodes.size() >= problem_.table.n_rows)) {
        return true;
    }
    const bool estimated_well = blocks_->is_linear || problem_.counted();
    const bool partitions = blocks_->measure == Measure::partition;
    const double pairs_for_one_item =
        partitions ? (estimated_well ? 6 : 20) : (estimated_well ? 20 : 300);
    const auto n = static_cast<double>(n_states());
    BoxEstimate size = estimate_boxes(problem_, geometry_, estimated_well ? 1e6 : 4e6, 1);
    if (size.error > 0.5) {
        size = estimate_boxes(problem_, geometry_, 16e6, 1);
    }
    const double most_boxes_reached = size.boxes * (1.0 + 2.0 * size.error);
    return size.unlimited * n <= pairs_for_one_item * most_boxes_reached * size.states;
}

BlockGrammar Engine::blocks_for(Quantity quantity, const std::optional<DepthCut>& cut) const {
    const Sum sum = quantity <= Quantity::count ? static_cast<Sum>(quantity) : Sum::total;
    return *block_grammar_of(problem_, sum,
                             cut ? std::optional(cut->depth) : std::optional<std::size_t>());
}

std::vector<double> Engine::root_values(const Pass& pass) const {
    std::vector<double> out;
    for (std::int32_t i = 0; i < problem_.n_owed(); ++i) {
        out.push_back(pass.log_value(geometry_.root(), problem_.root_product(i)));
    }
    return out;
}

std::vector<double> Engine::root_counts(const Pass& pass) const {
    std::vector<double> out;
    for (std::int32_t i = 0; i < problem_.n_owed(); ++i) {
        out.push_back(pass.root_count(problem_.root_product(i)));
    }
    return out;
}

double Engine::log_root(const Pass& pass) const {
    return log_sum(root_values(pass));
}

std::vector<double> Engine::root_vector(const Pass& pass) const {
    const std::vector<double> values = root_values(pass);
    const double total = log_sum(values);
    std::vector<double> out;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double probability = std::exp(values[i] - total);
        const std::span<const double> own =
            pass.root_vector(problem_.root_product(static_cast<std::int32_t>(i)));
        out.resize(std::max(out.size(), own.size()), 0.0);
        for (std::size_t j = 0; j < own.size() && probability > 0; ++j) {
            out[j] += probability * own[j];
        }
    }
    return out;
}

std::vector<ScoredEdge> Engine::scored_edges(const Pass& pass, std::span<const std::uint32_t> rows,
                                             std::int32_t product, double* log_likelihood) const {
    Arena arena;
    Splitter splitter(geometry_);
    EdgeBuilder builder(problem_, geometry_);
    const Box box = geometry_.box_of(rows);
    const std::span<const BoxSplit> splits = splitter.splits(box, arena);
    const ItemEdges item = builder.edges(box, splits, product, arena);
    std::vector<double> statistics(problem_.leaf.n_statistics());
    problem_.leaf.sum(rows, statistics.data());
    problem_.set_prior(statistics.data(), product / problem_.n_owed());
    *log_likelihood = problem_.leaf.log_marginal(statistics.data());
    std::vector<double> left(item.n_edges), right(item.n_edges);
    pass.log_values_below(*this, box, splits, item, product, left.data(), right.data());
    std::vector<ScoredEdge> out;
    out.reserve(item.n_edges);
    std::size_t at = 0;
    for (const RuleEdges& rule : item.rules) {
        if (rule.kind == RuleKind::leaf) {
            out.push_back({rule.rule, -1, {}, -1, -1, 0.0, 0.0, rule.log_factor});
        }
        for (const Edge& edge : rule.edges) {
            ScoredEdge scored{rule.rule, -2,        {},        edge.left_state,
                              edge.right_state,     left[at],  right[at],
                              rule.log_factor};
            ++at;
            if (rule.kind == RuleKind::split) {
                const BoxSplit& split = splits[edge.split];
                scored.feature = static_cast<std::int32_t>(split.feature);
                scored.cut = split.cut;
                scored.log_weight += edge.log_probability();
            }
            out.push_back(scored);
        }
    }
    return out;
}

double Engine::log_value_of_side(const Pass& pass, const Box& box, const BoxSplit& split,
                                 bool left, std::int32_t product) const {
    const Box side = split.side(box, left);
    const double value = pass.log_value(side, product);
    if (value > -INFINITY || distinct_rows(side.sizes) > pass.few_rows()) {
        return value;
    }
    std::array<std::uint32_t, kMostFewRows> rows;
    return pass.log_value(geometry_.side(box, split, left, rows.data()), product);
}

}  // namespace slp::exact
