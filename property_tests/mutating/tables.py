"""Changes of data: the rows of the machines' tables, and what else a module holds as a constant.

a row, a source state, an entry   is left out
a row's state                     is each of the others
a number                          is one more

All of it counts as `wide` but what is in the machines' modules (`mutants` says so), and entries
that lead on to a function or a state: these are branches.
"""

import ast
from collections.abc import Iterator

from property_tests.mutating.changes import Change

_DEST = 2  # where a Move says which state it leads to


def changes_of_data(tree: ast.Module) -> Iterator[Change]:
    """Give the changes of what stands outside functions."""
    states = _states(tree)
    for statement in tree.body:
        if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
            continue
        value = statement.value
        if isinstance(value, ast.Constant) and type(value.value) is int:
            yield _change(value, str(value.value + 1))
        for node in _data_in(value):
            if isinstance(node, ast.Call) and _name(node.func) == "Move":
                yield from _elsewhere(node.args[_DEST], states)
            elif isinstance(node, ast.Tuple | ast.List | ast.Set):
                yield from _shorter(node)
            elif isinstance(node, ast.Dict):
                yield from _fewer(node)


def _data_in(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Lambda | ast.Subscript):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _data_in(child)


def _states(tree: ast.Module) -> list[str]:
    """Give the states of the module's machine, as its table writes them."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name.endswith("State"):
            return [
                f"_S.{one.targets[0].id}"
                for one in node.body
                if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name)
            ]
    return []


def _elsewhere(dest: ast.expr, states: list[str]) -> Iterator[Change]:
    for state in states:
        if state != ast.unparse(dest):
            yield _change(dest, state)


def _shorter(node: ast.Tuple | ast.List | ast.Set) -> Iterator[Change]:
    if len(node.elts) < 2:  # an empty row says nothing that leaving out the row does not
        return
    for index, element in enumerate(node.elts):
        kept = [one for other, one in enumerate(node.elts) if other != index]
        if len(kept) == 1:
            whole = type(node)(kept, ast.Load()) if not isinstance(node, ast.Set) else ast.Set(kept)
            yield _change(node, ast.unparse(whole))
        elif index + 1 < len(node.elts):
            after = node.elts[index + 1]
            yield _between(_start(element), _start(after), "")
        else:
            yield _between(_end(node.elts[index - 1]), _end(element), "")


def _fewer(node: ast.Dict) -> Iterator[Change]:
    if len(node.values) < 2:
        return
    starts = [
        _start(key) if key else (value.lineno, value.col_offset - len("**"))
        for key, value in zip(node.keys, node.values, strict=True)
    ]
    for index, value in enumerate(node.values):
        wide = isinstance(value, ast.Constant)  # else it is where something leads to
        if index + 1 < len(starts):
            yield _between(starts[index], starts[index + 1], "", wide=wide)
        else:
            yield _between(_end(node.values[index - 1]), _end(value), "", wide=wide)


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _start(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _end(node: ast.expr) -> tuple[int, int]:
    return node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


def _between(
    start: tuple[int, int], end: tuple[int, int], new: str, *, wide: bool = True
) -> Change:
    return Change("", (), start, end, new, wide)


def _change(node: ast.expr, new: str) -> Change:
    return _between(_start(node), _end(node), new)
