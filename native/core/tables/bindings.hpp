// The bindings of a run: terms whose variables stand for others, and how two become equal.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "tables/terms.hpp"

namespace slp::tables {

// A term whose variable n is number base + n of the run.
struct BoundTerm {
    TermId term;
    std::int32_t base;
};

// Thrown at what the machine does instead.
struct Unsuited {};
// Thrown where more parts of terms were visited than the limit of inferences allows.
struct AtLimit {};

class Bindings {
public:
    Bindings(Terms& terms, std::uint64_t limit) : terms_(terms), limit_(limit) {}

    // Forgets all bindings, and makes room for so many variables.
    void reset(std::size_t variables);
    // Makes room for so many more variables; the number of the first.
    std::int32_t extend(std::int32_t variables);
    // A place to return to, and the return.
    struct Mark {
        std::size_t bound, variables;
    };
    Mark mark() const { return {trail_.size(), cells_.size()}; }
    void undo(Mark mark);
    // The term that a variable stands for; the variable itself where it is unbound.
    BoundTerm dereferenced(BoundTerm cell) const;
    // Whether two terms can be made equal; on false, bindings may be left. With occurs check, which
    // variables from `fresh` on need only once one of them is part of an older one.
    bool unify(BoundTerm left, BoundTerm right,
               std::int32_t fresh = std::numeric_limits<std::int32_t>::max());
    // The term with its unbound variables numbered from 0 as they come; `resolved_too` continues
    // the numbers of the term before.
    TermId resolved(BoundTerm cell);
    TermId resolved_too(BoundTerm cell) { return written(cell); }
    // The variables that are numbered.
    std::int32_t numbered() const { return numbered_; }
    // Those of a term that was resolved.
    std::int32_t variables_of(TermId term) const;
    // What the parts of terms that were visited count as.
    std::uint64_t inferences() const { return work_ / 32; }
    void forget_work() { work_ = 0; }

private:
    bool occurs(std::int32_t own, BoundTerm in);
    TermId written(BoundTerm cell);
    void begin(BoundTerm cell);
    void visit();

    Terms& terms_;
    std::uint64_t limit_, work_ = 0;
    std::vector<BoundTerm> cells_;            // a base of -1: unbound
    std::vector<std::int32_t> numbers_;  // of unbound variables, -1 without
    std::int32_t numbered_ = 0;
    std::vector<std::int32_t> trail_;  // of variables that are bound
    std::vector<std::pair<BoundTerm, BoundTerm>> todo_;
    // A term that is being written, and its next argument; what is written and has no place yet.
    struct Unwritten {
        TermId term;
        std::int32_t base;
        std::size_t next;
    };
    std::vector<Unwritten> parts_;
    std::vector<TermId> done_;
};

}  // namespace slp::tables
