#include "exact/proximity.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>

#include "budget.hpp"
#include "exact/descent.hpp"
#include "exact/row_walk.hpp"
#include "thread_team.hpp"

namespace slp::exact {

namespace {

// Adds up the leaves of groups, for each pair in a group.
class SharedLeaves {
public:
    SharedLeaves(std::size_t m, Proximity& out) : m_(m), out_(out) {
        out_ = {};
        out_.shared.assign(m * m, 0.0);
    }

    void leaf_of_group(const double*, std::span<const std::uint32_t> queries, double mass) {
        for (const std::uint32_t i : queries) {
            for (const std::uint32_t j : queries) {
                out_.shared[i * m_ + j] += mass;
            }
        }
    }
    double least_mass() const {
        double out = 1.0;
        for (std::size_t i = 0; i < m_; ++i) {
            out = std::min(out, out_.shared[i * m_ + i]);
        }
        return out;
    }
    void see_parted() { out_.parted = true; }

private:
    std::size_t m_;
    Proximity& out_;
};

class PairWalk : public RowWalk<SharedLeaves> {
public:
    PairWalk(const Engine& engine, std::span<const double> values,
             std::span<const std::size_t> rows, SharedLeaves& sums)
        : RowWalk(engine, values, rows, sums), sums_(sums) {}

    std::span<const PartedQuery> parted(std::uint32_t split) {
        const std::span<const PartedQuery> out = RowWalk::parted(split);
        if (!out.empty()) {
            sums_.see_parted();
        }
        return out;
    }

private:
    SharedLeaves& sums_;
};

}  // namespace

Status proximity(const Engine& engine, const Pass& pass, const NewRows& rows, std::size_t memory,
                 const Poll& poll, Proximity& out) {
    std::vector<std::size_t> all(rows.m);
    std::iota(all.begin(), all.end(), std::size_t{0});
    Budget budget(memory);
    ThreadTeam team;
    return team.run(1, [&](std::size_t) {
        Watch watch(team, &poll);
        std::uint64_t items = 0;
        const auto go_on = [&](std::uint64_t more) {
            items += more;
            return watch.go_on([&] { return Progress{items, 0, 0, budget.used(), budget.peak()}; });
        };
        for (double cut = kMostLost / pass.most_edges();; cut = lower_cut(cut)) {
            SharedLeaves sums(rows.m, out);
            PairWalk walk(engine, rows.values, all, sums);
            if (!Descent(engine, pass, walk, cut, budget, go_on).run()) {
                return;
            }
            if (cut == 0.0 || sums.least_mass() >= 1.0 - kMostLost) {
                break;
            }
        }
        team.end(Status::done);
    });
}

}  // namespace slp::exact
