"""Stage 6, program and table: `fit` (names, classes, kinds of columns), `box_edges` (ends of boxes
between two values), `facts` (what constraints ask of a table).
"""
