#include "tables/build.hpp"

#include <algorithm>
#include <array>

namespace slp::tables {

namespace {

// Labels that sum to 1 may differ from it by so much; above kTolerance they are refused.
constexpr double kRounding = 0x1p-48, kTolerance = 1e-9;

std::uint64_t key_of(std::int32_t table, TermId term) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(table)) << 32 |
           static_cast<std::uint32_t>(term);
}

// The sum of numbers, rounded once.
double sum_of(const std::vector<double>& numbers) {
    Total total;
    for (const double x : numbers) {
        total.add(Mass::of(x));
    }
    return total.mass().in_units(0);
}

}  // namespace

TableBuilder::TableBuilder(Terms& terms,
                           const std::unordered_map<std::int32_t, Predicate>& predicates,
                 Functors functors, bool weights, std::uint64_t limit, const GoOn& go_on)
    : terms_(terms), predicates_(predicates), functors_(functors), weights_(weights),
      limit_(limit), go_on_(go_on), run_(terms, limit) {
    for (const auto& [functor, predicate] : predicates) {
        for (const Clause& clause : predicate.clauses) {
            n_labelled_ += clause.number != kNone ? 1 : 0;
        }
    }
}

Ended TableBuilder::run(const Query& query) {
    try {
        built_.above_one = weights_;
        tables_.emplace_back();
        run_.reset(static_cast<std::size_t>(query.variables));
        add(0, prove(0, {query.goals, 0}, {query.answer, 0}), {1.0, kNone, kNone, kNone});
        for (std::size_t turn = 0; !new_.empty(); ++turn) {
            if (turn % 256 == 0 && !go_on_()) {
                return Ended::stopped;
            }
            const auto [prefix, other] = new_.front();
            new_.pop_front();
            if (prefix == kNone) {
                begin(other);
            } else {
                resume(prefix, other);
            }
            if (++inferences_ + run_.inferences() > limit_) {
                return Ended::at_limit;
            }
        }
    } catch (const Unsuited&) {
        return Ended::unsuited;
    } catch (const AtLimit&) {
        return Ended::at_limit;
    }
    if (!weights_ && !built_.branches) {
        fail(0);
    }
    for (std::size_t t = 1; t < tables_.size(); ++t) {
        built_.calls.push_back(tables_[t].call);
    }
    built_.answers = tables_[0].answers;
    return Ended::done;
}

// --- runs ----------------------------------------------------------------------------------------

// Resolves a call with the clauses of its predicate.
void TableBuilder::begin(std::int32_t table) {
    const TermId call = tables_[static_cast<std::size_t>(table)].call;
    const Predicate& predicate = *tables_[static_cast<std::size_t>(table)].predicate;
    const auto unknown = static_cast<std::size_t>(run_.variables_of(call));
    std::vector<double> labels;
    std::vector<std::int32_t> matching;
    std::vector<std::pair<std::int32_t, double>> targets;  // of clauses without labels, proofs
    for (const Clause& clause : predicate.clauses) {
        ++inferences_;
        run_.reset(unknown + static_cast<std::size_t>(clause.variables));
        const auto base = static_cast<std::int32_t>(unknown);
        if (!run_.unify({call, 0}, {clause.head, base})) {
            continue;
        }
        if (predicate.stochastic) {
            if (clause.label > 0) {
                labels.push_back(clause.label);
                matching.push_back(clause.number);
                const Step step{clause.label, kNone, kNone, clause.number};
                add(table, prove(table, {clause.goals, base}, {call, 0}), step);
            }
            continue;
        }
        const std::int32_t target = prove(table, {clause.goals, base}, {call, 0});
        if (target != kNone) {
            const auto known = std::ranges::find_if(
                targets, [&](const auto& one) { return one.first == target; });
            if (known != targets.end()) {
                known->second += 1;
            } else {
                targets.emplace_back(target, 1.0);
            }
            built_.branches = built_.branches || targets.size() > 1 || targets[0].second > 1;
        }
    }
    const Step plain{1.0, kNone, kNone, kNone};
    if (!predicate.stochastic) {
        for (const auto& [target, proofs] : targets) {
            add(table, target, plain, proofs);
        }
        if (targets.empty()) {
            add(table, kNone, plain);
        }
        return;
    }
    const std::int32_t exit = exit_of(matching);
    const double whole = sum_of(labels);
    if (whole > 1 + kTolerance && !weights_) {
        throw Unsuited{};  // the machine refuses it at its place
    }
    built_.above_one = built_.above_one || whole > 1 + kRounding;
    if (whole < 1) {
        add(table, kNone, {1.0 - whole, kNone, kNone, n_labelled_ + exit});
    }
}

// The number of an exit, equal for equal clauses.
std::int32_t TableBuilder::exit_of(const std::vector<std::int32_t>& clauses) {
    const auto next = static_cast<std::int32_t>(built_.exits.size());
    const auto [at, is_new] = exit_by_clauses_.try_emplace(clauses, next);
    if (is_new) {
        built_.exits.push_back(clauses);
    }
    return at->second;
}

// Continues a prefix with an answer of the goal at which it stops.
void TableBuilder::resume(std::int32_t prefix, std::int32_t answer) {
    const Stop stop = stops_[static_cast<std::size_t>(stop_of_.at(prefix))];
    const TermId found = built_.variables[static_cast<std::size_t>(answer)].answer;
    const auto base = stop.variables;
    run_.reset(static_cast<std::size_t>(base + run_.variables_of(found)));
    const std::span<const TermId> goals = terms_.args(stop.goals);
    const TermId rest = goals[1];
    if (!run_.unify({goals[0], 0}, {found, base})) {
        throw Unsuited{};  // not reached: an answer is an instance of its call
    }
    add(stop.table, prove(stop.table, {rest, 0}, {stop.answer, 0}),
        {1.0, prefix, answer, kNone});
}

