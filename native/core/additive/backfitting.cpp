#include "additive/backfitting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace slp::additive {

using namespace mcmc;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The search for a tree to start from ends trees early with probability 0, 1/10, ..., 9/10.
constexpr std::uint32_t kCycle = 10;

template <typename Each>
void each_leaf(const Proof& tree, const Each& each) {
    std::size_t k = 0;
    for (const ProofNode& node : tree.nodes) {
        if (node.n_parts() == 0) {
            each(k++, node);
        }
    }
}

std::size_t n_leaves(const Proof& tree) { return tree.all().n_leaves; }

// log of the standard normal distribution function.
double log_normal_cdf(double x) {
    if (x > -30.0) {
        return std::log(std::erfc(-x / std::numbers::sqrt2) / 2);
    }
    // The continued fraction, cut (Abramowitz & Stegun 1964, 26.2.14).
    const double y = -x;
    return -x * x / 2 - std::log(y + 1 / (y + 2 / (y + 3 / y))) -
           std::log(2 * std::numbers::pi) / 2;
}

}  // namespace

Backfitting::Backfitting(const Problem& problem, const Geometry& geometry, const SumPlan& plan,
                         const Responses& responses, const TreeTests& tests,
                         const std::vector<Proposal>& mixture)
    : problem_(problem),
      plan_(plan),
      responses_(responses),
      mixture_(mixture),
      leaf_(problem.leaf.name(), {plan.leaf_variance},
            std::vector<double>(2 * std::size_t{problem.table.n_rows}), 2),
      transitions_(problem, geometry, tests, mixture, 0.0, leaf_),
      order_(problem),
      weights_(problem.table.n_rows),
      residuals_(problem.table.n_rows) {
    if (plan.most_features > 0 || !plan.rising.empty()) {
        predicate_ = [this](const Proof& proposed) { return may_take(proposed); };
    }
    transitions_.ask(predicate_);
    for (std::size_t u = 0; u < weights_.size() && plan.likelihood; ++u) {
        weights_[u] = responses.first[u] + (responses.classes ? responses.second[u] : 0.0);
    }
}

// --- starts -----------------------------------------------------------------------------------

bool Backfitting::start(SeededRandomness& random, std::uint32_t tries, TreeSum& out) {
    out = {};
    out.variance = plan_.variance;
    uses_.assign(problem_.table.features.size(), 0);
    for (std::uint32_t m = 0; m < plan_.trees; ++m) {
        State state;
        state.turns.assign(mixture_.size(), 0);
        bool found = false;
        for (std::uint32_t i = 0; i < tries && !found; ++i) {
            const double end_early = static_cast<double>(i % kCycle) / kCycle;
            transitions_.ask(kNoPredicate);
            found = transitions_.draw(random, end_early, state.proof) &&
                    transitions_.holds(state.proof) && few_features(state.proof);
            transitions_.ask(predicate_);
        }
        if (!found) {
            return false;
        }
        count_uses(state.proof, 1);
        out.values.emplace_back(n_leaves(state.proof), 0.0);
        out.trees.push_back(std::move(state));
    }
    if (!plan_.known) {
        out.variance = plan_.nu * plan_.lambda / (2 * gamma(random, plan_.nu / 2));
    }
    take_residuals(out);
    out.log_likelihood = log_likelihood(out);
    return true;
}

bool Backfitting::restore(std::span<const std::vector<Taken>> choices, TreeSum& out) {
    if (choices.size() != plan_.trees || out.values.size() != plan_.trees) {
        return false;
    }
    out.trees.resize(plan_.trees);
    for (std::size_t m = 0; m < choices.size(); ++m) {
        State& state = out.trees[m];
        state.turns.assign(mixture_.size(), 0);
        if (!transitions_.build(choices[m], state.proof) ||
            out.values[m].size() != n_leaves(state.proof)) {
            return false;
        }
    }
    return true;
}

// --- sweeps -----------------------------------------------------------------------------------

void Backfitting::advance(SeededRandomness& random, std::uint64_t n, TreeSum& sum, Tally& tally) {
    tally.resize(mixture_.size());
    take_residuals(sum);
    uses_.assign(problem_.table.features.size(), 0);
    for (const State& tree : sum.trees) {
        count_uses(tree.proof, 1);
    }
    for (std::uint64_t i = 0; i < n; ++i) {
        if (responses_.classes && plan_.likelihood) {
            draw_latent(random, sum);
        }
        for (std::size_t m = 0; m < sum.trees.size(); ++m) {
            update(random, sum, m, tally);
        }
        if (!plan_.known) {
            draw_variance(random, sum);
        }
    }
    sum.log_likelihood = log_likelihood(sum);
}

