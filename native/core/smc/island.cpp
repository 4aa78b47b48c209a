#include "smc/island.hpp"

#include <algorithm>

namespace slp::smc {

bool Island::done() const {
    return std::all_of(particles.begin(), particles.end(),
                       [](const Particle& p) { return p.tree->open.empty(); });
}

std::size_t Island::bytes() const {
    std::size_t out = events.capacity() * sizeof(Event) + boxes.capacity() * sizeof(SharedBox);
    for (const SharedBox& box : boxes) {
        out += box.rows ? box.rows->size() * sizeof(std::uint32_t) : 0;
    }
    for (const Particle& particle : particles) {
        const auto sharing = static_cast<std::size_t>(particle.tree.use_count());
        out += sizeof(Particle) +
               (sizeof(Tree) + particle.tree->open.capacity() * sizeof(OpenGoal)) / sharing;
    }
    return out;
}

void Island::forget_events() {
    std::vector<std::uint32_t> place(events.size(), kNone);
    for (const Particle& particle : particles) {
        for (std::uint32_t e = particle.last; e != kNone && place[e] == kNone;
             e = events[e].before) {
            place[e] = 0;
        }
    }
    std::vector<Event> kept;
    for (std::size_t e = 0; e < events.size(); ++e) {
        if (place[e] != kNone) {
            place[e] = static_cast<std::uint32_t>(kept.size());
            kept.push_back(events[e]);
            std::uint32_t& before = kept.back().before;
            before = before == kNone ? kNone : place[before];
        }
    }
    for (Particle& particle : particles) {
        particle.last = particle.last == kNone ? kNone : place[particle.last];
    }
    events = std::move(kept);
    events_in_use = events.size();
}

void Island::forget_boxes() {
    std::vector<bool> needed(boxes.size(), false);
    const Tree* before = nullptr;
    for (const Particle& particle : particles) {
        if (particle.tree.get() == before) {
            continue;
        }
        before = particle.tree.get();
        for (const OpenGoal& goal : before->open) {
            needed[goal.box] = true;
            if (!boxes[goal.box].rows) {
                needed[boxes[goal.box].parent] = true;
            }
        }
    }
    unused.clear();
    for (std::uint32_t b = 0; b < boxes.size(); ++b) {
        if (!needed[b]) {
            boxes[b] = SharedBox{};
            boxes[b].in_use = false;
            unused.push_back(b);
        }
    }
    boxes_in_use = boxes.size() - unused.size();
}

std::vector<mcmc::Taken> Island::choices(const Particle& particle) const {
    std::vector<const Event*> made;
    for (std::uint32_t e = particle.last; e != kNone; e = events[e].before) {
        made.push_back(&events[e]);
    }
    // By goal: the choice there, and the number of the first goal that it led to.
    std::vector<const Event*> of_goal(made.size());
    std::vector<std::uint32_t> first(made.size());
    std::uint32_t next = 1;
    for (auto at = made.rbegin(); at != made.rend(); ++at) {
        of_goal[(*at)->goal] = *at;
        first[(*at)->goal] = next;
        next += n_parts((*at)->taken);
    }
    std::vector<mcmc::Taken> out;
    std::vector<std::uint32_t> stack{0};
    while (!stack.empty()) {
        const std::uint32_t goal = stack.back();
        stack.pop_back();
        out.push_back(of_goal[goal]->taken);
        for (std::uint32_t i = n_parts(out.back()); i-- > 0;) {
            stack.push_back(first[goal] + i);
        }
    }
    return out;
}

}  // namespace slp::smc
