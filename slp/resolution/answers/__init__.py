"""Answers to queries, for people: `found` (answers and proofs with their masses), `queries` (by a
search), `tabled` (by tables), `drawing` (draws by tables or by the program, `batches` of them),
`goals` (all of these from text to values), `results` and `drawn` (what they hold), `notes`
(remarks on masses).
"""
