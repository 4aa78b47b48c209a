// Where Python meets the core: arrays in, arrays out, nothing decided here. The exact engine and
// Metropolis-Hastings have files of their own, bindings_exact.cpp and bindings_mh.cpp.
//
// Every function takes C-contiguous arrays of exactly the stated type (slp.kernels sees to that; no
// conversion happens here), releases the interpreter lock while the core works, and hands the
// core's vectors to NumPy without copying. The signatures are repeated in slp/_core.pyi.

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bindings_arrays.hpp"
#include "bindings_exact.hpp"
#include "bindings_mh.hpp"
#include "coding.hpp"
#include "forest.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace nb = nanobind;

namespace {

nb::tuple code_values(const Array<double>& column) {
    auto coded = without_lock([&] { return slp::code_values(span_of(column)); });
    return nb::make_tuple(to_numpy(std::move(coded.values)), to_numpy(std::move(coded.codes)));
}

auto code_by_cuts(const Array<double>& column, const Array<double>& cuts) {
    return to_numpy(
        without_lock([&] { return slp::code_by_cuts(span_of(column), span_of(cuts)); }));
}

nb::tuple merge_rows(const Matrix<std::int32_t>& codes) {
    const slp::CodeTable table{span_of(codes), codes.shape(0), codes.shape(1)};
    auto merged = without_lock([&] { return slp::merge_rows(table); });
    const std::size_t m = merged.counts.size();
    return nb::make_tuple(to_numpy(std::move(merged.distinct), {m, table.n_features}),
                          to_numpy(std::move(merged.row_of)), to_numpy(std::move(merged.counts)));
}

void make_forest(slp::Forest* self, const Array<std::int32_t>& features,
                 const Array<double>& operands, const Array<std::int64_t>& starts,
                 const Array<bool>& levels) {
    new (self) slp::Forest(span_of(features), span_of(operands), span_of(starts),
                           span_of(levels));
}

slp::Forest::Rows rows_of(const slp::Forest& forest, const Matrix<double>& rows) {
    require(rows.shape(1) == forest.n_features(), "rows have a number for each feature");
    return {rows.data(), rows.shape(0)};
}

nb::tuple shapes(const slp::Forest& forest) {
    auto found = without_lock([&] { return forest.shapes(); });
    return nb::make_tuple(to_numpy(std::move(found.n_leaves)), to_numpy(std::move(found.depth)),
                          to_numpy(std::move(found.splits),
                                   {forest.n_trees(), forest.n_features()}));
}

auto leaves(const slp::Forest& forest, const Matrix<double>& rows, std::size_t threads) {
    const slp::Forest::Rows own = rows_of(forest, rows);
    std::vector<std::int64_t> out(forest.n_trees() * own.m);
    without_lock([&] { forest.leaves(own, threads, out.data()); });
    return to_numpy(std::move(out), {forest.n_trees(), own.m});
}

auto sums(const slp::Forest& forest, const Matrix<double>& statistics,
          const Matrix<double>& rows, std::size_t threads) {
    const slp::Forest::Rows own = rows_of(forest, rows);
    require(statistics.shape(0) == own.m, "each row has its statistics");
    const std::size_t k = statistics.shape(1);
    std::vector<double> out(forest.n_leaves() * k);
    without_lock([&] { forest.sums(span_of(statistics), k, own, threads, out.data()); });
    return to_numpy(std::move(out), {forest.n_leaves(), k});
}

auto average(const slp::Forest& forest, const Matrix<double>& values, const Array<double>& shares,
             const Matrix<double>& rows, std::size_t threads) {
    const slp::Forest::Rows own = rows_of(forest, rows);
    require(values.shape(0) == forest.n_leaves() && shares.size() == forest.n_trees(),
            "each leaf has its values, and each tree its share");
    const std::size_t q = values.shape(1);
    std::vector<double> out(own.m * q);
    without_lock([&] {
        forest.average(span_of(values), q, span_of(shares), own, threads, out.data());
    });
    return to_numpy(std::move(out), {own.m, q});
}

#ifdef __GLIBC__
// Arrays of rows go back to the system when they are freed. By default glibc raises the size from
// which they do to that of the largest that was freed, up to 32 MiB: then what a million rows took
// while they were read and coded stays with the process, some 150 MiB outside of any budget.
void give_back_large_arrays() {
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 20);
}
#else
void give_back_large_arrays() {}
#endif

}  // namespace

NB_MODULE(_core, m) {
    give_back_large_arrays();
    // Where another language embeds Python (slp/swipl/slp.pl), its references outlive the module.
    nb::set_leak_warnings(false);
    m.doc() = "Compiled kernels of slp; call them through slp.kernels.";
    m.def("code_values", &code_values, nb::arg("column").noconvert());
    m.def("code_by_cuts", &code_by_cuts, nb::arg("column").noconvert(),
          nb::arg("cuts").noconvert());
    m.def("merge_rows", &merge_rows, nb::arg("codes").noconvert());
    nb::class_<slp::Forest>(m, "Forest")
        .def("__init__", &make_forest, nb::arg("features").noconvert(),
             nb::arg("operands").noconvert(), nb::arg("starts").noconvert(),
             nb::arg("levels").noconvert())
        .def("shapes", &shapes)
        .def("leaves", &leaves, nb::arg("rows").noconvert(), nb::arg("threads"))
        .def("sums", &sums, nb::arg("statistics").noconvert(), nb::arg("rows").noconvert(),
             nb::arg("threads"))
        .def("average", &average, nb::arg("values").noconvert(), nb::arg("shares").noconvert(),
             nb::arg("rows").noconvert(), nb::arg("threads"));
    bind_exact(m);
    bind_mh(m);
    bind_edits(m);
}
