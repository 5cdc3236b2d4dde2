"""Making rows: material, merged by time, as the rows of one session that only watched.

`MaterialReader` is read like any other log, once. Nothing is decided: there are facts alone.
"""

import hashlib
import heapq
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from adapters.code_digests import code_digest, code_version
from adapters.importing.documents import Document, split
from adapters.importing.hearsay import Hearsay
from adapters.importing.observing import Observer
from adapters.importing.places import Account, Place
from adapters.importing.shelving import Shelf
from adapters.importing.sights import Listing, Sight, Told, Useless, newest_version
from adapters.importing.sources import Source, Survey
from adapters.importing.telling_audits import is_audit, tell_audit
from adapters.importing.telling_kubectl import tell
from adapters.kubernetes.fields import mapping
from adapters.kubernetes.kinds import Kind
from adapters.running.text_holding import TextHolder
from adapters.running.writing import SESSION
from engine.canonical_json import dumps
from engine.events import Draft, Event
from engine.logs import LogIdentity
from machines.domain import WARMLOG
from machines.ingesting import ingest
from machines.observations import Listed, Observation

EPOCH = 1
NO_JSON = "a line that is no JSON"
DAMAGED = "compressed material that is cut or damaged"
CUT = "a document that is cut or damaged"


class _End(NamedTuple):
    """A source has ended."""


class _Moment(NamedTuple):
    """What a source tells, at which instant: never before what was told of its cluster earlier."""

    at: int
    source: int
    told: Told | _End


class _Turn(NamedTuple):
    """What a source tells next; its `version` is the newest one that the source has shown."""

    version: int
    at: int
    source: int
    told: Told | _End


class MaterialReader:
    """Material as a log (engine.logs.EventReader), for one reading from the beginning."""

    def __init__(
        self,
        sources: Sequence[Source],
        survey: Survey,
        account: Account,
        absent: Sequence[Kind] = (),
    ) -> None:
        """Read `sources`, of which `survey` knows the secrets; count into `account`.

        Of the kinds that are `absent` there was no object at the beginning.
        """
        self._absent = absent
        self._sources = sources
        self._survey = survey
        self._account = account
        self._rows = self._made()
        self._first = tuple(islice(self._rows, 1))

    @property
    def is_empty(self) -> bool:
        """Say that nothing at all could be used."""
        return not self._first

    async def identify(self) -> LogIdentity:
        """Say which log this is; where it ends is known when it has been read."""
        return LogIdentity(self._survey.log_id, 0, EPOCH, 0)

    async def read(
        self,
        after: int = 0,  # noqa: ARG002 -- the port's; whoever imports reads all
        until: int | None = None,  # noqa: ARG002
        *,
        batch_rows: int = 1000,
    ) -> AsyncGenerator[Sequence[Event], None]:
        """Give the rows in batches, all of them: it is no log yet that could be read in parts."""
        first, self._first = self._first, ()
        if first:
            yield first
        while batch := tuple(islice(self._rows, batch_rows)):
            yield batch

    def _made(self) -> Iterator[Event]:
        shelf = Shelf()
        heard = {one.cluster: Hearsay(one.cluster) for one in self._sources}
        observers = [
            Observer(heard[source.cluster], self._survey.vault, shelf, self._account)
            for source in self._sources
        ]
        writer = _Rows(self._survey.log_id, self._session())
        clusters = dict.fromkeys(source.cluster for source in self._sources)
        moments = heapq.merge(*map(self._moments, clusters))
        for moment in moments:
            if moment.at:
                yield from writer.take(self._nothing_there(), moment.at)
            observer, state = observers[moment.source], writer.state
            if isinstance(moment.told, _End):
                observations = observer.end(state)
            else:
                observations = observer.observe(state, moment.told)
            rows = list(writer.take(observations, moment.at))
            yield from rows
            yield from writer.take(shelf.wanted(state, rows), moment.at)
            answers = heard[observer.cluster].answers(writer.state, rows)
            yield from writer.take(answers, moment.at)
        yield from writer.end()

    def _nothing_there(self) -> Iterator[Listed]:
        """Say once that the kinds that are absent were listed, and that there was nothing."""
        absent, self._absent = self._absent, ()
        for cluster in dict.fromkeys(source.cluster for source in self._sources):
            for kind in absent:
                yield Listed(cluster, kind.name, "0", ())

    def _session(self) -> Draft:
        clusters = ",".join(source.cluster for source in self._sources)
        data = {
            "version": code_version(),
            "code_digest": code_digest(),
            "settings_digest": hashlib.sha256(clusters.encode()).hexdigest(),
            "recorder": self._survey.recorder,
        }
        return Draft("", str(SESSION), "SessionStarted", 1, dumps(data))

    def _moments(self, cluster: str) -> Iterator[_Moment]:
        """Merge the sources of one cluster, by version.

        Kubernetes' times have whole seconds, and what was deleted does not say when. But a cluster
        counts what it stores, and nothing but this order of several sources depends on that.
        """
        numbers = [n for n, source in enumerate(self._sources) if source.cluster == cluster]
        at = 0
        for turn in heapq.merge(*map(self._turns, numbers)):
            at = max(at, turn.at)
            yield _Moment(at, turn.source, turn.told)

    def _turns(self, number: int) -> Iterator[_Turn]:
        at = version = 0
        for told in self._told(self._sources[number]):
            if isinstance(told, Sight | Listing):
                at, version = max(at, told.at), max(version, newest_version(told))
            yield _Turn(version, at, number, told)
        yield _Turn(version, at, number, _End())

    def _told(self, source: Source) -> Iterator[Told]:
        place = Place(source.name, 0, 1)
        for found in split(source.lines):
            place = Place(source.name, found.number, found.line)
            if not isinstance(found, Document):
                reason = CUT if found.number else NO_JSON
                yield Useless(place, reason, words=found.words)
                continue
            self._account.documents += 1
            document = mapping(found.value)
            yield from (
                tell_audit(place, document) if is_audit(document) else tell(place, found.value)
            )
        if source.lines.damage:
            yield Useless(place, DAMAGED, words=f"after this: {source.lines.damage}")


class _Rows:
    """The rows made so far, folded. The session's own comes with the first fact."""

    def __init__(self, log_id: str, session: Draft) -> None:
        self.state = WARMLOG.initial(log_id)
        self._session = session
        self._seq = self._at = 0
        self._texts = TextHolder()

    def take(self, observations: Iterable[Observation], at: int) -> Iterator[Event]:
        """Give the rows that observations at this instant call for."""
        self._at = max(self._at, at)
        for observation in observations:
            now = self._texts.sift(self.state, (observation,), self._at)
            yield from self._ingested(now)

    def end(self) -> Iterator[Event]:
        """Give the texts that came too soon after others, when they might have come in."""
        while (due := self._texts.next_due()) is not None:
            self._at = max(self._at, due)
            yield from self._ingested(self._texts.sift(self.state, (), self._at))

    def _ingested(self, observations: Iterable[Observation]) -> Iterator[Event]:
        for draft in ingest(self.state, observations, self._at):
            if not self._seq:
                yield self._placed(self._session)
            yield self._placed(draft)

    def _placed(self, draft: Draft) -> Event:
        self._seq += 1
        event = draft.placed(self._seq, EPOCH, self._at)
        self.state = WARMLOG.fold(self.state, event)
        return event
