// Rotations: slp.engines.mcmc.trees.moves.rotate.

#include <algorithm>
#include <cmath>
#include <utility>

#include "mcmc/moves/tree_moves.hpp"

namespace slp::mcmc {

namespace {

constexpr Taken kLeafTaken{-1, kLeaf, {}};

// Appends a subtree.
void append(std::span<const ProofNode> subtree, std::vector<Taken>& out) {
    for (const ProofNode& node : subtree) {
        Taken taken = node.n_parts() == 0 ? kLeafTaken : node.taken;
        taken.rule = -1;
        out.push_back(taken);
    }
}

bool same(const std::vector<Taken>& a, const std::vector<Taken>& b) {
    return std::ranges::equal(a, b, [](const Taken& x, const Taken& y) {
        return x.feature == y.feature && x.cut == y.cut;
    });
}

std::pair<std::uint32_t, std::uint32_t> extremes(const Feature& feature, Rows rows) {
    std::uint32_t least = feature.codes[rows[0]], most = least;
    for (const std::uint32_t row : rows) {
        least = std::min(least, feature.codes[row]);
        most = std::max(most, feature.codes[row]);
    }
    return {least, most};
}

// The cut of an ordered feature between two codes with those of another.
Cut overlap(Cut cut, std::uint32_t last_left, std::uint32_t first_right) {
    return Cut::between(std::max(cut.last_left(), last_left),
                        std::min(cut.first_right(), first_right));
}

}  // namespace

TreeMoves::Made TreeMoves::rotate(Randomness& random) {
    return random.index(2) == 0 ? rotate_up(random) : rotate_down(random);
}

TreeMoves::Made TreeMoves::rotate_up(Randomness& random) {
    const std::uint32_t n = counts().internal;
    if (n < 2) {
        return Made::nothing;
    }
    const std::uint32_t i = internal(1 + random.index(n - 1)), above = parent_of(i);
    const bool side = i != above + 1;
    const std::uint32_t rest = plan_subtree(view().child(above, !side), true, false);
    std::uint32_t halves[2];
    for (const bool half : {false, true}) {
        const std::uint32_t kept = plan_subtree(view().child(i, half), false, false);
        halves[half] =
            plan_test(old(above).taken, side ? rest : kept, side ? kept : rest);
        plan_.back().optional = true;
    }
    if (!build(above, plan_test(old(i).taken, halves[0], halves[1]))) {
        return Made::no_tree;
    }
    std::vector<Preorder> back;
    lowered(built(), 0, side, back);
    Preorder before;
    append(view().subtree(above), before);
    if (std::ranges::none_of(back, [&](const Preorder& one) { return same(one, before); })) {
        return Made::no_tree;
    }
    return made(above, -std::log(n - 1),
                -std::log(2.0 * count(above).internal * static_cast<double>(back.size())));
}

TreeMoves::Made TreeMoves::rotate_down(Randomness& random) {
    const std::uint32_t n = counts().internal;
    if (n == 0) {
        return Made::nothing;
    }
    const std::uint32_t at = internal(random.index(n));
    const bool side = random.index(2) == 1;
    std::vector<Preorder> options;
    lowered(view(), at, side, options);
    if (options.empty()) {
        return Made::nothing;
    }
    std::size_t next = 0;
    const std::uint32_t plan = plan_preorder(options[random.index(options.size())], next);
    if (!build(at, plan)) {
        return Made::no_tree;
    }
    const std::uint32_t lower = side ? right_of(drawn_, 1) : 1;
    if (!restored(drawn_[lower].taken, old(at).taken)) {
        return Made::no_tree;
    }
    return made(at, -std::log(2.0 * n * static_cast<double>(options.size())),
                -std::log(count(at).internal - 1));
}

// The canonical splits of all rows that part two sets of rows as two tests on one feature do, or
// one set as a test does, leaving the other whole. In codes, the gaps of the two overlap.
void TreeMoves::joint_splits(const View& tree, std::uint32_t x, std::uint32_t y,
                             std::vector<Joint>& out) const {
    const auto add = [&](const Taken& taken, bool by_x, bool by_y, bool other_right) {
        std::vector<Rows> right;
        for (const auto& [node, makes] : {std::pair{x, by_x}, std::pair{y, by_y}}) {
            if (makes) {
                right.push_back(tree.rows_of(tree.child(node, true)));
            } else if (other_right) {
                right.push_back(tree.rows_of(node));
            }
        }
        if (canonical_level(taken, right)) {
            out.push_back({taken, by_x, by_y, other_right});
        }
    };
    if (!tree.is_leaf(x) && !tree.is_leaf(y)) {
        wide_joint_splits(tree, x, y, true, true, out);
        const Taken &a = tree.nodes[x].taken, &b = tree.nodes[y].taken;
        const Feature& own = problem_.table.features[static_cast<std::size_t>(a.feature)];
        if (a.feature == b.feature && own.plain()) {
            const Cut both = overlap(a.cut, b.cut.last_left(), b.cut.first_right());
            if (own.single() ? a.cut == b.cut : both.last_left() < both.first_right()) {
                add({-1, a.feature, own.single() ? a.cut : both}, true, true, false);
            }
        }
    }
    for (const bool by_x : {true, false}) {
        const std::uint32_t maker = by_x ? x : y, other = by_x ? y : x;
        if (tree.is_leaf(maker)) {
            continue;
        }
        Taken taken = tree.nodes[maker].taken;
        taken.rule = -1;
        const Feature& feature =
            problem_.table.features[static_cast<std::size_t>(taken.feature)];
        if (!feature.plain()) {
            wide_joint_splits(tree, x, y, by_x, !by_x, out);
            continue;
        }
        const Rows whole = tree.rows_of(other);
        if (feature.single()) {
            const RowTest test = feature.test(taken.cut);
            const auto equal =
                std::ranges::count_if(whole, [&](auto r) { return test.plain_goes_left(r); });
            if (equal == 0 || equal == static_cast<std::ptrdiff_t>(whole.size())) {
                add(taken, by_x, !by_x, equal == 0);
            }
            continue;
        }
        const auto [least, most] = extremes(feature, whole);
        if (most < taken.cut.first_right()) {
            add({-1, taken.feature, overlap(taken.cut, most, kNone)}, by_x, !by_x, false);
        }
        if (least > taken.cut.last_left()) {
            add({-1, taken.feature, overlap(taken.cut, 0, least)}, by_x, !by_x, true);
        }
    }
}

void TreeMoves::wide_joint_splits(const View& tree, std::uint32_t x, std::uint32_t y, bool by_x,
                                  bool by_y, std::vector<Joint>& out) const {
    const std::uint32_t maker = by_x ? x : y, other = by_x ? y : x;
    const std::int32_t f = tree.nodes[maker].taken.feature;
    const Feature& feature = problem_.table.features[static_cast<std::size_t>(f)];
    const bool both = by_x && by_y;
    if (feature.plain() || (both && tree.nodes[other].taken.feature != f)) {
        return;
    }
    std::vector<Rows> sides[2];  // left, right
    for (const bool right : {false, true}) {
        sides[right].push_back(tree.rows_of(tree.child(maker, right)));
        if (both) {
            sides[right].push_back(tree.rows_of(tree.child(other, right)));
        }
    }
    Cut cut{};
    if (both) {
        if (cut_between(feature, sides[0], sides[1], cut)) {
            out.push_back({{-1, f, cut}, true, true, false});
        }
        return;
    }
    for (const bool right : {false, true}) {
        sides[right].push_back(tree.rows_of(other));
        if (cut_between(feature, sides[0], sides[1], cut)) {
            out.push_back({{-1, f, cut}, by_x, by_y, right});
        }
        sides[right].pop_back();
    }
}

// If two levels are left, the canonical test is on the first.
bool TreeMoves::canonical_level(const Taken& taken, std::span<const Rows> right) const {
    const Feature& feature = problem_.table.features[static_cast<std::size_t>(taken.feature)];
    if (!feature.single()) {
        return true;
    }
    const std::uint32_t first = feature.codes[right[0][0]];
    for (const Rows rows : right) {
        for (const std::uint32_t row : rows) {
            if (feature.codes[row] != first) {
                return true;
            }
        }
    }
    return taken.cut.code() < first;
}

bool TreeMoves::split_between(const Taken& test, Rows left, Rows right, Taken& out) const {
    const Feature& feature = problem_.table.features[static_cast<std::size_t>(test.feature)];
    out = {-1, test.feature, test.cut};
    if (!feature.plain()) {
        return cut_between(feature, {&left, 1}, {&right, 1}, out.cut);
    }
    if (feature.single()) {
        return canonical_level(test, {&right, 1});
    }
    out.cut = Cut::between(extremes(feature, left).second, extremes(feature, right).first);
    return true;
}

bool TreeMoves::zipped(const View& tree, std::uint32_t one, std::uint32_t two,
                       Preorder& out) const {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> stack{{one, two}};
    std::vector<Joint> joint;
    while (!stack.empty()) {
        const auto [x, y] = stack.back();
        stack.pop_back();
        if (x == kNone || y == kNone) {
            append(tree.subtree(x == kNone ? y : x), out);
            continue;
        }
        if (tree.is_leaf(x) && tree.is_leaf(y)) {
            out.push_back(kLeafTaken);
            continue;
        }
        joint.clear();
        joint_splits(tree, x, y, joint);
        if (joint.empty()) {
            return false;
        }
        const Joint& found = joint[0];
        out.push_back(found.split);
        for (const bool side : {true, false}) {
            const auto part = [&](std::uint32_t node, bool makes) {
                return makes ? tree.child(node, side) : found.other_right == side ? node : kNone;
            };
            stack.emplace_back(part(x, found.by_x), part(y, found.by_y));
        }
    }
    return true;
}

void TreeMoves::lowered(const View& tree, std::uint32_t i, bool side,
                        std::vector<Preorder>& out) const {
    const std::uint32_t x = tree.child(i, false), y = tree.child(i, true);
    const Taken& test = tree.nodes[i].taken;
    std::vector<Joint> joint;
    joint_splits(tree, x, y, joint);
    for (const Joint& upper : joint) {
        if (!(upper.by_x && upper.by_y) && upper.other_right != side) {
            continue;
        }
        const std::uint32_t a = upper.by_x ? tree.child(x, side) : x;
        const std::uint32_t b = upper.by_y ? tree.child(y, side) : y;
        Taken between;
        if (!split_between(test, tree.rows_of(a), tree.rows_of(b), between)) {
            continue;
        }
        Preorder lower{between};
        append(tree.subtree(a), lower);
        append(tree.subtree(b), lower);
        std::vector<Preorder> rest;
        if (upper.by_x && upper.by_y) {
            const std::uint32_t c = tree.child(x, !side), d = tree.child(y, !side);
            if (Preorder common; zipped(tree, c, d, common)) {
                rest.push_back(std::move(common));
            }
            if (split_between(test, tree.rows_of(c), tree.rows_of(d), between)) {
                Preorder& apart = rest.emplace_back(1, between);
                append(tree.subtree(c), apart);
                append(tree.subtree(d), apart);
            }
        } else {
            append(tree.subtree(tree.child(upper.by_x ? x : y, !side)), rest.emplace_back());
        }
        for (const Preorder& other : rest) {
            Preorder whole{upper.split};
            const Preorder &first = side ? other : lower, &second = side ? lower : other;
            whole.insert(whole.end(), first.begin(), first.end());
            whole.insert(whole.end(), second.begin(), second.end());
            if (std::ranges::none_of(out, [&](const Preorder& one) { return same(one, whole); })) {
                out.push_back(std::move(whole));
            }
        }
    }
}

}  // namespace slp::mcmc
