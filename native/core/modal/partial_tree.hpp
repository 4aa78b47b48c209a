// A tree while it grows: its nodes, and the rows of each in one array that splits part stably.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "budget.hpp"
#include "modal/plan.hpp"
#include "modal/row_sums.hpp"
#include "problem/problem.hpp"

namespace slp::modal {

// A tree's nodes in preorder.
struct Grown {
    // Feature of the split taken; -1 where it stops, -2 at a goal that was not decided in time.
    std::vector<std::int32_t> feature;
    std::vector<std::uint32_t> low, high;
    // As in GrownNode.
    std::vector<double> log_stop, log_likelihood, log_split, gain;
    // Sums over the node's rows, k for each; and what smoothing has added to the prior.
    std::vector<double> statistics, added;
};

class PartialTree {
public:
    PartialTree(const Problem& problem, const Plan& plan, Budget& budget);

    // A node of some distinct rows, ascending, in a state.
    void start(std::span<const std::uint32_t> rows, std::int32_t state);

    std::size_t size() const { return nodes_.size(); }
    GrownNode& operator[](std::size_t node) { return nodes_[node]; }
    const GrownNode& operator[](std::size_t node) const { return nodes_[node]; }
    // Valid until the next node.
    RowSet rows_of(std::size_t node) const;
    // Whether it can neither stop nor be split.
    bool dead(std::size_t node) const {
        const GrownNode& own = nodes_[node];
        return own.expanded && own.left < 0 && own.log_stop == -INFINITY;
    }

    // Parts the rows of a node by its split; where those of the right side begin.
    std::uint32_t part_rows(std::size_t node);
    // Adds a side of a node whose rows were parted; its number.
    std::size_t add_side(std::size_t node, bool left, std::uint32_t middle, std::int32_t state);
    // Takes back the split above each dead end; the nodes that decide again.
    std::vector<std::size_t> undo_dead_ends();

    // Calls use(node) for each in preorder.
    template <typename Use>
    void for_each(Use use) const {
        std::vector<std::size_t> stack{0};
        while (!stack.empty()) {
            const std::size_t at = stack.back();
            stack.pop_back();
            if (nodes_[at].left >= 0) {
                stack.push_back(static_cast<std::size_t>(nodes_[at].right));
                stack.push_back(static_cast<std::size_t>(nodes_[at].left));
            }
            use(at);
        }
    }
    Grown grown() const;

private:
    std::size_t add(GrownNode&& node);

    const Problem& problem_;
    const Plan& plan_;
    RowSums row_sums_;
    Charge charge_;
    // Rows and their numbers (`RowSet::single`); and room to part them.
    std::vector<std::uint32_t> rows_, scratch_;
    std::vector<double> single_;
    std::vector<GrownNode> nodes_;
    std::vector<double> sums_;  // of each node
};

}  // namespace slp::modal
