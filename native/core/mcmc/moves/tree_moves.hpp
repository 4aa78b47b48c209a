// Moves from tree to tree. The definitions and the acceptance ratios are those of
// slp.reference.mh.moves, the specification.
//
// Every tree has one derivation here, and no state calls another, so a node has one state: that of
// its goal. A move makes a plan of tests for the subtree of one node, and builds it there. So its
// cost is proportional to the rows of that node. The codes next to each threshold decide whether
// the reverse move restores the tree: a test that returns to its old box parts it as before if its
// new threshold lies between the two codes that were neighbours there.

#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "mcmc/local_process.hpp"
#include "mcmc/moves/informed_splits.hpp"
#include "mcmc/moves/split_list.hpp"
#include "mcmc/proof.hpp"
#include "mcmc/proposals.hpp"
#include "mcmc/randomness.hpp"
#include "mcmc/part_rows.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"

namespace slp::mcmc {

// Proposes moves; one for each thread.
class TreeMoves {
public:
    // Writes new subtrees into `drawn` (nodes) and `rows`, which belong to the caller.
    // `leaf`: see ProofTransitions; what `informed` and `twig` keep is of the problem's.
    TreeMoves(const Problem& problem, const Geometry& geometry, const LeafModel& leaf,
              LocalProcess& process,
              std::vector<ProofNode>& drawn, std::vector<std::uint32_t>& rows);

    enum class Made : std::uint8_t { nothing, no_tree, tree };
    // Draws the choices of a move and builds the new subtree. No result if there is nothing to
    // choose; no tree if the choices make none or the reverse move does not restore the tree.
    Made propose(Randomness& random, double power, ProposalKind kind, const Proof& proof);

    // Call when the weights of splits have changed: what it keeps of them is dropped.
    void forget() { informed_.clear(); }

    // The node whose subtree was built.
    std::uint32_t place() const { return at_; }
    // Log of the ratio without log Z and the likelihood: the ratio of the local process's
    // probabilities of the derivations, and of those of the choices (reverse over forward).
    double log_ratio() const { return log_ratio_; }

private:
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    // A node of a plan: a test, which goes to the plans of both sides, or a leaf (feature kLeaf).
    struct Planned {
        std::int32_t feature = kLeaf;
        RowTest test{};
        std::uint32_t left = kNone, right = kNone;
        // Whether the test is removed if it parts no rows; if not, the plan then makes no tree.
        bool optional = false;
        // The split that the test must make again in its old box; none if it always makes it.
        const Taken* restores = nullptr;
    };
    struct PlannedGoal {
        std::uint32_t plan;
        std::int32_t state;
        std::uint32_t begin, size;
        // wu: the plan above this goal's, and its side.
        std::uint32_t parent = kNone;
        bool right = false;
    };
    // The numbers of nodes of a tree that moves use.
    struct NodeCounts {
        std::uint32_t growable = 0, prunable = 0, internal = 0;
    };
    struct Drawn {
        Taken taken;
        double log_probability;
    };
    // Part of a tree: nodes, and the rows to which their `begin` refers.
    struct View {
        std::span<const ProofNode> nodes;
        const std::uint32_t* rows;

        Rows rows_of(std::uint32_t i) const {
            return {rows + nodes[i].begin, nodes[i].size};
        }
        bool is_leaf(std::uint32_t i) const { return nodes[i].n_parts() == 0; }
        std::uint32_t child(std::uint32_t i, bool right) const {
            return right ? right_of(nodes, i + 1) : i + 1;
        }
        std::span<const ProofNode> subtree(std::uint32_t i) const {
            return nodes.subspan(i, nodes[i].all.n_nodes);
        }
    };
    using Preorder = std::vector<Taken>;  // of a subtree; of a leaf the feature alone counts

    // --- the moves, each in its file
    Made cgm(Randomness& random);
    Made grow(Randomness& random, bool informed);
    Made prune(Randomness& random, bool informed);
    Made change(Randomness& random, bool informed);
    Made swap(Randomness& random);
    bool same_test(const ProofNode& a, const ProofNode& b) const;
    Made perturb(Randomness& random, bool informed);
    Made informed(Randomness& random);
    Made wu(Randomness& random);
    Made rotate(Randomness& random);
    Made twig(Randomness& random);

    // --- shared by all moves
    const ProofNode& old(std::uint32_t i) const { return proof_->nodes[i]; }
    View view() const { return {proof_->nodes, proof_->rows.data()}; }
    // The subtree that was built.
    View built() const { return {drawn_, rows_.data() - drawn_[0].begin}; }
    // Counts of the tree; of the tree with the new subtree at a node.
    NodeCounts counts() const { return count(kNone); }
    NodeCounts count(std::uint32_t replaced) const;
    bool is_prunable(std::uint32_t i, std::uint32_t replaced) const;
    // The k-th node (from 0) that splits; of those below the root.
    std::uint32_t internal(std::size_t k) const;
    std::uint32_t parent_of(std::uint32_t i);

    std::int32_t rule_of(std::int32_t state, RuleKind kind) const;
    // The rows of a node of the tree, ascending, in `ascending_`.
    Rows ascending(const ProofNode& node);

    // The splits of a node, on all features (-1) or one, in `splits_`.
    void list_splits(const ProofNode& node, std::int32_t feature);
    // The splits of a node with the likelihoods of both sides; with informed weights, until the
    // next call.
    std::shared_ptr<const LikelySplits> likely_splits(const ProofNode& node);
    const InformedSplits& informed_splits(const ProofNode& node);
    LikelySplits list_likely(const ProofNode& node);
    LikelySplits list_likely(Rows rows, std::int32_t state);
    NodeKey key_of(const ProofNode& node) const;
    // Draws a split of a node; log probability of drawing a given one.
    Drawn draw_split(Randomness& random, const ProofNode& node, bool informed);
    double log_probability(const ProofNode& node, const Taken& taken, bool informed);

