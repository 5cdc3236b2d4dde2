"""Changes of code: what is done to the expressions and statements of functions.

Branches, which are what a reducer is made of:

a condition        is True, or is False: between them they hold a negated one
part of a condition is left out
`a or b`           as a value: is a, or is b
an early return    is left out, and so is a `continue`, a `break`, a `raise`
a case             of a match is never met

What else may be changed counts as `wide`, and is tried on demand only:

`<`                becomes `<=`, and so on; `min` becomes `max`, `any` becomes `all`
a number           is one more; True is False
`+`                becomes `-`
another statement  is left out
`_replace(a=…)`    leaves out one of what it replaces

What would do the same as another one is not made: an operand that decides alone is the whole
condition, and the one statement of an `if` left out is its condition that is never true.
"""

import ast
from collections.abc import Iterator
from typing import NamedTuple

Place = tuple[int, int]  # line and column, in bytes
_BOUNDS: dict[type[ast.cmpop], tuple[str, type[ast.cmpop]]] = {
    ast.Lt: ("<", ast.LtE),
    ast.LtE: ("<=", ast.Lt),
    ast.Gt: (">", ast.GtE),
    ast.GtE: (">=", ast.Gt),
}
_TWINS = {"min": "max", "max": "min", "any": "all", "all": "any"}
_LEAVING = (ast.Return, ast.Continue, ast.Break, ast.Raise)
_DROPPED = (*_LEAVING, ast.Delete, ast.AugAssign)


class Change(NamedTuple):
    """What takes the place of a piece of text, and in which function that is."""

    function: str
    lines: tuple[int, ...]
    start: Place
    end: Place
    new: str
    wide: bool = False  # it is no branch


def changes_in(tree: ast.Module) -> Iterator[Change]:
    """Give the changes of every function, and of the lambdas that stand in data."""
    yield from _in_scope(tree.body, "")


