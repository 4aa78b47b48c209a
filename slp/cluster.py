"""Tasks on a cluster, through joblib. The library is optional, and imported by its users.

    with joblib.parallel_config(backend="dask"):    # or Ray's backend: any that is not local
        program.posterior(X, y)

Then the chains and islands of a run, the restarts of `modal`, and the runs of `compare`, `cv` and
`tune` are tasks of that backend. A task holds all that it depends on, its random numbers too, so
on machines with the same versions and processors of one kind results do not depend on where it ran,
or how often. joblib's local backends change nothing: on one machine the core has its own threads.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from slp.errors import UsageError
from slp.late import late_import
from slp.messages.cluster import NO_DISTRIBUTED, NO_SCHEDULER

__all__ = ["in_tasks", "on_scheduler", "tasks_at_once", "threads_of_jobs"]

_Result = TypeVar("_Result")

#: Seconds to wait for a scheduler, and for its first worker.
_PATIENCE = 15


def threads_of_jobs(n_jobs: int | None) -> int:
    """The number of threads that `n_jobs` means to joblib."""
    return int(late_import("joblib").effective_n_jobs(n_jobs))


def tasks_at_once() -> int | None:
    """How many tasks the cluster runs at once that joblib is told to use; None if there is none."""
    joblib = sys.modules.get("joblib")
    if joblib is None:
        return None
    backend, n_jobs = joblib.parallel.get_active_backend()
    if type(backend).__module__ == "joblib._parallel_backends":
        return None
    return max(1, int(joblib.effective_n_jobs(n_jobs)))


def in_tasks(
    function: Callable[..., _Result],
    arguments: Sequence[tuple[Any, ...]],
    done: Callable[[int], None] = lambda k: None,
) -> list[_Result]:
    """The results of a function on the cluster, one task for each tuple of arguments, in order.
    `done` is told how many are there. Tasks that are lost with a worker are made again by the
    cluster."""
    joblib = sys.modules["joblib"]
    calls = [joblib.delayed(_alone)(function, own) for own in arguments]
    out: list[_Result] = []
    for result in joblib.Parallel(return_as="generator")(calls):
        out.append(result)
        done(len(out))
    return out


def _alone(function: Callable[..., _Result], arguments: tuple[Any, ...]) -> _Result:
    """The call on a worker, where it makes no tasks of its own."""
    with late_import("joblib").parallel_config(backend="threading", n_jobs=1):
        return function(*arguments)


@contextmanager
def on_scheduler(address: str | None) -> Iterator[None]:
    """Use the Dask cluster whose scheduler has this address, such as `tcp://10.0.0.7:8786`; none if
    it is None.

    Raises
    ------
    UsageError
        E580: the libraries are not installed; E581: no scheduler answers, or it has no workers.
    """
    if address is None:
        yield
        return
    try:
        distributed, joblib = late_import("distributed"), late_import("joblib")
    except ImportError as error:
        raise UsageError(NO_DISTRIBUTED()) from error
    try:
        client = distributed.Client(address, timeout=_PATIENCE, set_as_default=True)
    except OSError as error:  # a TimeoutError is one
        raise UsageError(NO_SCHEDULER(address=address, reason="nobody answers")) from error
    except Exception as error:  # any: it reads what another kind of server may have sent
        reason = "what is there is no scheduler of Dask"
        raise UsageError(NO_SCHEDULER(address=address, reason=reason)) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError as error:
            raise UsageError(NO_SCHEDULER(address=address, reason="it has no workers")) from error
        with joblib.parallel_config(backend="dask"):
            yield
