// The leaf models: the formulas of slp.leaves. Each is one struct in problem/leaves, which the list
// at the end names.

#include "problem/leaf_formulas.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "problem/leaves/dirichlet.hpp"
#include "problem/leaves/known_shares.hpp"
#include "problem/leaves/normal.hpp"
#include "problem/leaves/numbers.hpp"
#include "problem/leaves/of_boxes.hpp"
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

// Several models, whose names stand in one with commas between (leaves/of_boxes.hpp).
std::shared_ptr<const LeafFormula> box_leaves(std::string_view names, std::vector<double> numbers,
                                              const LeafRows& rows) {
    require_numbers(rows.k > 1);
    std::vector<double> statistics;
    for (std::size_t i = 0; i < rows.statistics.size(); ++i) {
        if ((i + 1) % rows.k != 0) {
            statistics.push_back(rows.statistics[i]);
        }
    }
    std::vector<std::shared_ptr<const LeafFormula>> models;
    std::size_t at = 0;
    for (std::size_t begin = 0, end = 0; end < names.size(); begin = end + 1) {
        end = std::min(names.find(',', begin), names.size());
        require_numbers(at < numbers.size() && numbers[at] >= 0 &&
                        numbers[at] < static_cast<double>(numbers.size() - at));
        const auto first = numbers.begin() + static_cast<std::ptrdiff_t>(at) + 1;
        const auto n = static_cast<std::ptrdiff_t>(numbers[at]);
        models.push_back(leaf_formula(names.substr(begin, end - begin), {first, first + n},
                                      {statistics, rows.k - 1}));
        at += static_cast<std::size_t>(n) + 1;
    }
    require_numbers(at == numbers.size());
    return std::make_shared<const BoxLeaves>(names, std::move(numbers), rows.k, std::move(models));
}

std::shared_ptr<const LeafFormula> leaf_formula(std::string_view name,
                                                std::vector<double> hyperparameters,
                                                const LeafRows& rows) {
    require_numbers(rows.k > 0 && rows.statistics.size() % rows.k == 0);
    if (name.find(',') != name.npos) {
        return box_leaves(name, std::move(hyperparameters), rows);
    }
    auto out = made<DirichletLeaf, KnownSharesLeaf, NormalInverseGammaLeaf, NormalLinearLeaf,
                    GammaPoissonLeaf, GammaExponentialLeaf, PiecewiseExponentialLeaf, SumNormalLeaf,
                    SumProbitLeaf, TableLeaf>(
        name, std::move(hyperparameters), rows);
    require_numbers(out != nullptr);
    return out;
}

}  // namespace slp
