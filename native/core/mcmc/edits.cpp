#include "mcmc/edits.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace slp::mcmc {

namespace {

std::size_t n_kinds(const EditTree& tree) {
    return static_cast<std::size_t>(std::count_if(tree.places().begin(), tree.places().end(),
                                                  [](std::uint32_t n) { return n > 0; }));
}

}  // namespace

EditTransitions::EditTransitions(const Problem& problem, const Geometry& geometry,
                                 const EditProcess& process, const TreeTests& tests,
                                 bool constrained, const std::vector<Proposal>& mixture)
    : process_(process),
      tests_(tests),
      constrained_(constrained),
      mixture_(mixture),
      weights_(weights_at(mixture, 1.0)),
      editor_(problem, geometry, process.rules),
      tester_(tests, problem),
      language_(problem, geometry) {}

// --- proposals --------------------------------------------------------------------------------

std::pair<std::size_t, Outcome> EditTransitions::step(Randomness& random, double power,
                                                      EditState& state) {
    return mixture_step(random, mixture_, weights_, state.turns,
                        [&](const Proposal& proposal, std::uint32_t turn) {
                            return propose(random, power, proposal, turn, state.edits);
                        });
}

// The weight of a sequence is the probability that the process draws it, so both cancel in the
// acceptance ratio. If a choice point was chosen uniformly, the ratio of their numbers remains.
Outcome EditTransitions::propose(Randomness& random, double power, const Proposal& proposal,
                                 std::uint32_t turn, Edits& edits) {
    if (turn >= edits.n_points) {
        return Outcome::stayed;
    }
    const bool uniformly = proposal.kind == ProposalKind::cut_uniformly;
    const auto number =
        uniformly ? static_cast<std::uint32_t>(random.index(edits.n_points)) : turn;
    const EditPoint at = point(edits, number);
    draw(random, edits, at);
    const EditTree& tree = last(edits, at.after);
    if (!holds(tree)) {
        return Outcome::failed;
    }
    std::uint32_t n_points = 0;
    for (std::size_t i = 0; i < at.after + n_drawn_; ++i) {
        const EditStep& made = i < at.after ? edits.steps[i] : steps_[i - at.after];
        n_points +=
            static_cast<std::uint32_t>(std::count(made.points.begin(), made.points.end(), true));
    }
    const double more = process_.more(at.after + n_drawn_);
    n_points += more > 0 && n_kinds(tree) > 0;
    double log_ratio = tempered(
        power, tree.proof.all().log_likelihood - edits.tree().proof.all().log_likelihood);
    if (uniformly) {
        log_ratio += std::log(static_cast<double>(edits.n_points) / n_points);
    }
    if (!accepts(random, log_ratio)) {
        return Outcome::rejected;
    }
    edits.steps.resize(at.after);
    edits.steps.insert(edits.steps.end(), steps_.begin(),
                       steps_.begin() + static_cast<std::ptrdiff_t>(n_drawn_));
    edits.trees.resize(at.after + 1 + n_drawn_);
    for (std::size_t i = 0; i < n_drawn_; ++i) {
        std::swap(edits.trees[at.after + 1 + i], trees_[i]);
    }
    finish(edits);
    return Outcome::accepted;
}

// The choice point of a number, in the order of the sequence.
EditTransitions::EditPoint EditTransitions::point(const Edits& edits, std::uint32_t number) {
    for (std::size_t i = 0; i < edits.steps.size(); ++i) {
        for (std::size_t choice = 0; choice < 4; ++choice) {
            if (edits.steps[i].points[choice] && number-- == 0) {
                return {i, static_cast<EditChoice>(choice)};
            }
        }
    }
    return {edits.steps.size(), EditChoice::stop};
}

bool EditTransitions::holds(const EditTree& tree) {
    const Proof& proof = tree.proof;
    const bool few = tests_.max_leaves == 0 || proof.all().n_leaves <= tests_.max_leaves;
    return few && (!tests_.need_tree() || tester_.holds(proof)) &&
           (!constrained_ || language_.holds(proof));
}

