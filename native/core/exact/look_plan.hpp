// Whether trees are summed by levels (level_sums.hpp), and what that takes.

#pragma once

#include <optional>

#include "problem/geometry.hpp"
#include "problem/problem.hpp"

namespace slp::exact {

// What sums by levels take: looks; the visits of rows in them, a row once for each feature; and
// bytes of what is kept.
struct LookPlan {
    double looks = 0, visits = 0, bytes = 0;
};

// The plan; none where states are not regular, a tree has less than two or more than three levels
// of splits, or sums of statistics may be rounded.
std::optional<LookPlan> look_plan(const Problem& problem, const Geometry& geometry);

}  // namespace slp::exact
