// The weight of finished trees under the program as written: the sum over all derivations of the
// tree, or with `by_partition` of all trees that part the rows alike. The definition is that of
// slp.reference.tree_weights, the specification.
//
// With W(i, s) the weight of what is below node i of the tree derived from state s,
//
//     W(i, s) = sum over the rules r of s of
//                   w(r)                              r a leaf rule, i a leaf
//                   w(r) W(i, s')                     r calls s'
//                   w(r, c) W(left, l) W(right, m)    r splits by c into l, m
//
// over the pairs that are reached from the root, each computed once. So the work is polynomial,
// although there may be many more derivations. A pair has weight 0 if its state needs more leaves
// than the node has; it is not opened. A box is not opened before something below it has weight.

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "mcmc/local_process.hpp"
#include "object_pool.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"

namespace slp::mcmc {

// A node of a finished tree with canonical tests: kLeaf, or the feature that it splits on and the
// codes that are neighbours in its box, of a test on a level both its code.
struct TreeNode {
    std::int32_t feature, low, high;
};

// Lower bounds on the leaves of every tree that a state derives, for each state of a listed
// grammar. (An open grammar has them for the states made.)
std::vector<std::uint32_t> least_leaves(const Problem& problem);

// Weighs one tree at a time; one for each thread.
class TreeWeigher {
public:
    // `by_partition`: every split of the program has the measure `partition`.
    TreeWeigher(const Problem& problem, const Geometry& geometry,
                std::span<const std::uint32_t> least, bool by_partition);

    // Log weight of a tree, given by its nodes in preorder, without `max_leaves`; -inf if it has no
    // derivation. `go_on` is called at every rule; NaN if it becomes false.
    double log_weight(std::span<const TreeNode> tree, const std::function<bool()>& go_on);

private:
    // A node on the table: its run of rows and, where it splits, the split as the box has it (the
    // codes that are neighbours), its children, and the key of the left side.
    struct Part {
        Taken taken;
        std::uint32_t begin = 0, size = 0;
        std::uint32_t n_leaves = 1;
        std::uint32_t left = 0, right = 0;
        Key left_key;
    };
    struct PartState {
        std::uint32_t part;
        std::int32_t state;
    };
    // An edge of a part, by one of its rules: where it leads, and its log weight, NaN if the box
    // was not opened yet.
    struct PartEdge {
        std::int32_t rule;
        std::uint32_t n_goals;
        std::array<PartState, 2> goals;
        double log_weight;
    };

    bool lay_out(std::span<const TreeNode> tree);
    bool part(const TreeNode& node, std::uint32_t number);
    // Whether `go_on` stayed true. (A state of an open grammar is made when a rule leads to it.)
    bool find_edges(PartState place, const std::function<bool()>& go_on,
                    std::vector<PartEdge>& out);
    void find_split(PartState place, std::size_t rule, std::vector<PartEdge>& out);
    void find_partition(PartState place, std::size_t rule, std::vector<PartEdge>& out);
    void add_split(const Part& part, std::size_t rule, std::int32_t left, std::int32_t right,
                   double log_weight, std::vector<PartEdge>& out) const;
    // Whether the weights that these rules need are known; otherwise the places still to be
    // computed.
    bool known(const std::vector<PartEdge>& edges, std::vector<PartState>& missing) const;
    double sum(PartState place, const std::vector<PartEdge>& edges);
    bool possible(PartState place) const;
    // A part's rows in ascending order, which stay until the next call.
    Rows ascending_rows(const Part& part);
    static std::uint64_t key_of(PartState place) {
        return std::uint64_t{place.part} << 32 | static_cast<std::uint32_t>(place.state);
    }

    const Problem& problem_;
    const Geometry& geometry_;
    std::span<const std::uint32_t> least_;
    bool by_partition_;
    LocalProcess process_;
    std::vector<Part> parts_;
    std::vector<std::uint32_t> rows_, scratch_;
    std::vector<std::uint64_t> marks_;
    std::unordered_map<std::uint64_t, double> done_;
    std::unordered_map<std::uint64_t, std::vector<PartEdge>> open_;
    std::vector<PartState> stack_;
    std::vector<double> terms_;
};

// Weighs many trees.
class TreeScorer {
public:
    // Both must outlive it; problem.grammar.max_leaves is 0. `by_partition`: as of TreeWeigher.
    TreeScorer(const Problem& problem, const Geometry& geometry, bool by_partition);

    // Log weights of trees. The nodes of tree t are those from starts[t] to starts[t + 1].
    // `go_on` is called regularly in the caller's thread; once it is false, trees that were not
    // weighed get NaN.
    std::vector<double> log_weights(std::span<const TreeNode> nodes,
                                    std::span<const std::int64_t> starts, std::size_t n_threads,
                                    const std::function<bool()>& go_on);

private:
    std::vector<std::uint32_t> least_;
    ObjectPool<TreeWeigher> weighers_;
};

}  // namespace slp::mcmc
