// Metropolis-Hastings over sequences of edits of a given tree. The process, its choice points and
// the target are those of slp.reference.mh.edits (process, target), which have the formulas.

#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "mcmc/edit_tree.hpp"
#include "mcmc/in_language.hpp"
#include "mcmc/proposals.hpp"
#include "mcmc/randomness.hpp"
#include "mcmc/tree_tests.hpp"
#include "problem/geometry.hpp"
#include "problem/problem.hpp"

namespace slp::mcmc {

// The choices of an edit, in the order in which they are made.
enum class EditChoice : std::uint8_t { stop, kind, place, split };

struct EditStep {
    EditKind kind = EditKind::grow;
    // In preorder among those of the kind.
    std::uint32_t place = 0;
    // Unused when pruning.
    Taken taken;
    // Which of its choices had an alternative, by EditChoice.
    std::array<bool, 4> points{};
    // Log of the probability to continue and to make this edit.
    double log_draw = 0.0;
};

// A sequence of edits, m of them, and the m + 1 trees from the given to the last.
struct Edits {
    std::vector<EditStep> steps;
    std::vector<EditTree> trees;
    // Whether it could have continued after the last.
    bool last_point = false;
    std::uint32_t n_points = 0;
    double log_draw = 0.0;

    const EditTree& tree() const { return trees.back(); }
};

// A sequence, and how often each proposal was used, modulo its period.
struct EditState {
    Edits edits;
    std::vector<std::uint32_t> turns;
};

// See `Ladder`.
inline double log_likelihood_of(const EditState& state) {
    return state.edits.tree().proof.all().log_likelihood;
}
inline Edits& derivation_of(EditState& state) { return state.edits; }

struct EditProcess {
    // Probability of one more edit, strictly between 0 and 1.
    double p;
    EditRules rules;
    // Edits after which it must stop, so that tests can list all sequences.
    std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
    // The given tree.
    std::vector<TreeEditor::GivenNode> given;

    double more(std::size_t n_edits) const { return n_edits < most ? p : 0.0; }
};

// Makes transitions in one thread.
class EditTransitions {
public:
    EditTransitions(const Problem& problem, const Geometry& geometry, const EditProcess& process,
                    const TreeTests& tests, bool constrained, const std::vector<Proposal>& mixture);

    // One transition towards P(x) L(x)^power; the proposal taken and its outcome.
    std::pair<std::size_t, Outcome> step(Randomness& random, double power, EditState& state);

    // Replaces a state by a sequence that is drawn independently from the prior on its support, by
    // rejection. If `tries` draws are rejected, the state does not change, and the result is false.
    bool fresh(Randomness& random, std::uint32_t tries, EditState& state);

    // A sequence in the support, from try `number` of the search for one: draws from the process;
    // the given tree, pruned step by step; longer draws, of up to 16 and then up to 128 edits, in
    // which every tree may be the last. False if this try finds none.
    static constexpr std::uint32_t kTries = 100, kEnd = 3 * kTries + 1;
    bool start(Randomness& random, std::uint32_t number, Edits& out);
    bool holds(const EditTree& tree);

    // An edit as numbers: kind, place, position of its split (-1 when pruning).
    struct Written {
        std::int32_t kind, place, split;
    };
    std::vector<Written> write(const Edits& edits);
    // The sequence with these edits; false if there is none.
    bool read(std::span<const Written> written, Edits& out);

private:
    // Where a sequence is cut: after how many edits, at which choice.
    struct EditPoint {
        std::size_t after;
        EditChoice choice;
    };

    Outcome propose(Randomness& random, double power, const Proposal& proposal,
                    std::uint32_t turn, Edits& edits);
    static EditPoint point(const Edits& edits, std::uint32_t number);
    void draw(Randomness& random, const Edits& old, const EditPoint& point);
    bool draw_edit(Randomness& random, const EditTree& tree, std::size_t n_edits,
                   const EditStep* kept, EditChoice from, bool may_stop = true);
    void weigh_place(const EditTree& tree, std::size_t n_edits, EditStep& step) const;
    void make(const EditTree& tree, const EditStep& step);
    const EditTree& last(const Edits& old, std::size_t kept) const;
    void finish(Edits& edits) const;
    bool found(const Edits& given, Edits& out);

    const EditProcess& process_;
    const TreeTests& tests_;
    bool constrained_;
    const std::vector<Proposal>& mixture_;
    std::vector<double> weights_;
    TreeEditor editor_;
    TreeTester tester_;
    InLanguage language_;
    // The last draw: the edits after the point, and the trees that they make.
    std::vector<EditStep> steps_;
    // Trees do not move in memory while more are made.
    std::deque<EditTree> trees_;
    std::size_t n_drawn_ = 0;
    std::vector<std::uint32_t> path_;
};

}  // namespace slp::mcmc
