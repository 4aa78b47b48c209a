// Labels and tests of rules that depend on how many rows a box has: programs for a stack of
// doubles, and the weights of a state's rules in a box.
//
// The meaning, and that of the instructions, is that of slp.ir.row_function.

#pragma once

#include <cstdint>
#include <exception>
#include <span>
#include <vector>

namespace slp {

struct Problem;

// A label this little below 0 is 0 with a rounding error.
inline constexpr double kLabelRounding = 1e-12;
// How far a label may be above 1, and a sum of labels from it.
inline constexpr double kLabelTolerance = 1e-9;

enum class RowOp : std::uint8_t {
    constant,
    rows,
    count,
    add,
    subtract,
    multiply,
    divide,
    minimum,
    maximum,
    power,
    quotient,
    floored,
    modulo,
    remainder,
    negate,
    absolute,
    sign,
    exponential,
    logarithm,
    root,
    floor,
    ceiling,
    truncate,
    round,
    less,
    at_most,
    greater,
    at_least,
    equal,
    unequal
};

struct RowFunction {
    std::vector<RowOp> ops;
    // One for each: the number of a constant; of a count, the class, -1 for one that the table
    // lacks.
    std::vector<double> operands;
    // Whether the label's factor is left on the stack; else it is 1.
    bool labelled = false;

    bool empty() const { return ops.empty(); }
    bool counts_classes() const;

    struct Value {
        bool holds;
        double label;  // NaN for a fault in it, or in a test that is reached
    };
    // statistics: rows of each class, where classes are counted.
    Value operator()(double n_rows, std::span<const double> statistics,
                     std::vector<double>& stack) const;
};

// A label that is not a weight in some box, or labels that do not sum to 1 there.
class LabelFault : public std::exception {
public:
    LabelFault(std::int32_t in_state, std::int32_t of_rule, double found, double n_rows,
               std::vector<double> of_box)
        : state(in_state),
          rule(of_rule),
          value(found),
          rows(n_rows),
          statistics(std::move(of_box)) {}

    const char* what() const noexcept override { return "a label is no probability in some box"; }

    std::int32_t state, rule;  // rule -1: the sum of the state's labels
    double value, rows;
    std::vector<double> statistics;  // of the box
};

// Computes the weights of rules; one for each thread.
class RowWeights {
public:
    explicit RowWeights(const Problem& problem) : problem_(problem) {}

    // Logs of the weights of a state's rules in a box, as the program has them; -inf where a rule
    // does not exist. Valid until the next call. Throws LabelFault.
    std::span<const double> of(std::int32_t state, std::span<const std::uint32_t> rows);
    // The same, given how many rows of the data the box has, and its statistics.
    std::span<const double> of(std::int32_t state, double n_rows,
                               std::span<const double> statistics);

private:
    // Sets the weights of the rules without functions; whether some rule has one, and whether one
    // counts rows of classes.
    struct Needs {
        bool by_rows, by_class;
    };
    Needs take_fixed(std::int32_t state);
    void evaluate(std::int32_t state, double n_rows, std::span<const double> statistics,
                  bool by_class);

    const Problem& problem_;
    std::vector<double> log_weights_, statistics_, stack_;
};

}  // namespace slp
