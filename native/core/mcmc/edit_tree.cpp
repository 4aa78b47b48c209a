#include "mcmc/edit_tree.hpp"

#include <algorithm>
#include <numeric>

namespace slp::mcmc {

namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

}  // namespace

void path_to_place(const EditTree& tree, EditKind kind, std::uint32_t place,
                   std::vector<std::uint32_t>& path) {
    const auto k = static_cast<std::size_t>(kind);
    path.assign(1, 0);
    while (true) {
        const std::uint32_t at = path.back();
        const std::uint32_t here = tree.marks[at].here[k];
        if (here > 0 && place == 0) {
            return;
        }
        place -= here;
        std::uint32_t below = at + 1;
        if (const std::uint32_t on_left = tree.marks[below].all[k]; place >= on_left) {
            place -= on_left;
            below = right_of(tree.proof.nodes, below);
        }
        path.push_back(below);
    }
}

TreeEditor::TreeEditor(const Problem& problem, const Geometry& geometry, const EditRules& rules)
    : problem_(problem),
      geometry_(geometry),
      options_(problem, geometry, rules),
      rows_(problem.table.n_rows),
      right_rows_(problem.table.n_rows),
      statistics_(problem.leaf.n_statistics()) {}

void TreeEditor::make(std::span<const GivenNode> preorder, EditTree& out) {
    std::iota(rows_.begin(), rows_.end(), 0U);
    begin(0, problem_.table.n_rows);
    for (const GivenNode& given : preorder) {
        const Job job = jobs_.back();
        jobs_.pop_back();
        if (given.feature < 0) {
            add_leaf(job);
            continue;
        }
        const Feature& feature = problem_.table.features[static_cast<std::size_t>(given.feature)];
        const RowTest test = feature.plain_test(given.threshold);
        Taken taken{0, given.feature, {}};
        make_canonical(job, test, taken);
        add_split(job, taken, test, 0, 0);
    }
    add_up(made_, rows_, problem_, problem_.leaf, statistics_);
    out.proof = {made_, rows_};
    out.marks.assign(made_.size(), {});
    for (std::size_t i = 0; i < made_.size(); ++i) {
        out.marks[i].depth = depths_[i];
        mark(out, static_cast<std::uint32_t>(i));
    }
    add_up_places(out);
}

void TreeEditor::edit(const EditTree& from, EditKind kind, std::span<const std::uint32_t> path,
                      const Taken& taken, EditTree& out) {
    const std::uint32_t at = path.back();
    const ProofNode& node = from.proof.nodes[at];
    const Rows rows = from.proof.rows_of(node);
    std::copy(rows.begin(), rows.end(), rows_.begin());
    std::sort(rows_.begin(), rows_.begin() + node.size);
    begin(from.marks[at].depth, node.size);
    if (kind != EditKind::prune) {
        const bool grows = kind == EditKind::grow;
        const Job job = jobs_.back();
        jobs_.pop_back();
        add_split(job, taken, test_anywhere(problem_.table, taken), grows ? kNone : at + 1,
                  grows ? kNone : right_of(from.proof.nodes, at + 1));
    }
    keep_tests(from.proof.nodes);
    add_up(made_, rows_, problem_, problem_.leaf, statistics_);
    for (ProofNode& made : made_) {
        made.begin += node.begin;
    }
    const auto n_before = static_cast<std::ptrdiff_t>(node.all.n_nodes);
    out = from;
    replace(out.proof, path, made_, {rows_.data(), node.size});
    const auto place = out.marks.begin() + at;
    const auto n_after = static_cast<std::ptrdiff_t>(made_.size());
    if (n_after > n_before) {
        out.marks.insert(place, static_cast<std::size_t>(n_after - n_before), {});
    } else {
        out.marks.erase(place, place + (n_before - n_after));
    }
    for (std::size_t i = 0; i < made_.size(); ++i) {
        out.marks[at + i].depth = depths_[i];
        mark(out, at + static_cast<std::uint32_t>(i));
    }
    for (const std::uint32_t above : path.first(path.size() - 1)) {
        mark(out, above);
    }
    add_up_places(out);
}

