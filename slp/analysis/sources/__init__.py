"""Stage 1, files to directives: the text of all files, and the values of parameters.

`files` (the files that are used, as one list of items), `directives` (their form, and which counts;
first pass), `parameters` (their values), `edits` (the prior `edittree`).
"""
