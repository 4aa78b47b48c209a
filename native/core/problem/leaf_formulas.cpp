// The leaf models: the formulas of slp.leaves. Each is one struct in problem/leaves, which the list
// at the end names.

#include "problem/leaf_formulas.hpp"

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "problem/leaves/dirichlet.hpp"
#include "problem/leaves/normal.hpp"
#include "problem/leaves/numbers.hpp"
#include "problem/leaves/rates.hpp"
#include "problem/leaves/sums.hpp"
#include "problem/leaves/table.hpp"

namespace slp {

using namespace leaves;

namespace {

template <typename... Formulas>
std::shared_ptr<const LeafFormula> made(std::string_view name, std::vector<double> numbers,
                                        const LeafRows& rows) {
    std::shared_ptr<const LeafFormula> out;
    const auto make = [&]<typename Formula>() {
        if (name == Formula::kName) {
            out = std::make_shared<const Formula>(std::move(numbers), rows);
        }
        return out != nullptr;
    };
    (make.template operator()<Formulas>() || ...);
    return out;
}

}  // namespace

LeafFormula::LeafFormula(std::vector<double> hyperparameters, std::size_t n_statistics)
    : hyper_(std::move(hyperparameters)), k_(n_statistics) {}

std::vector<double> LeafRows::total() const {
    std::vector<double> out(k, 0.0);
    for (std::size_t i = 0; i < statistics.size(); ++i) {
        out[i % k] += statistics[i];
    }
    return out;
}

bool LeafRows::whole(std::size_t first, std::size_t end) const {
    for (std::size_t i = 0; i < statistics.size(); ++i) {
        if (i % k >= first && i % k < end && !is_whole_number(statistics[i])) {
            return false;
        }
    }
    const std::vector<double> sums = total();
    double all = 0;
    for (std::size_t c = first; c < end; ++c) {
        all += sums[c];
    }
    return all < 0x1p53;
}

std::shared_ptr<const LeafFormula> leaf_formula(std::string_view name,
                                                std::vector<double> hyperparameters,
                                                const LeafRows& rows) {
    require_numbers(rows.k > 0 && rows.statistics.size() % rows.k == 0);
    auto out = made<DirichletLeaf, NormalInverseGammaLeaf, NormalLinearLeaf, GammaPoissonLeaf,
                    GammaExponentialLeaf, PiecewiseExponentialLeaf, SumNormalLeaf, SumProbitLeaf,
                    TableLeaf>(
        name, std::move(hyperparameters), rows);
    require_numbers(out != nullptr);
    return out;
}

}  // namespace slp
