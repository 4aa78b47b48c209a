// Leaves with priors of their own in boxes: several models of one kind (slp.leaves.of_boxes).

#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "problem/leaf_formulas.hpp"

namespace slp::leaves {

// statistics: those of the models, and the number of the leaf's prior; 0 of rows, and so of sums of
// them. The name is that of all models with commas between, in the order of the priors, of which
// the first is that of most leaves. hyperparameters: for each model how many it has, then these.
class BoxLeaves final : public LeafFormula {
public:
    BoxLeaves(std::string_view name, std::vector<double> hyperparameters, std::size_t n_statistics,
              std::vector<std::shared_ptr<const LeafFormula>> models)
        : LeafFormula(std::move(hyperparameters), n_statistics),
          name_(name),
          models_(std::move(models)) {
        of_classes_ = models_[0]->of_classes();
        whole_ = models_[0]->whole();
    }

    std::string_view name() const override { return name_; }
    std::size_t n_priors() const override { return models_.size(); }
    double log_marginal(const double* s) const override { return of(s).log_marginal(s); }
    std::size_t n_predicted() const override { return models_[0]->n_predicted(); }
    void predict(const double* s, double* out) const override { of(s).predict(s, out); }
    double size_of_responses(const double* s) const override { return of(s).size_of_responses(s); }
    double log_most_likely(const double* s) const override {
        return models_[0]->log_most_likely(s);
    }
    bool falls_with_rows() const override {
        return std::ranges::all_of(models_, [](const auto& own) { return own->falls_with_rows(); });
    }
    // Of each class the largest of all models. A leaf of classes n_c is worth at most the product
    // over classes of E[p_c^n_c] of its model, and E[p^m] E'[p^n] at most the larger of E[p^(m+n)]
    // and E'[p^(m+n)], as E[p^m] is at most E[p^(m+n)]^(m/(m+n)).
    double log_pure_class(std::size_t c, double x) const override {
        if (c + 1 == k_) {
            return 0.0;
        }
        double out = models_[0]->log_pure_class(c, x);
        for (const auto& own : models_) {
            out = std::max(out, own->log_pure_class(c, x));
        }
        return out;
    }
    void scores(std::span<const double> sums, double* out) const override {
        std::vector<double> own;
        for (std::size_t i = 0; i < sums.size(); ++i) {
            if ((i + 1) % k_ != 0) {
                own.push_back(sums[i]);
            }
        }
        models_[0]->scores(own, out);
    }

private:
    const LeafFormula& of(const double* s) const {
        return *models_[static_cast<std::size_t>(s[k_ - 1])];
    }

    std::string name_;
    std::vector<std::shared_ptr<const LeafFormula>> models_;
};

}  // namespace slp::leaves
