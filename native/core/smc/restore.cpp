// An island from what was written down of it.

#include <utility>

#include "smc/filter.hpp"

namespace slp::smc {

bool Filter::restore(std::vector<Event> events, std::span<const std::uint32_t> last,
                     std::span<const double> log_weights, Island& out) {
    const std::uint32_t n = static_cast<std::uint32_t>(events.size());
    out = start();
    enter(out);
    // How often a tree is still needed: by events that come after it, and by particles.
    std::vector<std::uint32_t> uses(n + 1, 0);  // at n: the tree before all events
    const auto place = [n](std::uint32_t event) { return event == kNone ? n : event; };
    for (std::uint32_t e = 0; e < n; ++e) {
        if (place(events[e].before) < n && events[e].before >= e) {
            return false;
        }
        ++uses[place(events[e].before)];
    }
    for (const std::uint32_t e : last) {
        if (place(e) > n) {
            return false;
        }
        ++uses[place(e)];
    }
    std::vector<std::shared_ptr<Tree>> trees(n + 1);
    trees[n] = out.particles[0].tree;
    mcmc::Choice choice;
    for (std::uint32_t e = 0; e < n; ++e) {
        const std::uint32_t before = place(events[e].before);
        out.particles.assign(1, Particle{0.0, events[e].before, trees[before]});
        if (--uses[before] == 0) {
            trees[before].reset();
        }
        Particle& particle = out.particles[0];
        goals_.clear();
        groups_.clear();
        group_of_.clear();
        if (particle.tree->open.empty()) {
            return false;
        }
        open(out, 0);
        Group& group = groups_[0];
        ParticleGoal& goal = goals_[0];
        const SharedBox::Rows rows = list_rows(out, group.box);
        if (goal.goal != events[e].goal ||
            !process_.find(*rows, group.state, events[e].taken, choice)) {
            return false;
        }
        goal.taken = events[e].taken;
        if (goal.taken.feature >= 0) {
            goal.taken.cut = choice.taken.cut;  // as the box writes it
        }
        goal.left_state = choice.left_state;
        goal.right_state = choice.right_state;
        goal.left_box = group.box;
        if (goal.taken.feature >= 0) {
            find_boxes(out, group, goal);
        }
        Tally ignored{};
        apply(out, goal, ignored);  // appends an event, which has the number e
        if (uses[e] > 0) {
            trees[e] = particle.tree;
        }
    }
    out.particles.clear();
    for (std::size_t i = 0; i < last.size(); ++i) {
        out.particles.push_back({log_weights[i], last[i], trees[place(last[i])]});
        if (out.particles.back().failed()) {
            fail(out.particles.back());
        }
    }
    out.forget_boxes();
    return true;
}

}  // namespace slp::smc
