"""The report: one HTML page on a posterior, which loads nothing from elsewhere.

Entry points: `report_html` (the page as text), `write_report` (into a file).

Inside: `html` makes elements and escapes every text; `page` puts the sections together; `answer`
(summary, evidence, trees, features), `given` (program, data, engine, how to run it again), `checks`
(constraints, diagnostics) and `pictures` make them; `tree_lists` draws a tree as nested lists;
`style.css` is the layout.
"""

from slp.report.page import report_html, write_report

__all__ = ["report_html", "write_report"]
