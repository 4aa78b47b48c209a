"""Tree rules as ordinary clauses: `expand`, and with a table `clauses_on_table`."""