// --- the process ------------------------------------------------------------------------------

// Draws all choices after a point into `steps_` and `trees_`.
void EditTransitions::draw(Randomness& random, const Edits& old, const EditPoint& at) {
    n_drawn_ = 0;
    const EditStep* kept = at.choice == EditChoice::stop ? nullptr : &old.steps[at.after];
    while (draw_edit(random, last(old, at.after), at.after + n_drawn_,
                     std::exchange(kept, nullptr), at.choice)) {
    }
}

// The last tree of the draw.
const EditTree& EditTransitions::last(const Edits& old, std::size_t kept) const {
    return n_drawn_ > 0 ? trees_[n_drawn_ - 1] : old.trees[kept];
}

// Draws one more edit; false if the sequence stops. Without `may_stop` it stops only where no edit
// applies. The choices of `kept` before `from` are not drawn again.
bool EditTransitions::draw_edit(Randomness& random, const EditTree& tree, std::size_t n_edits,
                                const EditStep* kept, EditChoice from, bool may_stop) {
    const Places& places = tree.places();
    const std::size_t kinds = n_kinds(tree);
    const double more = process_.more(n_edits);
    if (kinds == 0 || more == 0.0 || (kept == nullptr && may_stop && !random.happens(more))) {
        return false;
    }
    EditStep step;
    if (kept == nullptr || from <= EditChoice::kind) {
        std::size_t left = random.index(kinds), k = 0;
        while (places[k] == 0 || left-- > 0) {
            ++k;
        }
        step.kind = static_cast<EditKind>(k);
    } else {
        step.kind = kept->kind;
    }
    step.place = kept == nullptr || from <= EditChoice::place
                     ? static_cast<std::uint32_t>(
                           random.index(places[static_cast<std::size_t>(step.kind)]))
                     : kept->place;
    path_to_place(tree, step.kind, step.place, path_);
    weigh_place(tree, n_edits, step);
    if (step.kind != EditKind::prune) {
        EditOptions& options = editor_.options();
        options.enter(tree, path_.back());
        const EditOptions::DrawnSplit choice = options.draw(random);
        step.taken = choice.taken;
        step.points[3] = choice.alternatives;
        step.log_draw += choice.log_probability;
    }
    make(tree, step);
    return true;
}

// The choices before the split: which of them had an alternative, and their probability.
void EditTransitions::weigh_place(const EditTree& tree, std::size_t n_edits, EditStep& step) const {
    const std::uint32_t n_places = tree.places()[static_cast<std::size_t>(step.kind)];
    const auto kinds = static_cast<double>(n_kinds(tree));
    const double more = process_.more(n_edits);
    step.points = {more < 1.0, kinds > 1, n_places > 1, false};
    step.log_draw = std::log(more / (kinds * n_places));
}

// Makes the edit at the end of `path_`, and appends it to the drawn edits.
void EditTransitions::make(const EditTree& tree, const EditStep& step) {
    if (trees_.size() <= n_drawn_) {
        trees_.emplace_back();
        steps_.resize(n_drawn_ + 1);
    }
    editor_.edit(tree, step.kind, path_, step.taken, trees_[n_drawn_]);
    steps_[n_drawn_++] = step;
}

// Quantities of a sequence as a whole.
void EditTransitions::finish(Edits& edits) const {
    edits.n_points = 0;
    edits.log_draw = 0.0;
    for (const EditStep& step : edits.steps) {
        edits.log_draw += step.log_draw;
        edits.n_points +=
            static_cast<std::uint32_t>(std::count(step.points.begin(), step.points.end(), true));
    }
    const double more = process_.more(edits.steps.size());
    edits.last_point = more > 0 && n_kinds(edits.tree()) > 0;
    edits.n_points += edits.last_point;
    edits.log_draw += edits.last_point ? std::log1p(-more) : 0.0;
}

