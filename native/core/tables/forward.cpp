#include "tables/forward.hpp"

#include <span>

namespace slp::tables {

namespace {

// How far labels may sum above 1.
constexpr double kMostAbove = 1e-9;
// Inferences between two questions whether to go on.
constexpr std::uint64_t kAsk = 1 << 16;

struct AboveOne {};
struct NobodyAsks {};

}  // namespace

Drawing Forward::draw(const Query& query, std::size_t n, std::uint64_t most,
                      mcmc::SeededRandomness& random, ForwardDraws& out) {
    for (std::size_t k = 0; k < n && out.inferences < most; ++k) {
        const Drawing ended = one(query, random, out);
        out.inferences += spent();
        if (ended != Drawing::done) {
            out.clauses.resize(static_cast<std::size_t>(out.first.back()));
            return ended;
        }
        out.first.push_back(static_cast<std::int64_t>(out.clauses.size()));
    }
    return Drawing::done;
}

Drawing Forward::one(const Query& query, mcmc::SeededRandomness& random, ForwardDraws& out) {
    inferences_ = 0;
    run_.forget_work();
    out.rejected = 0;
    try {
        for (;;) {
            out.spent = spent();
            if (!go_on_()) {
                return Drawing::stopped;
            }
            ++out.tries;
            const int proofs = proofs_of_try(query, random, out);
            if (proofs > 0) {
                return proofs == 1 ? Drawing::done : Drawing::several;
            }
            ++out.rejected;
        }
    } catch (const AtLimit&) {
        return Drawing::at_limit;
    } catch (const AboveOne&) {
        return Drawing::above_one;
    } catch (const NobodyAsks&) {
        return Drawing::stopped;
    }
}

// At most two; the answer and the clauses of one are added.
int Forward::proofs_of_try(const Query& query, mcmc::SeededRandomness& random, ForwardDraws& out) {
    const auto first = static_cast<std::size_t>(out.first.back());
    out.clauses.resize(first);
    run_.reset(static_cast<std::size_t>(query.variables));
    behind_.clear();
    choices_.clear();
    goals_ = {query.goals, 0};
    next_ = kNone;
    int proofs = 0;
    for (bool going = true; going;) {
        while (terms_.functor(goals_.term) == functors_.none && next_ != kNone) {
            const Behind& behind = behind_[static_cast<std::size_t>(next_)];
            goals_ = behind.goals;
            next_ = behind.next;
        }
        if (terms_.functor(goals_.term) != functors_.none) {
            going = step(random, out) || retry(out);
            continue;
        }
        if (++proofs == 2) {
            out.answers.pop_back();
            return proofs;
        }
        out.answers.push_back(run_.resolved({query.answer, 0}));
        if (choices_.empty()) {
            return proofs;
        }
        kept_.assign(out.clauses.begin() + static_cast<std::ptrdiff_t>(first), out.clauses.end());
        going = retry(out);
    }
    if (proofs == 1) {
        out.clauses.resize(first);
        out.clauses.insert(out.clauses.end(), kept_.begin(), kept_.end());
    }
    return proofs;
}

// Proves the first goal; whether it can be.
bool Forward::step(mcmc::SeededRandomness& random, ForwardDraws& out) {
    spend();
    const std::span<const TermId> parts = terms_.args(goals_.term);
    const BoundTerm goal = run_.dereferenced({parts[0], goals_.base});
    const BoundTerm rest{parts[1], goals_.base};
    const std::int32_t functor = terms_.functor(goal.term);
    const auto called = predicates_.find(functor);
    if (called != predicates_.end()) {
        if (terms_.functor(rest.term) != functors_.none) {
            behind_.push_back({rest, next_});
            next_ = static_cast<std::int32_t>(behind_.size()) - 1;
        }
        const Predicate& predicate = called->second;
        if (!predicate.stochastic) {
            return resolve(predicate, goal, 0, out);
        }
        return choose(predicate, goal, random, out);
    }
    if (functor == functors_.no) {
        return false;
    }
    if (functor == functors_.equal) {
        const std::span<const TermId> sides = terms_.args(goal.term);
        if (!run_.unify({sides[0], goal.base}, {sides[1], goal.base})) {
            return false;
        }
    }
    goals_ = rest;
    return true;
}

bool Forward::choose(const Predicate& predicate, BoundTerm goal, mcmc::SeededRandomness& random,
                     ForwardDraws& out) {
    options_.clear();
    double sum = 0.0;
    const Bindings::Mark mark = run_.mark();
    for (const Clause& clause : predicate.clauses) {
        spend();
        if (clause.label > 0 && may_match(goal, clause)) {
            if (entered(clause, goal) != kNone) {
                options_.push_back(&clause);
                sum += clause.label;
            }
            run_.undo(mark);
        }
    }
    if (sum > 1 + kMostAbove) {
        out.functor = terms_.functor(goal.term);
        out.sum = sum;
        throw AboveOne{};
    }
    double at = random.uniform();
    for (const Clause* const clause : options_) {
        at -= clause->label;
        if (at < 0) {
            const std::int32_t base = entered(*clause, goal);
            out.clauses.push_back(clause->number);
            goals_ = {clause->goals, base};
            return true;
        }
    }
    return false;
}

// Goes on with the first clause from a number on that matches a logical goal.
bool Forward::resolve(const Predicate& predicate, BoundTerm goal, std::size_t from,
                      ForwardDraws& out) {
    std::size_t k = candidate(predicate, goal, from);
    while (k < predicate.clauses.size()) {
        const std::size_t next = candidate(predicate, goal, k + 1);
        const Bindings::Mark mark = run_.mark();
        const std::int32_t base = entered(predicate.clauses[k], goal);
        if (base != kNone) {
            if (next < predicate.clauses.size()) {
                choices_.push_back(
                    {mark, out.clauses.size(), behind_.size(), next, goal, &predicate, next_});
            }
            goals_ = {predicate.clauses[k].goals, base};
            return true;
        }
        run_.undo(mark);
        k = next;
    }
    return false;
}

// Goes back to the last logical goal with a clause left that matches.
bool Forward::retry(ForwardDraws& out) {
    while (!choices_.empty()) {
        const OtherClauses choice = choices_.back();
        choices_.pop_back();
        run_.undo(choice.mark);
        out.clauses.resize(choice.used);
        behind_.resize(choice.behind);
        next_ = choice.next;
        if (resolve(*choice.predicate, choice.goal, choice.clause, out)) {
            return true;
        }
    }
    return false;
}

// Makes a clause's head equal to a goal: the number of its first variable; kNone where it cannot
// be, and bindings may be left.
std::int32_t Forward::entered(const Clause& clause, BoundTerm goal) {
    const std::int32_t base = run_.extend(clause.variables);
    return run_.unify(goal, {clause.head, base}, base) ? base : kNone;
}

// The number of the first clause from a number on that may match.
std::size_t Forward::candidate(const Predicate& predicate, BoundTerm goal, std::size_t from) {
    while (from < predicate.clauses.size()) {
        spend();
        if (may_match(goal, predicate.clauses[from])) {
            break;
        }
        ++from;
    }
    return from;
}

// Whether no argument has another functor than the head's: a quick test before the clause is tried.
bool Forward::may_match(BoundTerm goal, const Clause& clause) const {
    const std::span<const TermId> own = terms_.args(goal.term), heads = terms_.args(clause.head);
    for (std::size_t k = 0; k < heads.size(); ++k) {
        if (!is_variable(heads[k])) {
            const TermId given = run_.dereferenced({own[k], goal.base}).term;
            if (!is_variable(given) && terms_.functor(given) != terms_.functor(heads[k])) {
                return false;
            }
        }
    }
    return true;
}

void Forward::spend() {
    ++inferences_;
    if (spent() > limit_) {
        throw AtLimit{};
    }
    if (inferences_ % kAsk == 0 && !go_on_()) {
        throw NobodyAsks{};
    }
}

}  // namespace slp::tables
