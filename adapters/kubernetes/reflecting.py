"""A reflector: keeps one kind (or one object) of one cluster known, without any I/O itself.

It says which request comes next and is fed the answers; out come observations. Both the live
watcher and the simulator's driver run it, so it is synchronous and reads no clock.

    reflector.next_request()      a list page, or a watch (reflector.watching says which)
    reflector.feed_page(response) -> observations    after a list page
    reflector.feed_event(event)   -> observations    after each event of a watch
    reflector.skipped()           -> sentences about objects that could not be read

A list whose version is below the known one is asked for once more; when the second is below as
well, the cluster was rolled back, and that is said before the list is believed.
"""

from collections.abc import Mapping
from typing import Any

from adapters.kubernetes.answers import is_unserved, status_reason, status_words
from adapters.kubernetes.fields import integer, mapping, mappings, text, whole_number
from adapters.kubernetes.kinds import PAGE_ROWS, Kind, list_request, watch_request
from adapters.kubernetes.normalising import ObjectForeign, ObjectMalformed, identify, normalise
from adapters.kubernetes.normalising_replicas import is_foreign
from adapters.ports import Request, Response
from machines.observations import Deleted, Listed, Observation, RolledBack, Seen
from machines.versions import KnownVersion

WATCH_SECONDS = 300
_GONE = 410
_TIMEOUT = 504
_LASTING = frozenset({401, 403, 404})


class ReadRefused(Exception):
    """The API server refused a list or a watch; what was known stays known."""

    def __init__(self, code: int, words: str, reason: str = "", *, unserved: bool = False) -> None:
        """Keep the HTTP code, the server's steadied words and the Status's reason.

        `unserved` says that it has no such kind at all.
        """
        super().__init__(f"{code}: {words}")
        self.code = code
        self.words = words
        self.reason = reason
        self.unserved = unserved

    @property
    def is_lasting(self) -> bool:
        """Say whether this refusal does not pass by itself."""
        return self.code in _LASTING


