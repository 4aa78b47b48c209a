"""E58x: clusters."""

from __future__ import annotations

from slp.messages.entry import AS_REMEDY, Entry

E580 = Entry(
    "E580: a cluster needs Dask",
    cause="`--scheduler` uses Dask through joblib, and one of the two is not installed.",
    remedy="Install the toolkit with its extra: `pip install 'slp-toolkit[cluster]'`.",
    example="slp-sample growtree data.csv --scheduler tcp://10.0.0.7:8786   (without Dask)",
)
NO_DISTRIBUTED = E580.says("a cluster needs joblib and Dask, which are not installed", AS_REMEDY)

E581 = Entry(
    "E581: there is no cluster at an address",
    cause="No scheduler of Dask answers at the address, or it has no workers.",
    remedy="Start a scheduler by `dask scheduler` and workers by `dask worker ADDRESS`, and give "
    "the address that the scheduler prints.",
    example="slp-sample growtree data.csv --scheduler tcp://10.0.0.7:1",
)
NO_SCHEDULER = E581.says("no cluster at {address}: {reason}", AS_REMEDY)
