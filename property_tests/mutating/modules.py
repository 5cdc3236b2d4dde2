"""Modules that are mutated: what folds or decides. Words, bodies and specs have tests of their own.

Left out are what only speaks (messages, statuses, conditions, showing, telling, histories,
explaining, occasions, advising, causes, obstacles, sights), what reads a spec or makes a body
(specs, checking, bodies, scripts, names), and the command line's own (planning, retrying,
supposing, drawing). `tests/` holds those to the letter.
"""

from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_TABLES = """
machines/node_jobs machines/warmups machines/caches/entries machines/replicas/replicas
"""
_ENGINE = "engine/joint_rules engine/stepping"
_COMMON = """
machines/absences machines/awaiting machines/folding machines/folding_objects machines/ingesting
machines/multimaps machines/recalling machines/triggering
"""
_WARMUPS = """
machines/asking machines/deciding machines/folding_intents machines/folding_jobs
machines/folding_marks machines/folding_places machines/folding_pods machines/folding_timers
machines/folding_warmups machines/following machines/indexing machines/marking machines/moving
machines/pacing machines/placing machines/recovering machines/reviewing machines/selecting
machines/suspending machines/waiting
"""
_CACHES = """
accepting answering asking blocking changes deciding enrolling failing finding folding healing
indexing latching leaving missing moving owning reaching recovering selecting settling sizing
staging stirring timing tokens twins wishing
"""
_REPLICAS = """
accepting answering asking composing cutting_off deciding drifting folding holding indexing leaving
missing mounting moving owning placing recovering settling stirring supporting timing using wishing
"""

TABLES: tuple[str, ...] = tuple(f"{name}.py" for name in _TABLES.split())
MODULES: tuple[str, ...] = (
    *TABLES,
    *(f"{name}.py" for name in (_ENGINE + " " + _COMMON + _WARMUPS).split()),
    *(f"machines/caches/{name}.py" for name in _CACHES.split()),
    *(f"machines/replicas/{name}.py" for name in _REPLICAS.split()),
)
# Of the others' tables nothing is looked up while they run: joint rules are compiled from them.
LOOKED_UP = frozenset(path for path in TABLES if path != "machines/warmups.py")


@cache
def source_of(path: str) -> str:
    """Give the text of a module, as it was when it was first asked for."""
    return (ROOT / path).read_text("utf-8")


def module_name(path: str) -> str:
    """Give the name by which a module is imported."""
    return path.removesuffix(".py").replace("/", ".")
