"""Watching: the modules as they are, but that each place which a mutant changes tells what it is.

A mutant can be noticed only by a trial in which it makes a difference where it stands: a condition
that is True for once must have been false there. `see` notes what each place answered.
"""

import ast
import builtins
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from itertools import count
from typing import Any, NamedTuple

from engine.machine_tables import MachineTable
from property_tests.mutating.applying import apply
from property_tests.mutating.modules import LOOKED_UP, module_name, source_of
from property_tests.mutating.mutants import Mutant

Place = tuple[int, int]  # first byte, and the first one after it
Pair = tuple[str, str]  # state and trigger
TRUE, FALSE, SEEN = 2, 1, 3
_NAME = "__mutating_saw__"


class Site(NamedTuple):
    """Where a mutant stands, and what must be seen there for it to make a difference."""

    numbers: tuple[int, ...]  # at any of these places
    answers: int  # any of these bits


class Watched(NamedTuple):
    """A module's places, in the order in which they are numbered, and the sites of its mutants."""

    path: str
    places: dict[Place, int]
    pairs: dict[Pair, int]  # of the machine's table
    sites: dict[Mutant, Site]


def watched(mutants: Iterable[Mutant]) -> list[Watched]:
    """Number the places of mutants; data that leads nowhere has none: any trial may notice it."""
    found: dict[str, Watched] = {}
    numbers = count()
    for one in mutants:
        module = found.setdefault(one.path, Watched(one.path, {}, {}, {}))
        if one.function:
            place, answers = told_by(one)
            if place not in module.places:
                module.places[place] = next(numbers)
            module.sites[one] = Site((module.places[place],), answers)
        elif (begins := _led_to(one)) is not None:
            if begins not in module.places:
                module.places[begins] = next(numbers)
            module.sites[one] = Site((module.places[begins],), SEEN)
        elif one.path in LOOKED_UP:
            pairs = pairs_changed(one)
            for pair in pairs:
                if pair not in module.pairs:
                    module.pairs[pair] = next(numbers)
            if pairs:
                module.sites[one] = Site(tuple(module.pairs[pair] for pair in pairs), SEEN)
    return list(found.values())


def _led_to(mutant: Mutant) -> Place | None:
    """Give where a function begins that nothing leads to, once a mutant leaves out its entry."""
    entry = re.search(r":\s*(\w+)", mutant.old)
    if mutant.new or entry is None:
        return None
    source = source_of(mutant.path)
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name == entry[1]:
            is_told = len(node.body) > 1 and ast.get_docstring(node) is not None
            return _place(node.body[is_told], _line_starts(source))
    return None


def pairs_changed(mutant: Mutant) -> list[Pair]:
    """Give the pairs of state and trigger that a mutant of a machine's table leads elsewhere."""
    source = source_of(mutant.path)
    before, after = _pairs(mutant.path, source), _pairs(mutant.path, mutant.applied(source))
    return sorted(pair for pair in {*before, *after} if before.get(pair) != after.get(pair))


@lru_cache(maxsize=8)
def _pairs(path: str, text: str) -> dict[Pair, str]:
    name = module_name(path)
    space: dict[str, Any] = {"__name__": name}
    exec(compile(text, path, "exec"), space)  # noqa: S102 -- our own module, changed or not
    [table] = [one for one in space.values() if isinstance(one, MachineTable)]
    return {(str(state), str(trigger)): str(dest) for (state, trigger), dest in table.moves.items()}


def told_by(mutant: Mutant) -> tuple[Place, int]:
    """Give the place that tells whether a mutant makes a difference, and by which answers."""
    place = mutant.start, mutant.end
    if mutant.wide:
        return place, SEEN
    if mutant.new in {"True", "False"}:
        return place, FALSE if mutant.new == "True" else TRUE
    return _choice(mutant) or (place, SEEN)


