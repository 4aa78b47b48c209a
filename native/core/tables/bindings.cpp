#include "tables/bindings.hpp"

#include <algorithm>
#include <span>

namespace slp::tables {

namespace {

constexpr std::int32_t kUnbound = -1;

}  // namespace

void Bindings::visit() {
    if (++work_ / 32 > limit_) {
        throw AtLimit{};
    }
}

TermId Bindings::resolved(BoundTerm cell) {
    numbered_ = 0;
    numbers_.assign(cells_.size(), kUnbound);
    return written(cell);
}

void Bindings::reset(std::size_t variables) {
    trail_.clear();
    cells_.assign(variables, {variable(0), kUnbound});
}

std::int32_t Bindings::extend(std::int32_t variables) {
    const std::size_t first = cells_.size();
    cells_.resize(first + static_cast<std::size_t>(variables), {variable(0), kUnbound});
    return static_cast<std::int32_t>(first);
}

void Bindings::undo(Mark mark) {
    while (trail_.size() > mark.bound) {
        cells_[static_cast<std::size_t>(trail_.back())].base = kUnbound;
        trail_.pop_back();
    }
    cells_.resize(mark.variables);
}

std::int32_t Bindings::variables_of(TermId term) const {
    std::int32_t out = 0;
    if (is_variable(term) || terms_.is_ground(term)) {
        return is_variable(term) ? -term : 0;
    }
    std::vector<TermId> todo{term};
    while (!todo.empty()) {
        const TermId part = todo.back();
        todo.pop_back();
        if (is_variable(part)) {
            out = std::max(out, -part);
        } else if (!terms_.is_ground(part)) {
            const std::span<const TermId> args = terms_.args(part);
            todo.insert(todo.end(), args.begin(), args.end());
        }
    }
    return out;
}

BoundTerm Bindings::dereferenced(BoundTerm cell) const {
    while (is_variable(cell.term)) {
        const BoundTerm& bound = cells_[static_cast<std::size_t>(cell.base - 1 - cell.term)];
        if (bound.base == kUnbound) {
            break;
        }
        cell = bound;
    }
    return cell;
}

bool Bindings::unify(BoundTerm left, BoundTerm right, std::int32_t fresh) {
    bool apart = true;  // no older variable holds a fresh one
    todo_.assign(1, {left, right});
    while (!todo_.empty()) {
        auto [a, b] = todo_.back();
        todo_.pop_back();
        visit();
        a = dereferenced(a);
        b = dereferenced(b);
        if (is_variable(b.term)) {
            std::swap(a, b);
        }
        if (is_variable(a.term)) {
            const std::int32_t own = a.base - 1 - a.term;
            if (is_variable(b.term) && b.base - 1 - b.term == own) {
                continue;
            }
            if (!is_variable(b.term) && !(own >= fresh && b.base < fresh && apart) &&
                occurs(own, b)) {
                return false;
            }
            apart = apart && (own >= fresh || b.base < fresh || terms_.is_ground(b.term));
            cells_[static_cast<std::size_t>(own)] = b;
            trail_.push_back(own);
            continue;
        }
        if (a.term == b.term && (a.base == b.base || terms_.is_ground(a.term))) {
            continue;
        }
        if ((terms_.is_ground(a.term) && terms_.is_ground(b.term)) ||
            terms_.functor(a.term) != terms_.functor(b.term)) {
            return false;
        }
        const std::span<const TermId> mine = terms_.args(a.term), theirs = terms_.args(b.term);
        for (std::size_t k = mine.size(); k-- > 0;) {
            todo_.push_back({{mine[k], a.base}, {theirs[k], b.base}});
        }
    }
    return true;
}

bool Bindings::occurs(std::int32_t own, BoundTerm in) {
    if (terms_.is_ground(in.term)) {
        return false;
    }
    std::vector<BoundTerm> todo{in};
    while (!todo.empty()) {
        const BoundTerm cell = dereferenced(todo.back());
        todo.pop_back();
        visit();
        if (is_variable(cell.term)) {
            if (cell.base - 1 - cell.term == own) {
                return true;
            }
        } else if (!terms_.is_ground(cell.term)) {
            for (const TermId arg : terms_.args(cell.term)) {
                todo.push_back({arg, cell.base});
            }
        }
    }
    return false;
}

TermId Bindings::written(BoundTerm cell) {
    parts_.clear();
    done_.clear();
    begin(cell);
    while (!parts_.empty()) {
        Unwritten& part = parts_.back();
        const std::span<const TermId> args = terms_.args(part.term);
        if (part.next < args.size()) {
            begin({args[part.next++], part.base});
            continue;
        }
        const std::size_t n = args.size();
        const TermId term = terms_.of(terms_.functor(part.term), std::span(done_).last(n));
        parts_.pop_back();
        done_.resize(done_.size() - n);
        done_.push_back(term);
    }
    return done_.back();
}

// Writes a term that has no parts to write, or notes that it is to be written.
void Bindings::begin(BoundTerm cell) {
    cell = dereferenced(cell);
    visit();
    if (is_variable(cell.term)) {
        std::int32_t& number = numbers_[static_cast<std::size_t>(cell.base - 1 - cell.term)];
        if (number == kUnbound) {
            number = numbered_++;
        }
        done_.push_back(variable(number));
    } else if (terms_.is_ground(cell.term)) {
        done_.push_back(cell.term);
    } else {
        parts_.push_back({cell.term, cell.base, 0});
    }
}

}  // namespace slp::tables
