"""Explained: one object at one moment, as data, as text for people, and as JSON for programs."""

from typing import Any, NamedTuple

from adapters.explaining.caches import cache_json, cluster_json, tell_cache, tell_cluster
from adapters.explaining.chains import line_json
from adapters.explaining.passages import NOTE, Passage, Table, plain_lines
from adapters.explaining.places import Place
from adapters.explaining.replicas import replica_json, tell_replica
from adapters.explaining.things import tell_thing, thing_json
from adapters.explaining.warmups import tell_warmup, warmup_json
from adapters.texts import moment
from machines.caches.explaining import CacheExplanation, ClusterExplanation
from machines.explaining import Explanation
from machines.explaining_things import ThingExplanation
from machines.foreign import ExplainedAs
from machines.histories import Line


class Explained(NamedTuple):
    """What is to be said of an object; each form is made when it is asked for."""

    told: ExplainedAs | ThingExplanation
    place: Place
    only: str | None = None  # of a ModelWarmup one node, of a ModelCache one InferenceCluster
    gone: Line | None = None  # the row by which it went; told is how it was just before that

    def found_in(self, log: str) -> "Explained":
        """Give the same with commands that name the log, as --log takes it."""
        return self._replace(place=self.place._replace(log=log))

    @property
    def phase(self) -> str:
        """Give the phase in one word, of the part that was asked about."""
        told = self.told
        if isinstance(told, ThingExplanation):
            return told.standing
        if isinstance(told, Explanation):
            states = [node.view.state.value for node in told.nodes]
            return states[0] if self.only is not None and states else told.phase
        if isinstance(told, CacheExplanation):
            return told.entries[0].phase if self.only is not None else told.reason
        return told.reason if isinstance(told, ClusterExplanation) else told.standing

    @property
    def passages(self) -> tuple[Passage | Table, ...]:
        """Give what `warmlog explain` prints, before it is known where."""
        return (*self._end(), *self._passages())

    def _end(self) -> tuple[Passage, ...]:
        if self.gone is None:
            return ()
        went = f"was deleted at position {self.gone.position}, {moment(self.gone.at)}"
        name = "/".join(filter(None, (self.told.subject.namespace, self.told.subject.name)))
        words = f"{self.told.subject.kind} {name} {went} ({self.gone.words})."
        return (Passage(words, NOTE), Passage("Just before that:"))

    def _passages(self) -> tuple[Passage | Table, ...]:
        told, place, only = self.told, self.place, self.only
        if isinstance(told, ThingExplanation):
            return tell_thing(told, place)
        if isinstance(told, Explanation):
            return tell_warmup(told, place, only=only)
        if isinstance(told, CacheExplanation):
            return tell_cache(told, place, only=only)
        if isinstance(told, ClusterExplanation):
            return tell_cluster(told, place)
        return tell_replica(told, place)

    @property
    def text(self) -> str:
        """Give the lines that `warmlog explain` prints into a pipe."""
        return "".join(f"{line}\n" for line in plain_lines(self.passages))

    @property
    def document(self) -> dict[str, Any]:
        """Give what `warmlog explain -o json` prints, as plain JSON values."""
        gone = {} if self.gone is None else {"gone": line_json(self.gone)}
        return {**self._document(), **gone}

    def _document(self) -> dict[str, Any]:
        told, place = self.told, self.place
        if isinstance(told, ThingExplanation):
            return thing_json(told, place)
        if isinstance(told, Explanation):
            return warmup_json(told, place)
        if isinstance(told, CacheExplanation):
            return cache_json(told, place)
        if isinstance(told, ClusterExplanation):
            return cluster_json(told, place)
        return replica_json(told, place)