def _choice(mutant: Mutant) -> tuple[Place, int] | None:
    """Give the operand that a mutant leaves out, and what it must be to make a difference."""
    if mutant.new == "pass" or mutant.new.endswith(" if False"):
        return None
    text = mutant.old
    node = ast.parse(f"({text})", mode="eval").body
    if not isinstance(node, ast.BoolOp):
        return None
    for index, operand in enumerate(node.values):
        left = [one for other, one in enumerate(node.values) if other != index]
        kept = left[0] if len(left) == 1 else ast.BoolOp(node.op, left)
        if f"({ast.unparse(kept)})" == mutant.new:
            starts = _line_starts(f"({text})")
            start, end = _place(operand, starts)
            decides = TRUE if isinstance(node.op, ast.Or) else FALSE
            answers = SEEN if index + 1 == len(node.values) else decides
            return (mutant.start + start - 1, mutant.start + end - 1), answers
    return None


class Notes:
    """What was seen, since it was last asked for."""

    def __init__(self, modules: Iterable[Watched]) -> None:
        """Put what tells into this process; there is no way back: fork first."""
        modules = list(modules)
        self._seen = bytearray(1 + max(_numbers(modules), default=0))
        setattr(builtins, _NAME, _saw(self._seen))
        for one in modules:
            if one.places:
                source = source_of(one.path)
                apply(one.path, source, _telling(source, one.places))
            if one.pairs:
                _watch_table(one, self._seen)

    def take(self) -> bytes:
        """Give it, and begin anew."""
        found = bytes(self._seen)
        self._seen[:] = bytes(len(found))
        return found


def _numbers(modules: Iterable[Watched]) -> Iterator[int]:
    for one in modules:
        yield from one.places.values()
        yield from one.pairs.values()


class _Moves(dict[tuple[Any, Any], Any]):
    """The moves of a table, that note which were asked for."""

    def __init__(
        self, moves: Mapping[Any, Any], pairs: Mapping[Pair, int], seen: bytearray
    ) -> None:
        super().__init__(moves)
        self._pairs, self._seen = pairs, seen

    def get(self, key: tuple[Any, Any], default: Any = None) -> Any:
        number = self._pairs.get((str(key[0]), str(key[1])))
        if number is not None:
            self._seen[number] = SEEN
        return super().get(key, default)


def _watch_table(module: Watched, seen: bytearray) -> None:
    for one in vars(import_module(module_name(module.path))).values():
        if isinstance(one, MachineTable):
            object.__setattr__(one, "moves", _Moves(one.moves, module.pairs, seen))


def _saw(seen: bytearray) -> Callable[[int, Any], Any]:
    def saw(number: int, answer: Any) -> Any:
        seen[number] |= TRUE if answer else FALSE
        return answer

    return saw


def _telling(source: str, places: dict[Place, int]) -> str:
    return ast.unparse(ast.fix_missing_locations(_Telling(source, places).visit(ast.parse(source))))


class _Telling(ast.NodeTransformer):
    """Wraps expressions, and puts a call before statements and into cases."""

    def __init__(self, source: str, places: dict[Place, int]) -> None:
        self._starts, self._places = _line_starts(source), places

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.match_case):
            return self.visit_match_case(node)
        if isinstance(node, ast.JoinedStr):
            return node  # before Python 3.12 what is in it has no place
        number = self._number(node)
        self.generic_visit(node)
        if number is None:
            return node
        if isinstance(node, ast.stmt):
            return [ast.Expr(_call(number, ast.Constant(1))), node]
        if isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            return _call(number, node)
        return node

    def visit_match_case(self, node: ast.match_case) -> ast.match_case:
        number = self._number(node.pattern)
        self.generic_visit(node)
        if number is not None:
            node.body.insert(0, ast.Expr(_call(number, ast.Constant(1))))
        return node

    def _number(self, node: ast.AST) -> int | None:
        if not isinstance(node, ast.stmt | ast.expr | ast.pattern):
            return None
        return self._places.get(_place(node, self._starts))


def _call(number: int, value: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(_NAME, ast.Load()), [ast.Constant(number), value], [])


def _place(node: ast.stmt | ast.expr | ast.pattern, starts: list[int]) -> Place:
    end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
    return starts[node.lineno - 1] + node.col_offset, end


def _line_starts(source: str) -> list[int]:
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts
