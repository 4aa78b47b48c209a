"""scikit-learn's checks of an estimator, in a process of its own, because a check reads
SCIPY_ARRAY_API when SciPy is imported.

    SCIPY_ARRAY_API=1 python all_checks.py SLPTreeClassifier engine=modal

It prints the checks that did not pass, and ends with exit code 1 if there are any.
"""

import sys
import warnings

from sklearn.utils.estimator_checks import check_estimator

import slp

if __name__ == "__main__":
    name, *options = sys.argv[1:]
    given = dict(option.split("=", 1) for option in options)
    chosen = {key: int(value) if value.isdigit() else value for key, value in given.items()}
    warnings.simplefilter("ignore")
    results = check_estimator(getattr(slp, name)(**chosen), on_fail=None, on_skip=None)
    others = [r for r in results if r["status"] != "passed"]
    for r in others:
        print(r["status"], r["check_name"], repr(r["exception"]))
    sys.exit(bool(others) or not results)
