"""Applying: a change of a module's text, put into the code that is loaded and running.

Functions keep their identity and get new code, so that whoever imported them runs the new one.
Data is computed anew and takes the place of the old wherever it was imported.
"""

import ast
import gc
import inspect
import sys
from collections.abc import Iterator
from dataclasses import fields
from functools import _lru_cache_wrapper, cache
from importlib import import_module
from types import CodeType, FunctionType, ModuleType
from typing import Any

from engine.machine_tables import MachineTable
from property_tests.mutating.modules import module_name


class NotApplied(Exception):
    """A change that would have changed nothing of what runs."""


def apply(path: str, old: str, new: str) -> None:
    """Make the running program that of `new`, where it was that of `old`.

    Raises NotApplied when that changes nothing. There is no way back: fork first.
    """
    module = import_module(module_name(path))
    changed = _swap_code(module, old, new)
    changed |= _compute_anew(module, ast.parse(old), ast.parse(new))
    if not changed:
        raise NotApplied(path)
    forget()


def forget() -> None:
    """Let everything be computed anew that keeps its answers."""
    for one in _caches():
        one.cache_clear()


@cache
def _functions() -> dict[str, list[FunctionType]]:
    """Give every function of ours that there is, by the file it stands in.

    Asked for by `gather`, for once frozen nothing is found any more.
    """
    found: dict[str, list[FunctionType]] = {}
    for one in gc.get_objects():
        if isinstance(one, FunctionType):
            found.setdefault(one.__code__.co_filename, []).append(one)
    return found


@cache
def _caches() -> list[Any]:
    """Give what keeps answers that may be others now; what is kept here must stay."""
    found = [one for one in gc.get_objects() if isinstance(one, _lru_cache_wrapper)]
    return [one for one in found if not one.__module__.startswith("property_tests.")]


def gather() -> None:
    """Find what can be changed; to be done once all is imported, and before processes fork."""
    gc.unfreeze()
    for found in (_functions, _caches):
        found.cache_clear()
        found()


def _swap_code(module: ModuleType, old: str, new: str) -> bool:
    file = str(module.__file__)
    before = list(_codes(compile(old, file, "exec")))
    after = list(_codes(compile(new, file, "exec")))
    if [code.co_qualname for code in before] != [code.co_qualname for code in after]:
        msg = f"{module.__name__}: its functions are not those that they were"
        raise NotApplied(msg)
    pairs = [
        (one, other)
        for one, other in zip(before, after, strict=True)
        if one != other and _moved(one, other.co_firstlineno) != other
    ]
    swapped = False
    for function in _functions().get(file, ()):
        for one, other in pairs:
            if function.__code__ == one:
                function.__code__ = other
                swapped = True
    return swapped


def _moved(code: CodeType, line: int) -> CodeType:
    return code.replace(co_firstlineno=line)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Give the functions that a module or its classes define; what is inside goes with each."""
    for inner in code.co_consts:
        if not isinstance(inner, CodeType):
            continue
        if not inner.co_flags & inspect.CO_OPTIMIZED:
            yield from _codes(inner)  # a class
        elif inner.co_name == "<lambda>" or not inner.co_name.startswith("<"):
            yield inner


def _compute_anew(module: ModuleType, old: ast.Module, new: ast.Module) -> bool:
    """Assign again what is assigned otherwise now, and what follows from it."""
    again: set[str] = set()
    space = dict(vars(module))
    for before, after in zip(old.body, new.body, strict=True):
        if not isinstance(after, ast.Assign | ast.AnnAssign):
            continue
        read = {one.id for one in ast.walk(after) if isinstance(one, ast.Name)}
        if ast.dump(before) == ast.dump(after) and not again & read:
            continue
        exec(compile(ast.Module([after], []), str(module.__file__), "exec"), space)  # noqa: S102
        targets = after.targets if isinstance(after, ast.Assign) else [after.target]
        names = {one.id for one in targets if isinstance(one, ast.Name)}
        for name in names - again:
            _replace(name, vars(module)[name], space[name])
        again |= names
    return bool(again)


def _replace(name: str, old: Any, new: Any) -> None:
    if isinstance(old, dict):
        old.clear()
        old.update(new)
        return
    if isinstance(old, MachineTable):
        for field in fields(old):
            object.__setattr__(old, field.name, getattr(new, field.name))
        return
    for module in list(sys.modules.values()):
        if vars(module).get(name) is old:
            setattr(module, name, new)
