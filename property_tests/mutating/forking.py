"""Forking: work done in processes that begin as this one is, each for one task and then no more."""

import gc
import os
import pickle
import traceback
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


def forked(
    tasks: Iterable[Task], work: Callable[[Task], Result], workers: int
) -> Iterator[tuple[Task, Result | None]]:
    """Do each task in a process of its own, some at a time; None when a process died of it."""
    gc.collect()
    gc.freeze()  # so that children share what they only read
    waiting = iter(tasks)
    running: dict[Any, tuple[Task, int]] = {}
    while True:
        while len(running) < workers:
            task = next(waiting, None)
            if task is None:
                break
            reader, pid = _start(task, work)
            running[reader] = task, pid
        if not running:
            return
        for ready in wait(list(running)):
            task, pid = running.pop(ready)
            yield task, _result(ready)
            os.waitpid(pid, 0)


def _start(task: Task, work: Callable[[Task], Result]) -> tuple[Connection, int]:
    reader, writer = Pipe(duplex=False)
    pid = os.fork()
    if pid:
        writer.close()
        return reader, pid
    reader.close()
    status = 1
    try:
        writer.send_bytes(pickle.dumps(work(task)))
        status = 0
    except BaseException:  # noqa: BLE001 -- whatever it is, it must not go on as the parent
        traceback.print_exc()
    finally:
        os._exit(status)


def _result(reader: Any) -> Result | None:
    try:
        result: Result = pickle.loads(reader.recv_bytes())  # noqa: S301 -- our own child's
    except EOFError:
        return None
    finally:
        reader.close()
    return result
