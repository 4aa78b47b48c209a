// Draws of proofs by the program itself, for programs whose bodies are tabled goals, `=`, `true`
// and `fail`. As slp/resolution/proofs/draws.py by rejection: each stochastic goal draws one of the
// clauses that match, and a try that fails is thrown away.

#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "mcmc/randomness.hpp"
#include "tables/bindings.hpp"
#include "tables/build.hpp"
#include "tables/elimination.hpp"
#include "tables/terms.hpp"

namespace slp::tables {

// Why no more was drawn: all is; a draw needs more inferences than the limit; it has several
// proofs; the labels that match at a goal sum to more than 1; nobody wants more.
enum class Drawing : std::uint8_t { done, at_limit, several, above_one, stopped };

// Draws one after the other: their answers, and the numbers of the labelled clauses used, of draw i
// from first[i] to first[i + 1].
struct ForwardDraws {
    std::vector<TermId> answers;
    std::vector<std::int64_t> first{0};
    std::vector<std::int32_t> clauses;
    std::uint64_t tries = 0, inferences = 0;
    // Of the draw that is not whole: tries that failed, and the inferences of these.
    std::uint64_t rejected = 0, spent = 0;
    std::int32_t functor = kNone;  // of the goal whose labels sum to more than 1
    double sum = 0.0;
};

class Forward {
public:
    // `limit`: of the inferences of one draw, all its tries together.
    Forward(Terms& terms, const std::unordered_map<std::int32_t, Predicate>& predicates,
            Functors functors, std::uint64_t limit, const GoOn& go_on)
        : terms_(terms), predicates_(predicates), functors_(functors), limit_(limit),
          go_on_(go_on), run_(terms, limit) {}

    // Adds up to n draws. Draws end before that once they took `most` inferences together.
    Drawing draw(const Query& query, std::size_t n, std::uint64_t most,
                 mcmc::SeededRandomness& random, ForwardDraws& out);

private:
    // Goals behind a body: a list, and the number of the goals behind that.
    struct Behind {
        BoundTerm goals;
        std::int32_t next;
    };
    // Clauses from a number on for a logical goal, with what was before the one tried first.
    struct OtherClauses {
        Bindings::Mark mark;
        std::size_t used, behind, clause;
        BoundTerm goal;
        const Predicate* predicate;
        std::int32_t next;
    };

    Drawing one(const Query& query, mcmc::SeededRandomness& random, ForwardDraws& out);
    int proofs_of_try(const Query& query, mcmc::SeededRandomness& random, ForwardDraws& out);
    bool step(mcmc::SeededRandomness& random, ForwardDraws& out);
    bool choose(const Predicate& predicate, BoundTerm goal, mcmc::SeededRandomness& random,
                ForwardDraws& out);
    bool resolve(const Predicate& predicate, BoundTerm goal, std::size_t from, ForwardDraws& out);
    bool retry(ForwardDraws& out);
    std::int32_t entered(const Clause& clause, BoundTerm goal);
    std::size_t candidate(const Predicate& predicate, BoundTerm goal, std::size_t from);
    bool may_match(BoundTerm goal, const Clause& clause) const;
    void spend();
    std::uint64_t spent() const { return inferences_ + run_.inferences(); }

    Terms& terms_;
    const std::unordered_map<std::int32_t, Predicate>& predicates_;
    Functors functors_;
    std::uint64_t limit_, inferences_ = 0;
    const GoOn& go_on_;
    Bindings run_;
    BoundTerm goals_{0, 0};  // to prove, before those of number next_
    std::int32_t next_ = kNone;
    std::vector<Behind> behind_;
    std::vector<OtherClauses> choices_;
    std::vector<const Clause*> options_;
    std::vector<std::int32_t> kept_;  // the clauses of the first proof of a try
};

}  // namespace slp::tables
