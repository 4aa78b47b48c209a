#include "exact/leave_one_out.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "budget.hpp"
#include "exact/descent.hpp"
#include "exact/interval_blocks/search.hpp"
#include "thread_team.hpp"

namespace slp::exact {

namespace {

// The least normal number: smaller ones slow the descent down.
constexpr double kLeast = std::numeric_limits<double>::min();

// The sums, as logs of terms: likelihoods of rows leave the range of doubles.
class SumsOfRows final : public LeafSink {
public:
    SumsOfRows(const Problem& problem, const HeldRows& held, Budget& budget)
        : charge_(budget),
          leaf_(model_of_rows(problem.leaf, held)),
          held_(held),
          k_(leaf_.n_statistics()),
          first_(problem.table.n_rows + 1),
          of_kind_(held.statistics.size() / k_),
          others_(k_),
          sums_(held.row.size()) {
        charge_.add(first_.size() * sizeof(first_[0]) + of_kind_.size() * sizeof(of_kind_[0]) +
                    sums_.size() * (sizeof(sums_[0]) + 2 * sizeof(double)));
        for (std::uint32_t row = 0; row < first_.size(); ++row) {
            first_[row] = static_cast<std::size_t>(
                std::ranges::lower_bound(held.row, row) - held.row.begin());
        }
    }

    void leaf_of_tree(const double* statistics, std::span<const std::uint32_t> rows,
                      double mass) override {
        if (!(mass > 0.0)) {
            return;
        }
        ++leaf_number_;
        const double of_leaf = leaf_.log_marginal(statistics), log_mass = std::log(mass);
        for (const std::uint32_t row : rows) {
            for (std::size_t i = first_[row]; i < first_[row + 1]; ++i) {
                sums_[i].add(log_mass, log_likelihood(held_.kind[i], statistics, of_leaf));
            }
        }
    }
    void leaf(const double*, std::uint64_t, const double*, double) override {}  // of other queries

    LeftOutRows found() const {
        LeftOutRows out;
        for (const SumOfTerms& sum : sums_) {
            out.log_sum.push_back(sum.most + std::log(sum.sum));
            out.least.push_back(sum.least);
        }
        return out;
    }

private:
    // Weights that are whole only together need the formula for all numbers. A table has whole ones.
    static LeafModel model_of_rows(const LeafModel& leaf, const HeldRows& held) {
        if (!leaf.whole() || leaf.name() == "table") {
            return leaf;
        }
        LeafModel of_rows(leaf.name(), leaf.hyperparameters(),
                          {held.statistics.begin(), held.statistics.end()}, leaf.n_statistics());
        return of_rows.whole() ? leaf : of_rows;
    }

    // sum * exp(most) is the sum of the terms.
    struct SumOfTerms {
        double most = -std::numeric_limits<double>::infinity(), sum = 0.0;
        double least = std::numeric_limits<double>::infinity();

        void add(double log_mass, double log_q) {
            least = std::min(least, log_q);
            const double term = log_mass - log_q;
            if (term > most) {
                sum = sum * std::exp(most - term) + 1.0;
                most = term;
            } else {
                sum += std::exp(term - most);
            }
        }
    };
    struct OfKind {
        std::uint64_t leaf_number = 0;
        double value = 0.0;
    };

    // log q of a row of this kind in the leaf at hand; found once for all rows of the kind.
    double log_likelihood(std::uint32_t kind, const double* statistics, double of_leaf) {
        OfKind& own = of_kind_[kind];
        if (own.leaf_number != leaf_number_) {
            const double* const of_row = held_.statistics.data() + kind * k_;
            std::transform(statistics, statistics + k_, of_row, others_.begin(), std::minus<>());
            own = {leaf_number_, of_leaf - leaf_.log_marginal(others_.data())};
        }
        return own.value;
    }

    Charge charge_;
    LeafModel leaf_;
    const HeldRows& held_;
    std::size_t k_;
    std::vector<std::size_t> first_;  // of the rows of each distinct row
    std::vector<OfKind> of_kind_;
    std::vector<double> others_;  // statistics of a leaf's other rows
    std::vector<SumOfTerms> sums_;
    std::uint64_t leaf_number_ = 0;
};

// Item by item: the walk of a descent of the tree.
class LeavesOfTree {
public:
    LeavesOfTree(const Problem& problem, LeafSink& sink)
        : problem_(problem), sink_(sink), statistics_(problem.leaf.n_statistics()) {}

    QueryGroup all() const { return {{}, kTree}; }
    void route(const Box&, std::span<const BoxSplit>, std::span<const std::uint32_t>, Arena&) {}
    QueryGroup left(std::uint32_t) const { return all(); }
    QueryGroup right(std::uint32_t) const { return all(); }
    std::span<const PartedQuery> parted(std::uint32_t) const { return {}; }

    void open(const OpenedItem&) {}
    void visit(const OpenedItem& opened, std::span<const std::uint32_t>, double mass) {
        const double* next = opened.probabilities.data();
        double of_leaf = 0.0;
        for (const RuleEdges& rule : opened.item.rules) {
            of_leaf += rule.kind == RuleKind::leaf ? *next : 0.0;
            next += rule.kind == RuleKind::leaf ? 1 : rule.edges.size();
        }
        if (of_leaf > 0.0) {
            problem_.leaf.sum(opened.box.rows, statistics_.data());
            problem_.set_prior(statistics_.data(), opened.product / problem_.n_owed());
            sink_.leaf_of_tree(statistics_.data(), opened.box.rows, mass * of_leaf);
        }
    }

private:
    static constexpr std::uint32_t kTree[] = {0};  // the only query

    const Problem& problem_;
    LeafSink& sink_;
    std::vector<double> statistics_;  // of the item
};

}  // namespace

Status leave_one_out(const Engine& engine, const Pass& pass, const HeldRows& rows,
                     std::size_t memory, const Poll& poll, LeftOutRows& out) {
    const Problem& problem = engine.problem();
    Budget budget(memory);
    ThreadTeam team;
    return team.run(1, [&](std::size_t) {
        SumsOfRows sums(problem, rows, budget);
        Watch watch(team, &poll);
        std::uint64_t items = 0;
        const auto go_on = [&](std::uint64_t more) {
            items += more;
            return watch.go_on([&] { return Progress{items, 0, 0, budget.used(), budget.peak()}; });
        };
        bool done;
        if (IntervalBlockSearch* const blocks = pass.blocks()) {
            QueryBatch tree;
            tree.leaves = &sums;
            done = blocks->descend(tree, kLeast, budget, go_on);
        } else {
            LeavesOfTree walk(problem, sums);
            done = Descent(engine, pass, walk, kLeast, budget, go_on).run();
        }
        if (done) {
            out = sums.found();
            team.end(Status::done);
        }
    });
}

}  // namespace slp::exact