// The sum of the trees at each distinct row.
std::vector<double> Backfitting::fits(const TreeSum& sum) const {
    std::vector<double> out(weights_.size(), 0.0);
    for (std::size_t m = 0; m < sum.trees.size(); ++m) {
        const Proof& tree = sum.trees[m].proof;
        each_leaf(tree, [&](std::size_t k, const ProofNode& leaf) {
            for (const std::uint32_t row : tree.rows_of(leaf)) {
                out[row] += sum.values[m][k];
            }
        });
    }
    return out;
}

// What the sum leaves of the responses; of classes these are drawn when a sweep begins.
void Backfitting::take_residuals(const TreeSum& sum) {
    if (responses_.classes || !plan_.likelihood) {
        std::ranges::fill(residuals_, 0.0);
        return;
    }
    const std::vector<double> fit = fits(sum);
    for (std::size_t u = 0; u < fit.size(); ++u) {
        residuals_[u] = responses_.second[u] - weights_[u] * fit[u];
    }
}

void Backfitting::draw_latent(SeededRandomness& random, const TreeSum& sum) {
    const std::vector<double> fit = fits(sum);
    for (std::size_t u = 0; u < fit.size(); ++u) {
        const double mean = plan_.offset + fit[u];
        double left = 0.0;
        for (double i = 0; i < responses_.first[u]; ++i) {
            left += normal_between(random, -kInfinity, -mean);
        }
        for (double i = 0; i < responses_.second[u]; ++i) {
            left += normal_between(random, -mean, kInfinity);
        }
        residuals_[u] = left;
    }
}

// The sum of the weighted squares of what the trees leave.
double Backfitting::squares() const {
    if (!plan_.likelihood) {
        return 0.0;
    }
    double out = responses_.within;
    for (std::size_t u = 0; u < weights_.size(); ++u) {
        out += weights_[u] > 0 ? residuals_[u] * residuals_[u] / weights_[u] : 0.0;
    }
    return out;
}

void Backfitting::draw_variance(SeededRandomness& random, TreeSum& sum) const {
    double rows = 0.0;
    for (const double weight : weights_) {
        rows += weight;
    }
    const double scale = plan_.nu * plan_.lambda + squares();
    sum.variance = scale / (2 * gamma(random, (plan_.nu + rows) / 2));
}

double Backfitting::log_likelihood(const TreeSum& sum) const {
    if (!plan_.likelihood) {
        return 0.0;
    }
    double out = 0.0;
    if (responses_.classes) {
        const std::vector<double> fit = fits(sum);
        for (std::size_t u = 0; u < fit.size(); ++u) {
            const double mean = plan_.offset + fit[u];
            out += responses_.first[u] > 0 ? responses_.first[u] * log_normal_cdf(-mean) : 0.0;
            out += responses_.second[u] > 0 ? responses_.second[u] * log_normal_cdf(mean) : 0.0;
        }
        return out;
    }
    for (const double weight : weights_) {
        out -= weight * std::log(2 * std::numbers::pi * sum.variance) / 2;
    }
    return out - squares() / sum.variance / 2;
}

// --- one tree ---------------------------------------------------------------------------------

void Backfitting::update(SeededRandomness& random, TreeSum& sum, std::size_t m, Tally& tally) {
    State& state = sum.trees[m];
    std::vector<double>& values = sum.values[m];
    add_to_residuals(state.proof, values, 1.0);
    const double precision = 1.0 / sum.variance;
    for (std::uint32_t u = 0; u < residuals_.size(); ++u) {
        double* const own = leaf_.of_row(u);
        own[0] = precision * weights_[u];
        own[1] = precision * residuals_[u];
    }
    add_up(state.proof.nodes, state.proof.rows, problem_, leaf_, statistics_);
    random_ = &random;
    moving_ = &state.proof;
    moving_values_ = &values;
    count_uses(state.proof, -1);
    for (std::uint32_t i = 0; i < plan_.moves; ++i) {
        const auto [proposal, outcome] = transitions_.step(random, 1.0, state);
        ++tally[proposal][static_cast<std::size_t>(outcome)];
        if (outcome == Outcome::accepted && !plan_.rising.empty()) {
            values = proposed_;
        }
    }
    count_uses(state.proof, 1);
    if (plan_.rising.empty()) {
        draw_values(random, state.proof, values);
    } else {
        draw_ordered(random, state.proof, values);
    }
    add_to_residuals(state.proof, values, -1.0);
}

