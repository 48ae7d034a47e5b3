"""Where jobs run: in threads or processes of this machine, or on Ray."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from typing import Any, Protocol

import taffeta

# A task that is lost with its machine is done again on another one, so many times.
RETRIES = 5


class Pool(Protocol):
    """Something that calls functions elsewhere."""

    workers: int

    def submit(self, tag: int, function: Callable[..., Any], *arguments: Any) -> None:
        """Has a function called; what comes of it has the same tag."""
        ...

    def finished(self) -> Iterator[tuple[int, Any, BaseException | None]]:
        """Waits for some calls, and says what came of each: its tag, what it returned, and what went wrong with it if something did."""
        ...

    def share(self, thing: Any) -> Any:
        """Something that many calls have as an argument."""
        ...

    def close(self) -> None:
        """Gives up what has not begun."""
        ...


class LocalPool:
    """The cores of this machine. Steps are taken without the interpreter's lock, so that threads do; metrics that compute much in
    Python are better off in processes."""

    def __init__(self, workers: int | None, processes: bool = False) -> None:
        self.workers = workers or os.cpu_count() or 1
        self._executor: Executor
        if processes:
            # Threads of the parent's cannot be forked with it.
            self._executor = ProcessPoolExecutor(self.workers, mp_context=multiprocessing.get_context("spawn"))
        else:
            self._executor = ThreadPoolExecutor(self.workers, thread_name_prefix="taffeta")
        self._pending: dict[Future[Any], int] = {}

    def submit(self, tag: int, function: Callable[..., Any], *arguments: Any) -> None:
        """Has a function called."""
        self._pending[self._executor.submit(function, *arguments)] = tag

    def finished(self) -> Iterator[tuple[int, Any, BaseException | None]]:
        """Waits for some calls."""
        done, _ = wait(self._pending, return_when=FIRST_COMPLETED)
        for future in done:
            error = future.exception()
            yield self._pending.pop(future), None if error else future.result(), error

    def share(self, thing: Any) -> Any:
        """The thing itself."""
        return thing

    def close(self) -> None:
        """Gives up what has not begun."""
        self._executor.shutdown(wait=False, cancel_futures=True)


class RayPool:
    """A cluster of Ray: the one at an address; with "auto" the one that this process belongs to or can find, or else one that is started
    on this machine."""

    def __init__(self, address: str, workers: int | None) -> None:
        try:
            import ray
        except ImportError:
            raise taffeta.Error("Ray is not installed: pip install taffeta[ray], or leave ray out to use this machine") from None
        self._ray = ray
        if not ray.is_initialized():
            if address == "auto":
                _find_or_start(ray, workers)
            else:
                ray.init(address=address, log_to_driver=False)
        self.workers = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._call = ray.remote(num_cpus=1, max_retries=RETRIES)(_call)
        self._pending: dict[Any, int] = {}

    def submit(self, tag: int, function: Callable[..., Any], *arguments: Any) -> None:
        """Has a function called."""
        self._pending[self._call.remote(function, *arguments)] = tag

    def finished(self) -> Iterator[tuple[int, Any, BaseException | None]]:
        """Waits for some calls."""
        done, _ = self._ray.wait(list(self._pending), num_returns=1)
        for reference in done:
            tag = self._pending.pop(reference)
            try:
                yield tag, self._ray.get(reference), None
            except self._ray.exceptions.RayError as error:
                yield tag, None, error

    def share(self, thing: Any) -> Any:
        """Sends it once for all calls. The cluster's owner of it is this process, which does not go away before they are done."""
        return self._ray.put(thing)

    def close(self) -> None:
        """Gives up what has not begun."""
        for reference in self._pending:
            self._ray.cancel(reference)
        self._pending.clear()


def make_pool(workers: int | None, processes: bool, ray: str | None) -> Pool:
    """The place that the arguments of a call name."""
    if workers is not None and workers < 1:
        raise taffeta.InvalidInput(f"workers is {workers}: give 1 or more, or leave it out to use all cores")
    if ray is None:
        return LocalPool(workers, processes)
    if processes:
        raise taffeta.InvalidInput("processes and ray are both given: Ray has processes of its own, so leave processes out")
    return RayPool(ray, workers)


def _find_or_start(ray: Any, workers: int | None) -> None:
    try:
        ray.init(address="auto", log_to_driver=False)
    except ConnectionError:
        ray.init(address="local", num_cpus=workers, log_to_driver=False, include_dashboard=False)


def _call(function: Callable[..., Any], *arguments: Any) -> Any:
    """What Ray calls: it resolves what was shared."""
    return function(*arguments)