// --- starts -------------------------------------------------------------------------------------

bool EditTransitions::start(Randomness& random, std::uint32_t number, Edits& out) {
    Edits given;
    read({}, given);
    n_drawn_ = 0;
    if (number < kTries) {
        draw(random, given, {0, EditChoice::stop});
        return found(given, out);
    }
    if (number == kTries) {
        while (!found(given, out)) {
            const EditTree& tree = last(given, 0);
            EditStep step;
            step.kind = EditKind::prune;
            if (tree.places()[static_cast<std::size_t>(step.kind)] == 0 ||
                process_.more(n_drawn_) == 0.0) {
                return false;
            }
            path_to_place(tree, step.kind, 0, path_);
            weigh_place(tree, n_drawn_, step);
            make(tree, step);
        }
        return true;
    }
    const std::size_t most = number <= 2 * kTries ? 16 : 128;
    while (n_drawn_ < most &&
           draw_edit(random, last(given, 0), n_drawn_, nullptr, EditChoice::stop, false)) {
        if (found(given, out)) {
            return true;
        }
    }
    return false;
}

bool EditTransitions::fresh(Randomness& random, std::uint32_t tries, EditState& state) {
    Edits given;
    read({}, given);
    for (std::uint32_t i = 0; i < tries; ++i) {
        n_drawn_ = 0;
        draw(random, given, {0, EditChoice::stop});
        if (found(given, state.edits)) {
            return true;
        }
    }
    return false;
}

// The drawn sequence, if its last tree is in the support.
bool EditTransitions::found(const Edits& given, Edits& out) {
    if (!holds(last(given, 0))) {
        return false;
    }
    out = given;
    out.steps.assign(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(n_drawn_));
    out.trees.insert(out.trees.end(), trees_.begin(),
                     trees_.begin() + static_cast<std::ptrdiff_t>(n_drawn_));
    finish(out);
    return true;
}

// --- sequences as numbers ---------------------------------------------------------------------

std::vector<EditTransitions::Written> EditTransitions::write(const Edits& edits) {
    std::vector<Written> out;
    for (std::size_t i = 0; i < edits.steps.size(); ++i) {
        const EditStep& step = edits.steps[i];
        std::int32_t split = -1;
        if (step.kind != EditKind::prune) {
            path_to_place(edits.trees[i], step.kind, step.place, path_);
            editor_.options().enter(edits.trees[i], path_.back());
            split = static_cast<std::int32_t>(editor_.options().position(step.taken));
        }
        out.push_back(
            {static_cast<std::int32_t>(step.kind), static_cast<std::int32_t>(step.place), split});
    }
    return out;
}

bool EditTransitions::read(std::span<const Written> written, Edits& out) {
    out = {};
    out.trees.emplace_back();
    editor_.make(process_.given, out.trees[0]);
    for (const Written& edit : written) {
        const EditTree& tree = out.tree();
        const auto kind = static_cast<std::size_t>(edit.kind);
        if (kind >= kEditKinds || edit.place < 0 ||
            static_cast<std::uint32_t>(edit.place) >= tree.places()[kind]) {
            return false;
        }
        EditStep step;
        step.kind = static_cast<EditKind>(kind);
        step.place = static_cast<std::uint32_t>(edit.place);
        path_to_place(tree, step.kind, step.place, path_);
        weigh_place(tree, out.steps.size(), step);
        if (step.kind != EditKind::prune) {
            EditOptions::DrawnSplit choice;
            editor_.options().enter(tree, path_.back());
            if (!editor_.options().at(static_cast<std::uint32_t>(edit.split), choice)) {
                return false;
            }
            step.taken = choice.taken;
            step.points[3] = choice.alternatives;
            step.log_draw += choice.log_probability;
        }
        EditTree next;
        editor_.edit(tree, step.kind, path_, step.taken, next);
        out.trees.push_back(std::move(next));
        out.steps.push_back(step);
    }
    finish(out);
    return true;
}

}  // namespace slp::mcmc