class Reflector:
    """One kind of one cluster. Not safe for use by two tasks at once."""

    def __init__(
        self,
        cluster: str,
        kind: Kind,
        *,
        known_version: str = "",
        known_objects: Mapping[str, KnownVersion] | None = None,
        page_rows: int = PAGE_ROWS,
        watch_seconds: int = WATCH_SECONDS,
    ) -> None:
        """Begin with a list; one below `known_version` is not believed at once.

        `known_objects` are the versions, by uid, that an earlier session knew, also of what ended.
        """
        self.cluster = cluster
        self.kind = kind
        self.watching = False  # whether the next request is a watch
        self.synced = False  # whether a complete list was ever given
        self._page_rows = page_rows
        self._watch_seconds = watch_seconds
        self._version = known_version  # of the collection: list, bookmark or event
        known = known_objects or {}
        # uid -> resourceVersion of what was given last, or in which it ended
        self._objects = {uid: one.number for uid, one in known.items()}
        # What a selector does not hold any more may come back, and has not ended.
        self._ended = {uid for uid, one in known.items() if one.ended and not kind.label_selector}
        self._page: list[Seen] = []
        self._continued = ""
        self._doubted = ""  # version of a list that was older than what is known
        self._skipped: list[str] = []

    @property
    def version(self) -> str:
        """The resourceVersion up to which this kind is known; empty before the first list."""
        return self._version

    def next_request(self) -> Request:
        """Say what to ask the API server now."""
        if self.watching:
            return watch_request(self.kind, self._version, seconds=self._watch_seconds)
        return list_request(self.kind, rows=self._page_rows, continued=self._continued)

    def feed_page(self, response: Response) -> tuple[Observation, ...]:
        """Take the answer to a list request; observations come with the last page.

        Raises ReadRefused, after which the list begins again from its first page.
        """
        if not response.ok:
            return self._page_refused(response)
        body = mapping(response.body)
        metadata = mapping(body.get("metadata"))
        version = text(metadata.get("resourceVersion"))
        if not version:
            self.relist()
            raise ReadRefused(response.code, f"the list of {self.kind.plural} has no version")
        for raw in mappings(body.get("items")):
            seen = self._normalised(raw)
            if seen is not None:
                self._page.append(seen)
        self._continued = text(metadata.get("continue"))
        return () if self._continued else self._listed(version)

    def feed_event(self, event: Any) -> tuple[Observation, ...]:
        """Take one event of a watch. Raises ReadRefused when it is a refusal.

        An expired version makes the next request a list. What is older than or equal to the last
        level given of the same object yields nothing, and so does the rest of a watch that is no
        longer believed.
        """
        if not self.watching:
            return ()
        kind, raw = mapping(event).get("type"), mapping(event).get("object")
        match kind:
            case "ADDED" | "MODIFIED":
                return self._changed(raw)
            case "DELETED":
                return self._deleted(raw)
            case "BOOKMARK":
                self._move(text(mapping(mapping(raw).get("metadata")).get("resourceVersion")))
            case "ERROR":
                self._watch_refused(mapping(raw))
            case _:
                self._skipped.append(f"a watch of {self.kind.plural} gave an event {kind!r}")
        return ()

    def relist(self) -> None:
        """Begin with the first page of a list next, as after an expired version."""
        self.watching = False
        self._page = []
        self._continued = ""

    def forget(self) -> None:
        """Believe the next complete list whatever its version: the cluster was rolled back.

        A list that is under way goes on, so that no half of one is ever taken for a whole.
        """
        self._version = ""
        self._doubted = ""
        if self.watching:
            self.relist()

    def skipped(self) -> tuple[str, ...]:
        """Give, once, the sentences about what could not be read since the last call."""
        said = tuple(self._skipped)
        self._skipped.clear()
        return said

    def _page_refused(self, response: Response) -> tuple[Observation, ...]:
        halfway = bool(self._continued)
        self.relist()
        if response.code == _GONE and halfway:
            return ()  # the list took longer than the server keeps its start: begin again
        raise ReadRefused(
            response.code,
            status_words(response),
            status_reason(response),
            unserved=is_unserved(response),
        )

    def _listed(self, version: str) -> tuple[Observation, ...]:
        items = tuple(self._page)
        known = self._version
        self.relist()
        older = 0 < number(version) < number(known)
        undone = any(self._is_undone(seen, number(version)) for seen in items)
        if older and not self._doubted:
            self._doubted = version
            return ()
        self._doubted = ""
        self._version = version
        self._objects = {seen.subject.uid: number(seen.version) for seen in items}
        self._ended.clear()
        self.watching = self.synced = True
        listed = Listed(self.cluster, self.kind.name, version, items, scope=self.kind.scope)
        if not older and not undone:
            return (listed,)
        words = f"{self.kind.plural} were known at version {known}, and are listed at {version}"
        if undone:
            words = f"{self.kind.plural} are listed at {version} as they were at older versions"
        return (RolledBack(self.cluster, words), listed)

    def _is_undone(self, seen: Seen, listed: int) -> bool:
        """Say whether a list that is newer than what is known shows an object as it was before.

        Such a list is of another past, too, and so is one that holds what had ended.
        """
        known = self._objects.get(seen.subject.uid, 0)
        earlier = number(seen.version) < known or seen.subject.uid in self._ended
        return earlier and 0 < known <= listed and number(seen.version) > 0

    def _changed(self, raw: Any) -> tuple[Observation, ...]:
        """Take an object as it is now; what has become somebody else's is as good as gone."""
        try:
            seen = normalise(self.cluster, self.kind, raw)
        except ObjectForeign:
            return self._estranged(raw)
        except ObjectMalformed as error:
            self._skipped.append(str(error))
            return ()
        return (seen,) if self._advance(seen) else ()

    def _estranged(self, raw: Any) -> tuple[Observation, ...]:
        subject, version = identify(self.kind, raw)
        self._move(version)
        known = self._objects.get(subject.uid)
        if known is None or number(version) <= known:
            return ()
        del self._objects[subject.uid]
        return (Deleted(self.cluster, subject, version),)

    def _normalised(self, raw: Any) -> Seen | None:
        try:
            return normalise(self.cluster, self.kind, raw)
        except ObjectForeign:
            return None
        except ObjectMalformed as error:
            self._skipped.append(str(error))
            return None

    def _advance(self, seen: Seen) -> bool:
        """Remember the version of an object; say whether it is newer than the last one."""
        version = number(seen.version)
        known = self._objects.get(seen.subject.uid)
        self._move(seen.version)
        if known is not None and version <= known:
            return False
        self._objects[seen.subject.uid] = version
        return True

    def _deleted(self, raw: Any) -> tuple[Observation, ...]:
        try:
            subject, version = identify(self.kind, raw)
        except ObjectMalformed as error:
            self._skipped.append(str(error))
            return ()
        self._move(version)
        known = self._objects.pop(subject.uid, None)
        if known is not None and number(version) < known:
            self._objects[subject.uid] = known
            return ()
        if known is None and is_foreign(self.kind.name, raw):
            return ()
        seen = self._normalised(raw)
        return (Deleted(self.cluster, subject, version, seen.level if seen else None),)

    def _move(self, version: str) -> None:
        """Go on from `version` after a cut; the collection's version never goes back."""
        if number(version) > number(self._version):
            self._version = version

    def _watch_refused(self, status: dict[str, Any]) -> None:
        code = integer(status.get("code")) or 0
        words = status_words(Response(code, status))
        if code == _GONE or status.get("reason") in {"Expired", "Gone"}:
            self.relist()
            return
        if code == _TIMEOUT and "resource version" in words.lower():
            # The server is behind what is known: a restored backup, or a replica that lags.
            self.relist()
        raise ReadRefused(code, words, text(status.get("reason")))


def number(version: str) -> int:
    """Give a resourceVersion as a number; 0 for what is no number and orders nothing."""
    return whole_number(version)
