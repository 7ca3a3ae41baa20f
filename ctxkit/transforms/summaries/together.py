"""Several pieces of work at the same time, as one: all their results, or the first failure and nothing left
running.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


async def together(works: Iterable[Callable[[], Awaitable[T]]]) -> list[T]:
    """Start all and wait for all; a failure, or being cancelled, stops the others and waits until they have
    ended.

    Raises what failed first. An interrupt inside a task would end the whole event loop, so it is carried out
    of the task and raised here.

    >>> from ctxkit import run
    >>> async def two():
    ...     return 2
    >>> run(together([two, two]))
    [2, 2]
    """
    import asyncio

    failures: list[BaseException] = []

    async def carried(work: Callable[[], Awaitable[T]]) -> list[T]:
        try:
            return [await work()]
        except BaseException as error:
            failures.append(error)
            for task in tasks:  # at once: a work that waits for its turn must not begin now
                task.cancel()
            return []

    tasks = [asyncio.ensure_future(carried(work)) for work in works]
    try:
        if tasks:
            await asyncio.wait(tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    if failures:
        raise failures[0]
    return [result for task in tasks for result in task.result()]
