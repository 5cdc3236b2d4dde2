"""A log in memory whose rows are folded, decided upon and collected for an explanation."""

import json
from typing import Any

from engine.canonical_json import dumps
from engine.events import Event, Subject
from engine.instants import SECOND
from engine.stepping import Cursor, step
from machines.chronicles import Chronicle
from machines.domain import WARMLOG
from machines.explaining import Explanation
from machines.ingesting import ingest
from machines.labels import ENABLED, POOL
from machines.levels import JobLevel, Level, NamespaceLevel, NodeLevel, WarmupLevel
from machines.observations import Listed, Observation, Seen
from machines.states import WARMUP_KINDS

CLUSTER = "here"
BEGIN = 1_767_225_600 * SECOND  # 2026-01-01T00:00:00Z
WARMUP = Subject("ModelWarmup", "models", "warm", "uid-warm")


class Told:
    """Takes observations, one second apart, and explains what came of them."""

    def __init__(self, **spec: Any) -> None:
        """Begin with a namespace in the pool, and a ModelWarmup of every node of it."""
        self.state = WARMLOG.initial("a-log")
        self.rows: list[Event] = []
        self._cursor = Cursor(0, 0, 1, BEGIN - SECOND)
        self._versions = 0
        self._spec = {
            "targets": [{"nodeSelector": {"matchLabels": {POOL: "fast"}}}],
            "imagePreload": {"images": [{"image": "model:1", "command": ["true"]}]},
            **spec,
        }

    def see(self, *observations: Observation) -> tuple[Event, ...]:
        """Take observations in as one batch; give the rows that it made."""
        clock = self._cursor.at + SECOND
        drafts = ingest(self.state, observations, clock)
        self.state, made = step(WARMLOG, self.state, self._cursor, drafts, clock)
        self._cursor = made.cursor
        self.rows += made.events
        return made.events

    def level(self, subject: Subject, level: Level) -> Seen:
        """An object at a level, newer than all before."""
        self._versions += 1
        return Seen(CLUSTER, subject, str(self._versions), level)

    def namespace(self, *, terminating: bool = False) -> Seen:
        """The namespace of the ModelWarmup."""
        subject = Subject("Namespace", "", WARMUP.namespace, "uid-models")
        return self.level(subject, NamespaceLevel("fast", terminating))

    def node(self, name: str, *, enabled: bool = True) -> Seen:
        """A machine of the pool."""
        labels = ((ENABLED, "true" if enabled else "false"), (POOL, "fast"))
        return self.level(Subject("Node", "", name, f"uid-{name}"), NodeLevel(labels, (), "True"))

    def warmup(self, **annotations: str) -> Seen:
        """The ModelWarmup."""
        notes = tuple(sorted(annotations.items()))
        return self.level(WARMUP, WarmupLevel(1, dumps(self._spec), notes))

    def job(self, node: str, **fields: Any) -> Seen:
        """The Job for a node, as its create was answered."""
        intended = next(
            json.loads(row.data)
            for row in reversed(self.rows)
            if row.type == "CreateJobIntended" and json.loads(row.data)["node_name"] == node
        )
        name = intended["job_name"]
        level = JobLevel(
            WARMUP.uid, WARMUP.uid, f"uid-{node}", node, intended["revision"], **fields
        )
        return self.level(Subject("Job", WARMUP.namespace, name, f"uid-job-{node}"), level)

    def synced(self, *items: Seen) -> tuple[Event, ...]:
        """List every kind whole, with these objects."""
        kinds = [
            Listed(
                CLUSTER, kind, "1000", tuple(each for each in items if each.subject.kind == kind)
            )
            for kind in WARMUP_KINDS
        ]
        return self.see(*kinds)

    def explain(self) -> Explanation:
        """Fold all rows again, as the command does, and explain."""
        state = WARMLOG.initial("a-log")
        chronicle = Chronicle()
        for row in self.rows:
            state = WARMLOG.fold(state, row)
            chronicle.note(row, state)
        [history] = chronicle.found(*WARMUP[:3])
        told = chronicle.explain(state, history)
        assert isinstance(told, Explanation)
        return told

    def decided(self, kind: str) -> list[Event]:
        """The decisions of one type, in their order."""
        return [row for row in self.rows if row.type == kind]
