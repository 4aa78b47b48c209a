// Edited trees, and the edits possible at each node. The definitions are those of
// slp.engines.mcmc.edits.nodes.
//
// A tree is a proof of which only the splits, the rows and the sums are used. Each node has the
// kinds of edits that apply to it. Thresholds are canonical for the rows of their node.

#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "mcmc/cuts.hpp"
#include "mcmc/proof.hpp"
#include "mcmc/randomness.hpp"
#include "mcmc/part_rows.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"
#include "problem/split_measures.hpp"

namespace slp::mcmc {

enum class EditKind : std::uint8_t { grow, prune, change };
inline constexpr std::size_t kEditKinds = 3;

// How many places a kind of edit applies to.
using Places = std::array<std::uint32_t, kEditKinds>;

struct EditTree {
    Proof proof;
    // For each node: splits above it; the kinds that apply to it; sums of these over its subtree.
    struct NodeEdits {
        std::uint32_t depth = 0;
        Places here{}, all{};
    };
    std::vector<NodeEdits> marks;

    const Places& places() const { return marks[0].all; }
    bool is_leaf(std::uint32_t node) const { return proof.nodes[node].n_parts() == 0; }
};

// The node that an edit of a kind applies to at a place, counted in preorder, and those above it.
void path_to_place(const EditTree& tree, EditKind kind, std::uint32_t place,
                   std::vector<std::uint32_t>& path);

struct EditRules {
    Measure measure;
    std::uint32_t max_depth = std::numeric_limits<std::uint32_t>::max();
};

// The splits that an edit may take at a node: all valid ones where a leaf is grown; where a split
// is changed, those others under which every leaf below keeps min_leaf rows. Let m be the rows of
// the node that pass all tests between it and a leaf of its left side. That leaf then holds the
// rows in both m and the left side of the split; on the right likewise.
class EditOptions {
public:
    EditOptions(const Problem& problem, const Geometry& geometry, const EditRules& rules);

    // Goes to a node, which must not move in memory until the next call.
    void enter(const EditTree& tree, std::uint32_t node);

    bool any();
    // Options on a feature, in canonical order.
    std::span<const Cut> cuts(std::size_t f);

    // A choice by the split measure. `alternatives`: whether there was another.
    struct DrawnSplit {
        Taken taken;
        double log_probability = 0.0;
        bool alternatives = false;
    };
    DrawnSplit draw(Randomness& random);
    // The option at a position among all; and the position of an option.
    bool at(std::uint32_t position, DrawnSplit& out);
    std::uint32_t position(const Taken& taken);

private:
    struct Listed {
        std::size_t begin = 0, end = 0;
        bool known = false;
    };

    void route(std::uint32_t subtree, std::vector<std::uint32_t>& rows,
               std::vector<std::uint32_t>& ends);
    void weigh();
    bool can_split(std::size_t f);
    void list(std::size_t f);
    void list_cuts_between(std::size_t f);
    void list_single(std::size_t f);
    std::uint32_t extreme(const Feature& feature, Rows rows, bool smallest);
    bool keeps_enough(const Feature& feature, std::uint32_t level, bool equal,
                      std::span<const std::uint32_t> rows, std::span<const std::uint32_t> ends);
    double weight_within(std::size_t f, const Cut& cut) const;
    DrawnSplit chosen(std::size_t f, std::size_t i);

    const Problem& problem_;
    const Geometry& geometry_;
    std::uint32_t max_depth_;
    SplitMeasure measure_;
    std::uint64_t least_;
    CutFinder cuts_;

    // The node entered.
    const EditTree* tree_ = nullptr;
    std::uint32_t node_ = 0;
    // Whether leaves below the node limit its options. For each of them in turn, on the left side
    // and on the right: the rows that pass all tests between. A side that is a leaf sets no limit,
    // so it has no entries.
    bool limited_ = false, routed_ = false;
    std::vector<std::uint32_t> left_rows_, left_ends_, right_rows_, right_ends_;
    std::vector<Listed> listed_;
    std::vector<Cut> options_;
    // Masses of the features, then of one feature's cuts.
    bool weighed_ = false;
    double total_ = 0.0;
    std::vector<double> masses_, within_;
    // Scratch.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> jobs_;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> counted_;
    std::vector<std::uint32_t> other_rows_;
};

// Makes trees from trees; one for each thread.
class TreeEditor {
public:
    TreeEditor(const Problem& problem, const Geometry& geometry, const EditRules& rules);

    // A tree given by its nodes in preorder: feature (-1 at a leaf) and threshold, or code of the
    // level, which are canonical. Every side of every split has min_leaf rows.
    struct GivenNode {
        std::int32_t feature;
        double threshold;
    };
    void make(std::span<const GivenNode> preorder, EditTree& out);

    // The tree after an edit at the end of a path. `taken` is unused when pruning.
    void edit(const EditTree& from, EditKind kind, std::span<const std::uint32_t> path,
              const Taken& taken, EditTree& out);

    EditOptions& options() { return options_; }

private:
    // A waiting subtree: its old node (kNone: a leaf), its rows, its depth.
    struct Job {
        std::uint32_t old, begin, size, depth;
    };

    void begin(std::uint32_t depth, std::uint32_t n_rows);
    void add_split(const Job& job, const Taken& taken, const RowTest& test, std::uint32_t left,
                   std::uint32_t right);
    void add_leaf(const Job& job);
    void keep_tests(std::span<const ProofNode> old);
    bool make_canonical(const Job& job, const RowTest& test, Taken& taken) const;
    void mark(EditTree& tree, std::uint32_t node);
    static void add_up_places(EditTree& tree);

    const Problem& problem_;
    const Geometry& geometry_;
    EditOptions options_;
    std::vector<ProofNode> made_;
    std::vector<std::uint32_t> depths_;
    std::vector<Job> jobs_;
    std::vector<std::uint32_t> rows_, right_rows_;
    std::vector<double> statistics_;
};

}  // namespace slp::mcmc
