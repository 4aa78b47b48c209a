// From a query to the hypergraph of its proofs, by tabling variants of calls, for programs whose
// bodies are tabled goals, `=`, `true` and `fail`. As slp/resolution/tables/build.py, which has the
// meaning and builds what this cannot.
//
// Between two tabled goals nothing branches: a run is unifications, and its result one term that is
// looked up.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tables/bindings.hpp"
#include "tables/elimination.hpp"
#include "tables/graph.hpp"
#include "tables/mass.hpp"
#include "tables/terms.hpp"

namespace slp::tables {

// A clause; its variables are numbered from 0. `goals` is a list by the functor of lists of goals.
struct Clause {
    TermId head, goals;
    std::int32_t variables, number;  // number: kNone without a label
    double label;
};

struct Predicate {
    std::vector<Clause> clauses;
    bool stochastic = false;
};

// What functors mean that are no predicates.
struct Functors {
    std::int32_t none, more, answer, equal, yes, no;  // none, more: of lists of goals
};

struct Query {
    TermId goals, answer;
    std::int32_t variables;
};

enum class Ended : std::uint8_t { done, at_limit, stopped, unsuited };

struct Variable {
    VariableKind kind;
    std::int32_t table;
    TermId answer;  // -1 of others
};

struct Built {
    std::vector<Variable> variables;
    std::vector<Hyperedge> edges;
    // Of each edge the clause that it begins with; n + i of what is lost at exit i, where n clauses
    // have labels; kNone of others. Exits: the clauses that match at stochastic goals.
    std::vector<std::int32_t> labels;
    std::vector<std::vector<std::int32_t>> exits;
    std::vector<TermId> calls;          // of all tables but the query's
    std::vector<std::int32_t> answers;
    std::int32_t failure = kNone;
    bool branches = false, above_one = false;
};

class TableBuilder {
public:
    // By functor, the predicates with tables. `limit`: of inferences.
    TableBuilder(Terms& terms, const std::unordered_map<std::int32_t, Predicate>& predicates,
            Functors functors, bool weights, std::uint64_t limit, const GoOn& go_on);
    Ended run(const Query& query);
    Built& built() { return built_; }
    std::size_t n_edges() const { return built_.edges.size(); }

private:
    struct Step {
        double label;
        std::int32_t prefix, answer, number;  // number: as labels of what is built
    };
    struct CallTable {
        TermId call = -1;
        const Predicate* predicate = nullptr;
        std::vector<std::int32_t> answers, waiting;
    };
    // A prefix: its goals with the called one first, the answer of its table, its variables.
    struct Stop {
        std::int32_t table, called;
        TermId goals, answer;
        std::int32_t variables;
    };
    void begin(std::int32_t table);
    void resume(std::int32_t prefix, std::int32_t answer);
    // The variable that goals from a list on lead to; kNone where they fail.
    std::int32_t prove(std::int32_t table, BoundTerm goals, BoundTerm answer);
    std::int32_t answered(std::int32_t table, BoundTerm answer);
    std::int32_t stopped(std::int32_t table, const Predicate& predicate, BoundTerm goals,
                         BoundTerm answer);
    std::int32_t table_of(TermId call, const Predicate& predicate);
    void add(std::int32_t table, std::int32_t target, const Step& step, double proofs = 1.0);
    void fail(std::int32_t table);
    std::int32_t exit_of(const std::vector<std::int32_t>& clauses);
    std::int32_t add_variable(VariableKind kind, std::int32_t table, TermId answer = -1);

    Terms& terms_;
    const std::unordered_map<std::int32_t, Predicate>& predicates_;
    Functors functors_;
    bool weights_;
    std::uint64_t limit_, inferences_ = 0;
    const GoOn& go_on_;
    Built built_;
    std::vector<CallTable> tables_;
    std::unordered_map<TermId, std::int32_t> by_call_;
    std::unordered_map<std::uint64_t, std::int32_t> found_;  // by table and term of a variable
    std::unordered_map<std::int32_t, std::int32_t> stop_of_;
    std::vector<Stop> stops_;
    std::deque<std::pair<std::int32_t, std::int32_t>> new_;  // prefix and answer; kNone and a table
    std::vector<std::pair<std::int32_t, Step>> failed_;
    std::int32_t n_labelled_ = 0;  // clauses
    std::map<std::vector<std::int32_t>, std::int32_t> exit_by_clauses_;
    Bindings run_;
};

}  // namespace slp::tables