// Adds the tree to what is left of the responses, or takes it away.
void Backfitting::add_to_residuals(const Proof& tree, std::span<const double> values,
                                   double sign) {
    each_leaf(tree, [&](std::size_t k, const ProofNode& leaf) {
        const double value = sign * values[k];
        for (const std::uint32_t row : tree.rows_of(leaf)) {
            residuals_[row] += weights_[row] * value;
        }
    });
}

std::pair<double, double> Backfitting::conditional(const Proof& tree, const ProofNode& leaf) {
    leaf_.sum(tree.rows_of(leaf), statistics_);
    const double variance = 1.0 / (statistics_[0] + 1.0 / plan_.leaf_variance);
    return {variance * statistics_[1], std::sqrt(variance)};
}

void Backfitting::draw_values(SeededRandomness& random, const Proof& tree,
                              std::vector<double>& values) {
    values.resize(n_leaves(tree));
    each_leaf(tree, [&](std::size_t k, const ProofNode& leaf) {
        const auto [mean, sd] = conditional(tree, leaf);
        values[k] = mean + sd * random.normal();
    });
}

// Each value in turn, between those that it may not pass.
void Backfitting::draw_ordered(SeededRandomness& random, const Proof& tree,
                               std::vector<double>& values) {
    order_.find(tree);
    each_leaf(tree, [&](std::size_t k, const ProofNode& leaf) {
        double low = -kInfinity, high = kInfinity;
        for (const auto& [feature, up] : plan_.rising) {
            for (std::size_t j = 0; j < values.size(); ++j) {
                const bool above = order_.above(j, k, feature);
                if (!above && !order_.above(k, j, feature)) {
                    continue;
                }
                if (above == up) {
                    high = std::min(high, values[j]);
                } else {
                    low = std::max(low, values[j]);
                }
            }
        }
        const auto [mean, sd] = conditional(tree, leaf);
        values[k] = normal_between(random, mean, sd, low, high);
    });
}

// --- what holds for all trees, and of values --------------------------------------------------

void Backfitting::count_uses(const Proof& tree, std::int32_t by) {
    for (const ProofNode& node : tree.nodes) {
        if (node.taken.feature >= 0) {
            uses_[static_cast<std::size_t>(node.taken.feature)] += by;
        }
    }
}

bool Backfitting::few_features(const Proof& proposed) {
    if (plan_.most_features == 0) {
        return true;
    }
    count_uses(proposed, 1);
    const auto n = std::ranges::count_if(uses_, [](std::int32_t uses) { return uses > 0; });
    count_uses(proposed, -1);
    return n <= static_cast<std::ptrdiff_t>(plan_.most_features);
}

bool Backfitting::may_take(const Proof& proposed) {
    return few_features(proposed) && (plan_.rising.empty() || drawn_in_order(proposed));
}

// Leaves that have the rows of one before keep its value, the others draw theirs. So the values of
// the proposed tree have the density, over the prior times the likelihood, of one over its marginal
// likelihood, as those of the old tree have in the reverse move: the ratio of a move under the values
// in order is that of the marginal likelihoods, or 0.
bool Backfitting::drawn_in_order(const Proof& proposed) {
    proposed_.assign(n_leaves(proposed), 0.0);
    std::vector<std::pair<const ProofNode*, double>> before;
    each_leaf(*moving_, [&](std::size_t k, const ProofNode& leaf) {
        before.emplace_back(&leaf, (*moving_values_)[k]);
    });
    each_leaf(proposed, [&](std::size_t k, const ProofNode& leaf) {
        const Rows rows = proposed.rows_of(leaf);
        const auto same = std::ranges::find_if(before, [&](const auto& own) {
            return own.first->begin == leaf.begin && own.first->size == leaf.size &&
                   std::ranges::equal(moving_->rows_of(*own.first), rows);
        });
        if (same != before.end()) {
            proposed_[k] = same->second;
        } else {
            const auto [mean, sd] = conditional(proposed, leaf);
            proposed_[k] = mean + sd * random_->normal();
        }
    });
    order_.find(proposed);
    for (const auto& [feature, up] : plan_.rising) {
        for (std::size_t j = 0; j < proposed_.size(); ++j) {
            for (std::size_t k = 0; k < proposed_.size(); ++k) {
                const bool wrong = up ? proposed_[j] > proposed_[k] : proposed_[j] < proposed_[k];
                if (wrong && order_.above(k, j, feature)) {
                    return false;
                }
            }
        }
    }
    return true;
}

}  // namespace slp::additive
