// Where Python meets the core: arrays in, arrays out, nothing decided here. The exact engine and
// Metropolis-Hastings have files of their own, bindings_exact.cpp and bindings_mh.cpp.
//
// Every function takes C-contiguous arrays of exactly the stated type (slp.kernels sees to that; no
// conversion happens here), releases the interpreter lock while the core works, and hands the
// core's vectors to NumPy without copying. The signatures are repeated in slp/_core.pyi.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "bindings_exact.hpp"
#include "bindings_mh.hpp"
#include "coding.hpp"
#include "forest.hpp"

namespace nb = nanobind;

namespace {

using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Codes = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <typename Array>
auto span_of(const Array& array) {
    return std::span(array.data(), array.size());
}

// A NumPy array that owns what was a vector.
template <typename T>
auto to_numpy(std::vector<T>&& vector, std::initializer_list<std::size_t> shape) {
    auto holder = std::make_unique<std::vector<T>>(std::move(vector));
    T* data = holder->data();
    nb::capsule owner(holder.release(), [](void* p) noexcept {
        delete static_cast<std::vector<T>*>(p);
    });
    return nb::ndarray<nb::numpy, T>(data, shape, owner);
}

template <typename T>
auto to_numpy(std::vector<T>&& vector) {
    const std::size_t length = vector.size();
    return to_numpy(std::move(vector), {length});
}

// What `work` returns, computed without the interpreter lock.
template <typename Work>
auto without_lock(Work work) {
    nb::gil_scoped_release release;
    return work();
}

nb::tuple code_values(Doubles column) {
    auto coded = without_lock([&] { return slp::code_values(span_of(column)); });
    return nb::make_tuple(to_numpy(std::move(coded.values)), to_numpy(std::move(coded.codes)));
}

auto code_by_cuts(Doubles column, Doubles cuts) {
    return to_numpy(
        without_lock([&] { return slp::code_by_cuts(span_of(column), span_of(cuts)); }));
}

nb::tuple merge_rows(Codes codes) {
    const slp::CodeTable table{span_of(codes), codes.shape(0), codes.shape(1)};
    auto merged = without_lock([&] { return slp::merge_rows(table); });
    const std::size_t m = merged.counts.size();
    return nb::make_tuple(to_numpy(std::move(merged.distinct), {m, table.n_features}),
                          to_numpy(std::move(merged.row_of)), to_numpy(std::move(merged.counts)));
}

using Features = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Starts = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Flags = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void make_forest(slp::Forest* self, Features features, Doubles operands, Starts starts,
                 Flags levels) {
    new (self) slp::Forest(span_of(features), span_of(operands), span_of(starts),
                           span_of(levels));
}

nb::tuple shapes(const slp::Forest& forest) {
    auto found = without_lock([&] { return forest.shapes(); });
    return nb::make_tuple(to_numpy(std::move(found.n_leaves)), to_numpy(std::move(found.depth)),
                          to_numpy(std::move(found.splits),
                                   {forest.n_trees(), forest.n_features()}));
}

auto leaves(const slp::Forest& forest, Rows rows, std::size_t threads) {
    std::vector<std::int64_t> out(forest.n_trees() * rows.shape(0));
    without_lock([&] { forest.leaves(span_of(rows), threads, out.data()); });
    return to_numpy(std::move(out), {forest.n_trees(), rows.shape(0)});
}

auto sums(const slp::Forest& forest, Rows statistics, Rows rows, std::size_t threads) {
    const std::size_t k = statistics.shape(1);
    std::vector<double> out(forest.n_leaves() * k);
    without_lock([&] {
        forest.sums(span_of(statistics), k, span_of(rows), threads, out.data());
    });
    return to_numpy(std::move(out), {forest.n_leaves(), k});
}

auto average(const slp::Forest& forest, Rows values, Doubles shares, Rows rows,
             std::size_t threads) {
    const std::size_t q = values.shape(1);
    std::vector<double> out(rows.shape(0) * q);
    without_lock([&] {
        forest.average(span_of(values), q, span_of(shares), span_of(rows), threads, out.data());
    });
    return to_numpy(std::move(out), {rows.shape(0), q});
}

}  // namespace

NB_MODULE(_core, m) {
    // Where another language embeds Python (slp/prolog/slp.pl), its references outlive the module.
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