    std::uint32_t plan_leaf();
    std::uint32_t plan_split(const Taken& taken, std::uint32_t left, std::uint32_t right);
    // A test by its threshold, of a node of the tree.
    std::uint32_t plan_test(const Taken& taken, std::uint32_t left, std::uint32_t right);
    // The tests of a subtree of the tree, by their thresholds.
    std::uint32_t plan_subtree(std::uint32_t i, bool optional, bool restores);
    std::uint32_t plan_preorder(const Preorder& tree, std::size_t& next);

    // Builds a plan in the place of a node.
    bool build(std::uint32_t at, std::uint32_t plan);
    const Planned* take_planned(const PlannedGoal& goal, Taken& taken);
    // Rows parted by a test, both sides in the order they had.
    struct Parted {
        std::uint32_t n_left = 0, n_right = 0;
        // The highest code that goes left, and the lowest that goes right.
        std::uint32_t low = 0, high = kNone;
    };
    static Parted part(Rows rows, RowTest test, std::uint32_t* left, std::uint32_t* right);
    bool restored(const Taken& now, const Taken& before) const;
    // The cut on a feature that has sets of rows on its left side, and others on its right; false
    // if there is none.
    using RowSets = std::span<const Rows>;
    static bool cut_between(const Feature& feature, RowSets left, RowSets right, Cut& out);
    // Sets the ratio from the log probabilities of the choices.
    Made made(std::uint32_t at, double log_forth, double log_back);

    // --- perturb
    struct Bounds {
        double low, high;
        bool of_missing;  // of the test for missing values of an ordered feature
    };
    Bounds bounds(const View& tree, std::uint32_t i) const;
    void narrow(std::span<const ProofNode> subtree, std::int32_t feature, bool left,
                Bounds& bounds) const;
    // The weights of the splits listed, which are on one feature; 0 of those out of bounds.
    std::vector<double> weights_within(const Bounds& bounds, std::int32_t feature) const;

    // --- wu
    bool restructure(Randomness& random, std::uint32_t at, double& log_probability);
    double log_restructured(std::uint32_t at);
    // Keeps in `splits_` the splits that part no block of these rows, and returns the sum of their
    // weights. A block is the rows of a leaf.
    double keep_blocks_whole(Rows rows);
    void mark_cutting(std::uint32_t feature, Rows rows);
    // Whether a test parts a block.
    bool cuts_block(const RowTest& test, Rows rows);

    // --- twig
    // The number of nodes whose subtrees have at most two levels, of the tree with the new subtree
    // at a node. Fills `levels_`.
    std::size_t count_twigs(std::uint32_t replaced);
    double log_leaf(std::int32_t state) const;
    double log_leaves_below(const Rule& rule) const;
    // `rows` gives the rows of the node, ascending.
    template <typename RowsOf>
    Stumps stumps(const NodeKey& key, const RowsOf& rows);
    Stumps weigh_stumps(const NodeKey& key, Rows rows);
    std::uint32_t draw_twig(Randomness& random, std::span<std::uint32_t> rows, std::int32_t state,
                            int levels, double& log_probability);
    double log_twig(std::uint32_t i, int levels);

    // --- rotate
    Made rotate_up(Randomness& random);
    Made rotate_down(Randomness& random);
    struct Joint {
        Taken split;
        bool by_x, by_y;
        // If only one node makes it: whether the rows of the other go right.
        bool other_right;
    };
    void joint_splits(const View& tree, std::uint32_t x, std::uint32_t y,
                      std::vector<Joint>& out) const;
    // The same on a feature that is not plain, by these nodes.
    void wide_joint_splits(const View& tree, std::uint32_t x, std::uint32_t y, bool by_x,
                           bool by_y, std::vector<Joint>& out) const;
    // The subtrees that `down` may make at a node.
    void lowered(const View& tree, std::uint32_t i, bool side, std::vector<Preorder>& out) const;
    bool zipped(const View& tree, std::uint32_t one, std::uint32_t two, Preorder& out) const;
    // The split of two sets of rows by a test between them; false if it is not canonical.
    bool split_between(const Taken& test, Rows left, Rows right, Taken& out) const;
    bool canonical_level(const Taken& taken, std::span<const Rows> right) const;

    const Problem& problem_;
    const Geometry& geometry_;
    const LeafModel& leaf_;
    LocalProcess& process_;
    std::vector<ProofNode>& drawn_;
    std::vector<std::uint32_t>& rows_;
    SplitList splits_;
    InformedCache informed_;

    // The move proposed.
    const Proof* proof_ = nullptr;
    double power_ = 0.0;
    std::uint32_t at_ = 0;
    double log_ratio_ = 0.0;

    // Scratch.
    std::vector<Planned> plan_;
    std::vector<PlannedGoal> goals_;
    // The parts of the goal that was looked at last, its rows in `left_rows_` and `right_rows_`.
    Parted parted_;
    std::vector<std::uint32_t> ascending_, left_rows_, right_rows_, path_;
    // Whose rows are in `ascending_`, if they are those of a node.
    const ProofNode* ascending_of_ = nullptr;
    std::vector<std::uint64_t> marks_;
    std::vector<double> statistics_;
    // twig: by node, the levels of splits of its subtree.
    std::vector<int> levels_;
    std::vector<std::uint32_t> blocks_, least_, most_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> cutting_;
};

}  // namespace slp::mcmc
