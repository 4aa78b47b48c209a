"""Answers to queries, for people: `found` (answers and proofs with their masses), `queries` (by a
search), `tabled` (by tables), `goals` (the same from text to values), `results` (what they hold),
`notes` (remarks on masses).
"""
