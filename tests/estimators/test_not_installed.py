"""The estimators without scikit-learn."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
sys.modules["sklearn"] = None  # as where it is not installed
import slp
try:
    slp.SLPTreeClassifier
except ModuleNotFoundError as error:
    print(error.name, error)
"""


def test_they_say_what_to_install() -> None:
    done = subprocess.run([sys.executable, "-P", "-c", CODE], capture_output=True, text=True)
    assert done.stdout == (
        "sklearn the estimators need scikit-learn, which is not installed: "
        "pip install scikit-learn\n"
    )
