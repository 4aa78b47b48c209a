#include "tables/bindings.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace slp::tables {

namespace {

constexpr int kDeepest = 10'000;
constexpr std::int32_t kUnbound = -1;

}  // namespace

void Bindings::visit() {
    if (++work_ / 32 > limit_) {
        throw AtLimit{};
    }
}

TermId Bindings::resolved(BoundTerm cell) {
    numbered_ = 0;
    std::fill(numbers_.begin(), numbers_.end(), kUnbound);
    return written(cell, 0);
}

void Bindings::reset(std::size_t variables) {
    cells_.assign(variables, {variable(0), kUnbound});
    numbers_.assign(variables, kUnbound);
}

std::int32_t Bindings::variables_of(TermId term) const {
    if (is_variable(term)) {
        return -term;
    }
    std::int32_t out = 0;
    if (!terms_.is_ground(term)) {
        for (const TermId arg : terms_.args(term)) {
            out = std::max(out, variables_of(arg));
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

bool Bindings::unify(BoundTerm left, BoundTerm right) {
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
            if (!is_variable(b.term) && occurs(own, b)) {
                return false;
            }
            cells_[static_cast<std::size_t>(own)] = b;
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

TermId Bindings::written(BoundTerm cell, int depth) {
    cell = dereferenced(cell);
    visit();
    if (is_variable(cell.term)) {
        std::int32_t& number = numbers_[static_cast<std::size_t>(cell.base - 1 - cell.term)];
        if (number == kUnbound) {
            number = numbered_++;
        }
        return variable(number);
    }
    if (terms_.is_ground(cell.term)) {
        return cell.term;
    }
    if (depth > kDeepest) {
        throw Unsuited{};
    }
    const std::size_t n = terms_.args(cell.term).size();
    std::array<TermId, 8> few;
    std::vector<TermId> many(n > few.size() ? n : 0);
    TermId* const args = many.empty() ? few.data() : many.data();
    for (std::size_t k = 0; k < n; ++k) {
        args[k] = written({terms_.args(cell.term)[k], cell.base}, depth + 1);
    }
    return terms_.of(terms_.functor(cell.term), {args, n});
}

}  // namespace slp::tables
