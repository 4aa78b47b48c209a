"""Tables: each variant of a call is evaluated once, and its answers are shared (SLG resolution).

`calls` (which goals have a table), `build` (from a query to all tables that it needs, by the
machine), `core_builder` (the same in the core, where that can), `hypergraph` (what is built:
answers, prefixes of proofs, and the equations of their masses), `edge_labels` (where their labels
come from). `encoder` has programs as the core takes them, and `forward` draws by such a program
without tables.
`solved` asks for the masses: of the core, which `compiled` calls, or of the specification
`slp.reference.tables`. docs/design/tabling.md has the mathematics.
"""