// --- subtrees ---------------------------------------------------------------------------------

// A subtree on the first rows of `rows_`, which are ascending.
void TreeEditor::begin(std::uint32_t depth, std::uint32_t n_rows) {
    made_.clear();
    depths_.clear();
    jobs_.assign(1, {kNone, 0, n_rows, depth});
}

// Makes the waiting subtrees: each node gets the test of its old node.
void TreeEditor::keep_tests(std::span<const ProofNode> old) {
    while (!jobs_.empty()) {
        const Job job = jobs_.back();
        jobs_.pop_back();
        if (job.old == kNone || old[job.old].n_parts() == 0) {
            add_leaf(job);
            continue;
        }
        Taken taken = old[job.old].taken;
        RowTest test = test_anywhere(problem_.table, taken);
        std::uint32_t left = job.old + 1, right = right_of(old, job.old + 1);
        if (make_canonical(job, test, taken)) {
            std::swap(left, right);
            test = test_anywhere(problem_.table, taken);
        }
        add_split(job, taken, test, left, right);
    }
}

void TreeEditor::add_split(const Job& job, const Taken& taken, const RowTest& test,
                           std::uint32_t left, std::uint32_t right) {
    const std::uint32_t n_left =
        part_rows({rows_.data() + job.begin, job.size}, test, right_rows_.data());
    ProofNode& node = made_.emplace_back();
    node.taken = taken;
    node.begin = job.begin;
    node.size = job.size;
    depths_.push_back(job.depth);
    jobs_.push_back({right, job.begin + n_left, job.size - n_left, job.depth + 1});
    jobs_.push_back({left, job.begin, n_left, job.depth + 1});
}

void TreeEditor::add_leaf(const Job& job) {
    ProofNode& node = made_.emplace_back();
    node.begin = job.begin;
    node.size = job.size;
    depths_.push_back(job.depth);
}

// The split that parts the rows as a test does, and whether its sides are exchanged.
bool TreeEditor::make_canonical(const Job& job, const RowTest& test, Taken& taken) const {
    const Rows rows{rows_.data() + job.begin, job.size};
    const bool single = problem_.table.features[static_cast<std::size_t>(taken.feature)].single();
    std::uint32_t below = 0, smallest = kNone, largest = 0;
    for (const std::uint32_t row : rows) {
        if (test.goes_left(row)) {
            below = std::max(below, test.code[row]);
        } else {
            smallest = std::min(smallest, test.code[row]);
            largest = std::max(largest, test.code[row]);
        }
    }
    if (!single) {
        taken.cut = Cut::between(below, smallest);
        return false;
    }
    // With two levels, `= a` and `= b` are the same split. The test is on the first level.
    const bool swapped = smallest == largest && smallest < below;
    taken.cut = Cut::on(swapped ? smallest : below);
    return swapped;
}

// --- places -----------------------------------------------------------------------------------

void TreeEditor::mark(EditTree& tree, std::uint32_t node) {
    Places& here = tree.marks[node].here;
    options_.enter(tree, node);
    const bool leaf = tree.is_leaf(node);
    const auto any = static_cast<std::uint32_t>(options_.any());
    here = {leaf ? any : 0U, tree.proof.nodes[node].all.n_leaves == 2 ? 1U : 0U, leaf ? 0U : any};
}

void TreeEditor::add_up_places(EditTree& tree) {
    const auto& nodes = tree.proof.nodes;
    for (std::size_t i = nodes.size(); i-- > 0;) {
        EditTree::NodeEdits& mark = tree.marks[i];
        mark.all = mark.here;
        if (nodes[i].n_parts() == 0) {
            continue;
        }
        const std::size_t left = i + 1, right = left + nodes[left].all.n_nodes;
        for (std::size_t k = 0; k < kEditKinds; ++k) {
            mark.all[k] += tree.marks[left].all[k] + tree.marks[right].all[k];
        }
    }
}

}  // namespace slp::mcmc