def _in_scope(body: list[ast.stmt], prefix: str) -> Iterator[Change]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _Function(node, f"{prefix}{node.name}").changes()
        elif isinstance(node, ast.ClassDef):
            yield from _in_scope(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            for inner in ast.walk(node.value):
                if isinstance(inner, ast.Lambda):
                    yield from _of_condition(inner.body, f"{prefix}<lambda>", ())


class _Function:
    """One function, and what may be changed in it."""

    def __init__(self, node: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> None:
        self.node, self.name = node, name
        self.is_predicate = isinstance(node.returns, ast.Name) and node.returns.id == "bool"
        arguments = [*node.args.args, *node.args.kwonlyargs, *node.args.posonlyargs]
        self.bound = {one.arg for one in arguments}

    def changes(self) -> Iterator[Change]:
        """Give them."""
        body = self.node.body[1:] if ast.get_docstring(self.node) else self.node.body
        yield from self._of_body(body, last=True)

    def _of_body(
        self, body: list[ast.stmt], *, last: bool = False, alone: bool = False
    ) -> Iterator[Change]:
        for index, one in enumerate(body):
            is_end = (last and index == len(body) - 1) or (alone and len(body) == 1)
            if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from _Function(one, f"{self.name}.<locals>.{one.name}").changes()
                continue
            yield from self._left_out(one, is_end=is_end)
            lines = _header_lines(one)
            for expression, is_condition in self._expressions(one):
                if is_condition:
                    yield from _of_condition(expression, self.name, lines)
                else:
                    yield from _of_value(expression, self.name, lines)
            for inner in _bodies(one):
                yield from self._of_body(inner, alone=isinstance(one, ast.If) and not one.orelse)
            if isinstance(one, ast.Match):
                yield from self._cases(one)
            self._note_bound(one)

    def _cases(self, one: ast.Match) -> Iterator[Change]:
        for case in one.cases:
            if case.guard is None:  # else its guard is False, once
                lines = (one.lineno, case.body[0].lineno)
                yield _change(
                    case.pattern, f"{ast.unparse(case.pattern)} if False", self.name, lines
                )

    def _left_out(self, one: ast.stmt, *, is_end: bool) -> Iterator[Change]:
        is_call = isinstance(one, ast.Expr) and not isinstance(one.value, ast.Constant)
        is_dropped = isinstance(one, _DROPPED) or is_call or self._is_set_again(one)
        if is_dropped and not (isinstance(one, _LEAVING) and is_end):
            is_wide = not isinstance(one, _LEAVING)
            yield _change(one, "pass", self.name, _header_lines(one), wide=is_wide)

    def _is_set_again(self, one: ast.stmt) -> bool:
        if not isinstance(one, ast.Assign):
            return False
        names = [name for target in one.targets for name in ast.walk(target)]
        stored = {
            name.id
            for name in names
            if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
        }
        return stored <= self.bound

    def _note_bound(self, one: ast.stmt) -> None:
        for inner in ast.walk(one):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                self.bound.add(inner.id)

    def _expressions(self, one: ast.stmt) -> Iterator[tuple[ast.expr, bool]]:
        """Give the expressions of a statement's own lines, and whether each is a condition."""
        if isinstance(one, ast.If | ast.While):
            yield one.test, True
        elif isinstance(one, ast.Return) and one.value is not None:
            yield one.value, self.is_predicate
        elif isinstance(one, ast.For | ast.AsyncFor):
            yield one.iter, False
        elif isinstance(one, ast.Match):
            yield from ((case.guard, True) for case in one.cases if case.guard is not None)
        elif isinstance(one, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr):
            is_words = isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)
            if one.value is not None and not is_words:
                yield one.value, False


def _bodies(one: ast.stmt) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        body = getattr(one, name, None)
        if body:
            yield body
    for case in (*getattr(one, "cases", ()), *getattr(one, "handlers", ())):
        yield case.body


def _header_lines(one: ast.stmt) -> tuple[int, ...]:
    inner = [body[0].lineno for body in _bodies(one)]
    end = min(inner) - 1 if inner else one.end_lineno or one.lineno
    return tuple(range(one.lineno, max(end, one.lineno) + 1))


def _of_condition(node: ast.expr, function: str, lines: tuple[int, ...]) -> Iterator[Change]:
    """What is asked: it is so, it is not so, a part of it is not asked."""
    for answer in ("True", "False"):
        yield _change(node, answer, function, lines)
    yield from _parts(node, function, lines)


def _parts(node: ast.expr, function: str, lines: tuple[int, ...]) -> Iterator[Change]:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield from _parts(node.operand, function, lines)
    elif isinstance(node, ast.BoolOp):
        answer = "True" if isinstance(node.op, ast.And) else "False"
        for operand in node.values:
            yield _change(operand, answer, function, lines)
            yield from _parts(operand, function, lines)
    elif isinstance(node, ast.Compare):
        yield from _bounds(node, function, lines)
        yield from _inside(node, function, lines)
    else:
        yield from _of_value(node, function, lines)


def _of_value(node: ast.expr, function: str, lines: tuple[int, ...]) -> Iterator[Change]:
    """What is computed: each of its own sort, and what it is made of."""
    match node:
        case ast.BoolOp():
            yield from _choices(node, function, lines)
        case ast.Compare() | ast.UnaryOp(op=ast.Not()):
            yield from _of_asked(node, function, lines)
            return
        case ast.IfExp():
            yield from _of_condition(node.test, function, lines)
            yield from _of_value(node.body, function, lines)
            yield from _of_value(node.orelse, function, lines)
            return
        case ast.Constant():
            yield from _of_constant(node, function, lines)
        case ast.BinOp(op=ast.Add() | ast.Sub()) if not (_is_text(node.left, node.right)):
            sign = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
            new = ast.unparse(ast.BinOp(node.left, sign, node.right))
            yield _change(node, f"({new})", function, lines, wide=True)
        case ast.Call():
            yield from _of_call(node, function, lines)
            return
        case ast.Subscript(slice=ast.Constant()):
            yield from _of_value(node.value, function, lines)
            return
        case ast.Lambda():
            yield from _of_value(node.body, function, lines)
            return
        case ast.JoinedStr():
            return  # words, and before Python 3.12 what is in them has no place
    yield from _inside(node, function, lines)


def _inside(node: ast.AST, function: str, lines: tuple[int, ...]) -> Iterator[Change]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.comprehension):
            yield from _of_value(child.iter, function, lines)
            for asked in child.ifs:
                yield from _of_condition(asked, function, lines)
        elif isinstance(child, ast.expr):
            yield from _of_value(child, function, lines)
        elif isinstance(child, ast.keyword):
            yield from _of_value(child.value, function, lines)


