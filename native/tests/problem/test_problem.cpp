// Problems that an engine refuses.

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "check.hpp"
#include "exact/denison.hpp"
#include "exact/engine.hpp"
#include "problem/problem.hpp"

using namespace slp;
using slp::test::check;
using slp::test::denison;

TEST(problems_that_refer_to_what_is_not_there_are_refused) {
    const std::vector<std::function<void(Problem&)>> faults{
        [](Problem& p) { p.table.counts.pop_back(); },
        [](Problem& p) { p.table.features[1].codes.push_back(0); },
        [](Problem& p) { p.table.features[1].codes[3] = 16; },
        [](Problem& p) { p.table.features[1].numbers.pop_back(); },
        [](Problem& p) { p.table.features[1].first_cell = 0; },
        [](Problem& p) { p.grammar.feature_weights.pop_back(); },
        [](Problem& p) { p.grammar.min_leaf = 0; },
        [](Problem& p) { p.grammar.start = 1; },
        [](Problem& p) {
            p.grammar.max_leaves = INT32_MAX;
            p.grammar.states.push_back(p.grammar.states[0]);
        },
        [](Problem& p) { p.grammar.states[0][0].transitions.pop_back(); },
        [](Problem& p) { p.grammar.states[0][0].transitions[3] = 1; },
        [](Problem& p) { p.grammar.states[0][0].transitions[2] = -3; },
        [](Problem& p) { p.grammar.states[0][1].majority = {2}; },
        [](Problem& p) {
            p.grammar.states[0].push_back({RuleKind::call, 0.0, {}, 1, Measure::each, {}});
        },
        [](Problem& p) {
            p.grammar.states[0].push_back({RuleKind::call, 0.0, {}, 0, Measure::each, {}});
        },
        [](Problem& p) { p.leaf = LeafModel("dirichlet", {1, 1}, {0, 1}, 2); },
        [](Problem& p) { p.leaf = LeafModel("dirichlet", {1}, {0, 1}, 2); },
        [](Problem& p) { p.leaf = LeafModel("gamma_poisson", {1, 1}, {}, 0); },
        [](Problem& p) { p.table.n_rows = 0; },
    };
    for (const auto& fault : faults) {
        bool refused = false;
        try {
            Problem problem = denison(12, 3, 16, 1);
            fault(problem);
            const slp::exact::Engine engine(std::move(problem));
        } catch (const std::invalid_argument&) {
            refused = true;
        }
        check(refused);
    }
}
