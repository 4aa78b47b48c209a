"""The report: one HTML page on a posterior, which loads nothing from elsewhere.

Entry points: `report_html` (the page as text), `write_report` (into a file); what a notebook shows
of objects (`tree_repr` and the like), and `load_ipython_extension` for the cell magic.

Inside: `html` makes elements and escapes every text; `page` puts the sections together; `answer`
(summary, evidence, trees, features), `given` (program, data, engine, how to run it again), `checks`
(constraints, diagnostics) and `pictures` make them; `tree_lists` draws a tree as nested lists;
`style.css` is the layout, `parts.css` that of trees and bars; `notebook` is for notebooks.
"""

from slp.report.notebook import (
    diagnostics_repr,
    load_ipython_extension,
    posterior_repr,
    program_repr,
    tree_repr,
)
from slp.report.page import report_html, write_report

__all__ = [
    "diagnostics_repr",
    "load_ipython_extension",
    "posterior_repr",
    "program_repr",
    "report_html",
    "tree_repr",
    "write_report",
]
