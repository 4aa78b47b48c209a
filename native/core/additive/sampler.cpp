#include "additive/sampler.hpp"

#include <stdexcept>

namespace slp::additive {

SumSampler::SumSampler(const Problem& problem, const Geometry& geometry, SumPlan plan,
                       Responses responses, std::uint32_t max_leaves,
                       std::vector<mcmc::Proposal> mixture)
    : plan_(std::move(plan)),
      responses_(std::move(responses)),
      tests_{max_leaves, 0, {}},
      mixture_(std::move(mixture)),
      pool_([this, &problem, &geometry] {
          return std::make_unique<Backfitting>(problem, geometry, plan_, responses_, tests_,
                                               mixture_);
      }) {
    const std::size_t n = problem.table.n_rows;
    if (responses_.first.size() != n || responses_.second.size() != n) {
        throw std::invalid_argument("each distinct row has its responses");
    }
}

std::vector<double> SumSampler::rows_of(const TreeSum& sum) const {
    std::vector<double> out;
    for (const mcmc::State& tree : sum.trees) {
        for (const mcmc::ProofNode& node : tree.proof.nodes) {
            if (node.n_parts() > 0) {
                continue;
            }
            double rows = 0.0;
            for (const std::uint32_t u : tree.proof.rows_of(node)) {
                rows += responses_.first[u] + (responses_.classes ? responses_.second[u] : 0.0);
            }
            out.push_back(rows);
        }
    }
    return out;
}

}  // namespace slp::additive
