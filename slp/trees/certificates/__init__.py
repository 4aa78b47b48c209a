"""Certificates: what a tree keeps and what it breaks, as JSON that a file of its own verifies.

Entry points: `Certifier` (`slp.trees.certificates.making`) makes them; `CHECKER` is the path of
`check_certificate.py`, the checker. That one is a program, not a module of slp: it imports nothing
of slp, and nothing imports it. docs/certificates.md describes both.
"""

from pathlib import Path

from slp.trees.certificates.making import Certifier

__all__ = ["CHECKER", "Certifier"]

#: The stand-alone checker of certificates.
CHECKER = Path(__file__).with_name("check_certificate.py")