std::int32_t TableBuilder::prove(std::int32_t table, BoundTerm goals, BoundTerm answer) {
    for (;;) {
        goals = run_.dereferenced(goals);
        if (terms_.functor(goals.term) == functors_.none) {
            return answered(table, answer);
        }
        const std::span<const TermId> parts = terms_.args(goals.term);
        const BoundTerm goal = run_.dereferenced({parts[0], goals.base});
        const TermId rest = parts[1];
        if (is_variable(goal.term)) {
            throw Unsuited{};
        }
        const std::int32_t functor = terms_.functor(goal.term);
        const auto called = predicates_.find(functor);
        if (called != predicates_.end()) {
            return stopped(table, called->second, goals, answer);
        }
        ++inferences_;
        if (functor == functors_.no) {
            return kNone;
        }
        if (functor == functors_.equal) {
            const std::span<const TermId> sides = terms_.args(goal.term);
            if (!run_.unify({sides[0], goal.base}, {sides[1], goal.base})) {
                return kNone;
            }
        } else if (functor != functors_.yes) {
            throw Unsuited{};
        }
        goals.term = rest;
    }
}

// --- tables and variables ------------------------------------------------------------------------

std::int32_t TableBuilder::answered(std::int32_t table, BoundTerm answer) {
    const TermId term = run_.resolved(answer);
    const auto [at, is_new] = found_.try_emplace(key_of(table, term), kNone);
    if (is_new) {
        at->second = add_variable(VariableKind::answer, table, term);
        CallTable& own = tables_[static_cast<std::size_t>(table)];
        own.answers.push_back(at->second);
        for (const std::int32_t prefix : own.waiting) {
            new_.emplace_back(prefix, at->second);
        }
    }
    return at->second;
}

std::int32_t TableBuilder::stopped(std::int32_t table, const Predicate& predicate, BoundTerm goals,
                              BoundTerm answer) {
    const TermId left = run_.resolved(goals), own = run_.resolved_too(answer);
    const std::int32_t variables = run_.numbered();
    const std::array<TermId, 2> both{left, own};
    const auto [at, is_new] =
        found_.try_emplace(key_of(table, terms_.of(functors_.answer, both)), kNone);
    if (!is_new) {
        return at->second;
    }
    const std::int32_t out = at->second = add_variable(VariableKind::prefix, table);
    // The goal alone, with variables of its own.
    const TermId goal = terms_.args(left)[0];
    run_.reset(static_cast<std::size_t>(variables));
    const std::int32_t called = table_of(run_.resolved({goal, 0}), predicate);
    stop_of_.emplace(out, static_cast<std::int32_t>(stops_.size()));
    stops_.push_back({table, called, left, own, variables});
    CallTable& behind = tables_[static_cast<std::size_t>(called)];
    behind.waiting.push_back(out);
    for (const std::int32_t known : behind.answers) {
        new_.emplace_back(out, known);
    }
    return out;
}

std::int32_t TableBuilder::table_of(TermId call, const Predicate& predicate) {
    const auto [at, is_new] = by_call_.try_emplace(call, static_cast<std::int32_t>(tables_.size()));
    if (is_new) {
        tables_.emplace_back();
        tables_.back().call = call;
        tables_.back().predicate = &predicate;
        new_.emplace_back(kNone, at->second);
    }
    return at->second;
}

std::int32_t TableBuilder::add_variable(VariableKind kind, std::int32_t table, TermId answer) {
    built_.variables.push_back({kind, table, answer});
    return static_cast<std::int32_t>(built_.variables.size()) - 1;
}

// An edge; where the step leads nowhere, a failure of the table.
void TableBuilder::add(std::int32_t table, std::int32_t target, const Step& step, double proofs) {
    if (target == kNone) {
        failed_.emplace_back(table, step);
        return;
    }
    const bool begins = step.number != kNone && step.number < n_labelled_;
    built_.edges.push_back({target, step.prefix, step.answer, begins, step.label, proofs});
    built_.labels.push_back(step.number);
}

// Adds the equations of failure. A table fails where a step leads nowhere, and where the goal of a
// prefix fails.
void TableBuilder::fail(std::int32_t root) {
    std::vector<std::int32_t> failures(tables_.size(), kNone), todo;
    const auto fails = [&](std::int32_t table, const Step& step) {
        std::int32_t& own = failures[static_cast<std::size_t>(table)];
        if (own == kNone) {
            own = add_variable(VariableKind::failure, table);
            todo.push_back(table);
        }
        add(table, own, step);
    };
    for (const auto& [table, step] : failed_) {
        fails(table, step);
    }
    for (std::size_t k = 0; k < todo.size(); ++k) {
        const auto table = static_cast<std::size_t>(todo[k]);
        for (const std::int32_t prefix : tables_[table].waiting) {
            const Stop& stop = stops_[static_cast<std::size_t>(stop_of_.at(prefix))];
            fails(stop.table, {1.0, prefix, failures[table], kNone});
        }
    }
    built_.failure = failures[static_cast<std::size_t>(root)];
}

}  // namespace slp::tables
