"""Answers to queries, for people: `queries` (answers with their masses), `goals` (the same from
text to values), `results` (what they hold), `notes` (remarks on masses).
"""
