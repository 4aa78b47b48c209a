// The inside pass over a uniform grammar (chain.hpp), family by family.
//
// One numeric feature is the inner one. A family is a box that leaves it free; its members are the
// box's parts between any two of the inner values that occur in it: k values, k (k + 1) / 2 members,
// kept as one triangle. A split on an outer feature parts all members of a family at once: the left
// sides are members of one family, the right sides of another. So a family costs one look-up for
// each side of each outer split, and the sums over splits then run along rows of triangles. Splits
// on the inner feature stay inside the family. Looking up each member's children by themselves takes
// some fifty times the look-ups, and they are what such a pass waits for.
//
// Members of several families that hold the same rows are one box. It is worked out in the smallest
// such family, where it touches the outer bounds on all sides, and copied to the others.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "exact/budget.hpp"
#include "exact/chain.hpp"
#include "exact/geometry.hpp"
#include "exact/problem.hpp"
#include "exact/uniform_search.hpp"

namespace slp::exact {

// Where rows end.
class LeafSink {
public:
    virtual ~LeafSink() = default;
    // Rows come to the leaf of these statistics; lanes: those that do, one bit each, lane l with the
    // probability mass[l] * share.
    virtual void leaf(const double* statistics, std::uint64_t lanes, const double* mass,
                      double share) = 0;
};

// What goes down the families (family_descent.hpp): up to 64 new rows, or one tree.
struct Lanes {
    std::size_t n = 1;
    // Of each row its numbers, one for each feature, as in NewRows; empty: lane 0 follows both sides.
    std::vector<const double*> rows;
    // What the tree has: expected splits on each feature.
    std::vector<double>* splits = nullptr;
    LeafSink* leaves = nullptr;

    bool both() const { return rows.empty(); }
};

class FamilySearch : public UniformSearch {
public:
    // After a run of totals whose task keeps families. Any number of threads at a time. go_on is
    // asked now and then; false if it ended the descent. Throws OutOfBudget.
    virtual bool descend(const Lanes& lanes, double cut,
                         const std::function<bool(std::uint64_t families)>& go_on) = 0;
    virtual double log_scale() const = 0;
    // What the families and descents take.
    virtual Budget& budget() = 0;
};

std::unique_ptr<FamilySearch> make_family_search(const Problem& problem, const Geometry& geometry,
                                                 const Chain& chain, std::uint32_t inner,
                                                 const UniformTask& task);

}  // namespace slp::exact
