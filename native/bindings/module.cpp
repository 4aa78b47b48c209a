// The Python module of the core: arrays in, arrays out, no decisions. Each room of the core has a
// file: problem.cpp, exact.cpp, mcmc.cpp, smc.cpp, modal.cpp, search.cpp, rjhmc.cpp, additive.cpp, tables.cpp;
// exact_rows.cpp has what the exact engine tells of rows, edits.cpp the sampler over edits.
//
// Every function takes C-contiguous arrays of exactly the stated type (slp.kernels sees to that; no
// conversion happens here), releases the interpreter lock while the core works, and hands the
// core's vectors to NumPy without copying. The build makes the stub
// slp/_core.pyi of their signatures.

#include <nanobind/nanobind.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace nb = nanobind;

void bind_problem(nb::module_& m);
void bind_exact(nb::module_& m);
void bind_mcmc(nb::module_& m);
void bind_edits(nb::module_& m);
void bind_smc(nb::module_& m);
void bind_modal(nb::module_& m);
void bind_search(nb::module_& m);
void bind_rjhmc(nb::module_& m);
void bind_additive(nb::module_& m);
void bind_tables(nb::module_& m);

namespace {

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
    // What Python repeats of the core's constants; tests/kernels/test_constants.py compares them.
    m.attr("CONSTANTS") = nb::dict();
    bind_problem(m);
    bind_exact(m);
    bind_mcmc(m);
    bind_edits(m);
    bind_smc(m);
    bind_modal(m);
    bind_search(m);
    bind_rjhmc(m);
    bind_additive(m);
    bind_tables(m);
}