def _of_asked(node: ast.expr, function: str, lines: tuple[int, ...]) -> Iterator[Change]:
    """A comparison, or a `not`, whose answer is used as a value."""
    for answer in ("True", "False"):
        yield _change(node, answer, function, lines)
    if isinstance(node, ast.Compare):
        yield from _bounds(node, function, lines)
        yield from _inside(node, function, lines)
    elif isinstance(node, ast.UnaryOp):
        yield from _parts(node.operand, function, lines)


def _bounds(node: ast.Compare, function: str, lines: tuple[int, ...]) -> Iterator[Change]:
    for index, sign in enumerate(node.ops):
        if type(sign) in _BOUNDS:
            signs = list(node.ops)
            signs[index] = _BOUNDS[type(sign)][1]()
            new = ast.unparse(ast.Compare(node.left, signs, node.comparators))
            yield _change(node, new, function, lines, wide=True)


def _choices(node: ast.BoolOp, function: str, lines: tuple[int, ...]) -> Iterator[Change]:
    for index in range(len(node.values)):
        left = [value for other, value in enumerate(node.values) if other != index]
        new = ast.unparse(left[0] if len(left) == 1 else ast.BoolOp(node.op, left))
        yield _change(node, f"({new})", function, lines)


def _of_constant(node: ast.Constant, function: str, lines: tuple[int, ...]) -> Iterator[Change]:
    if isinstance(node.value, bool):
        yield _change(node, str(not node.value), function, lines, wide=True)
    elif isinstance(node.value, int):
        yield _change(node, str(node.value + 1), function, lines, wide=True)


def _of_call(node: ast.Call, function: str, lines: tuple[int, ...]) -> Iterator[Change]:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name in _TWINS:
        yield _change(node.func, _TWINS[name], function, lines, wide=True)
    if name in {"any", "all"} and isinstance(node.args[0], ast.GeneratorExp):
        asked = node.args[0]
        yield from _of_condition(asked.elt, function, lines)
        for each in asked.generators:
            yield from _of_value(each.iter, function, lines)
            for condition in each.ifs:
                yield from _of_condition(condition, function, lines)
        return
    if name == "bool" and len(node.args) == 1:
        yield from _of_condition(node.args[0], function, lines)
        return
    if isinstance(node.func, ast.Attribute) and node.func.attr == "_replace":
        for index in range(len(node.keywords)):
            kept = node.keywords[:index] + node.keywords[index + 1 :]
            new = ast.Call(node.func, node.args, kept) if kept else node.func.value
            yield _change(node, f"({ast.unparse(new)})", function, lines, wide=True)
    yield from _inside(node, function, lines)


def _is_text(*sides: ast.expr) -> bool:
    kinds = (ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp)
    return any(
        isinstance(one, kinds) or (isinstance(one, ast.Constant) and isinstance(one.value, str))
        for one in sides
    )


def _change(
    node: ast.expr | ast.stmt | ast.pattern,
    new: str,
    function: str,
    lines: tuple[int, ...],
    *,
    wide: bool = False,
) -> Change:
    end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return Change(function, lines, (node.lineno, node.col_offset), end, new, wide)
