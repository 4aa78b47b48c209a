"""Commands in this process."""

from tests.cli.conftest import slp_run, table

__all__ = ["slp_run", "table"]
