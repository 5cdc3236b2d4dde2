"""Observing: sights become the observations that the watches of a running controller would make."""

from collections.abc import Iterator
from typing import Any

from adapters.importing.hearsay import Hearsay
from adapters.importing.listings import ListingBook
from adapters.importing.places import Account, Place
from adapters.importing.recognising import kinds_of, kinds_served, order_of
from adapters.importing.shelving import Shelf
from adapters.importing.sights import Beside, How, Listing, Raw, Sight, Told, Useless, named
from adapters.importing.told_events import is_event
from adapters.kubernetes.fields import mapping, text
from adapters.kubernetes.kinds import JOB, SECRET, Kind
from adapters.kubernetes.normalising import ObjectForeign, ObjectMalformed, identify, normalise
from adapters.kubernetes.vaults import SecretVault
from machines.observations import Deleted, Observation, Seen
from machines.states import State

NOT_OURS = "{}s that are not ours"
MOUNTING = "Pods that are not ours, and mount claims"
SERVING = "Pods that are not ours, and run a workload"
OTHER_EVENTS = "Events about what never waits for anything here"
NOT_READ = "an object of a kind that warmlog does not read"
INCOMPLETE = "an object that lacks what names or orders it"
UNKNOWN_END = "the end of an object that is not known"


class Observer:
    """What one source tells of its cluster. The vault and the shelf of Secrets are shared."""

    def __init__(self, heard: Hearsay, vault: SecretVault, shelf: Shelf, account: Account) -> None:
        """Report into `account` what is not used; what is `heard` is of the source's cluster."""
        self.cluster = heard.cluster
        self._pods = heard.pods
        self._heard = heard
        self._vault = vault
        self._shelf = shelf
        self._account = account
        self._lists = ListingBook(heard.cluster)

    def observe(self, state: State, told: Told) -> Iterator[Observation]:
        """Give what a telling makes known, lazily: what came before is folded by then."""
        match told:
            case Sight():
                yield from self._sight(state, told)
            case Listing():
                yield from self._listing(state, told)
            case Useless():
                self._account.refuse(told.reason, told.place, told.about, told.words)
            case Beside():
                self._account.pass_over(told.what)
        yield from self._pods.tell(state)

    def end(self, state: State) -> Iterator[Observation]:
        """Give what the end of the source makes known: its watches had begun."""
        yield from self._lists.end(state)

    def _sight(self, state: State, sight: Sight) -> Iterator[Observation]:
        if is_event(sight.raw):
            self._event(sight.raw)
            return
        served = self._served(sight.place, sight.raw)
        if not served:
            return
        if sight.how is not How.SHOWN:
            yield from self._run_ends(state, served, sight)
        if sight.how is How.MARKED:
            return
        for kind in self._ours(state, sight.raw, gone=sight.how is How.DELETED):
            if sight.how is How.DELETED:
                yield from self._deleted(state, kind, sight)
            else:
                yield from self._shown(kind, sight.place, sight.raw)

    def _run_ends(
        self, state: State, served: tuple[Kind, ...], sight: Sight
    ) -> Iterator[Observation]:
        metadata = mapping(sight.raw.get("metadata"))
        name = text(metadata.get("namespace")), text(metadata.get("name"))
        yield from self._lists.run_ends(state, served, sight.how, name)

    def _listing(self, state: State, listing: Listing) -> Iterator[Observation]:
        found: dict[Kind, list[Seen]] = {}
        for raw in sorted(listing.raws, key=order_of):
            if is_event(raw):
                self._event(raw)
                continue
            served = self._served(listing.place, raw)
            for kind in served:
                found.setdefault(kind, [])
            self._lists.note_list(served)
            for kind in self._ours(state, raw) if served else ():
                found[kind] += self._seen(kind, listing.place, raw)
        secrets = found.pop(SECRET, None)
        if secrets is not None:
            yield from self._secrets(listing, secrets)
        yield from self._lists.listed(state, found, listing.version, whole=bool(listing.whole))

    def _secrets(self, listing: Listing, seen: list[Seen]) -> Iterator[Observation]:
        for one in seen:
            yield from self._shelf.put(one)
        namespaces = {one.subject.namespace for one in seen}
        self._shelf.note_list(self.cluster, {""} if listing.whole else namespaces)

    def _event(self, raw: Raw) -> None:
        """Keep an Event until it is asked for; that one is deleted says only that it is old."""
        struck: Raw = raw if self._vault.is_empty else self._vault.strike(raw)
        if self._heard.events.note(struck):
            self._account.used += 1
        else:
            self._account.pass_over(OTHER_EVENTS)

    def _served(self, place: Place, raw: Raw) -> tuple[Kind, ...]:
        """Give the kinds that an object could be of; what is of none is counted."""
        served = kinds_served(raw)
        if not served:
            what = f"{text(raw.get('apiVersion'))} {text(raw.get('kind'))}".strip()
            self._account.refuse(NOT_READ, place, named(raw), what)
        return served

    def _ours(self, state: State, raw: Raw, *, gone: bool = False) -> tuple[Kind, ...]:
        kinds = kinds_of(state, self.cluster, raw)
        mounts = raw.get("kind") == "Pod" and self._heard.users.note(raw, gone=gone)
        serves = not kinds and self._heard.engines.note(self._struck(raw), gone=gone)
        if JOB in kinds or (not kinds and raw.get("kind") == "Pod"):
            self._pods.note(raw, gone=gone)
        if serves:
            self._account.pass_over(SERVING)
        elif not kinds and mounts:
            self._account.pass_over(MOUNTING)
        elif not kinds:
            self._account.pass_over(NOT_OURS.format(text(raw.get("kind"))))
        return kinds

    def _shown(self, kind: Kind, place: Place, raw: Raw) -> Iterator[Observation]:
        for seen in self._seen(kind, place, raw):
            if kind is SECRET:
                yield from self._shelf.put(seen)
            else:
                yield seen

    def _seen(self, kind: Kind, place: Place, raw: Raw) -> Iterator[Seen]:
        """Give an object as it is to be known; none when it is nobody's, or cannot be."""
        try:
            seen = normalise(self.cluster, kind, self._discreet(kind, raw))
        except ObjectForeign:
            self._account.pass_over(NOT_OURS.format(kind.served_as))
        except ObjectMalformed as error:
            self._account.refuse(INCOMPLETE, place, named(raw), str(error))
        else:
            self._account.used += 1
            yield seen

    def _deleted(self, state: State, kind: Kind, sight: Sight) -> Iterator[Observation]:
        raw = self._named(state, kind, sight.raw)
        try:
            subject, version = identify(kind, raw)
        except ObjectMalformed as error:
            self._account.refuse(UNKNOWN_END, sight.place, named(raw), str(error))
            return
        last = self._last(kind, raw)
        self._account.used += 1
        deleted = Deleted(self.cluster, subject, version, last)
        if kind is SECRET:
            yield from self._shelf.drop(deleted)
        else:
            yield deleted

    def _last(self, kind: Kind, raw: Raw) -> Any:
        """Give the level that an object had in its last moment, if it is told."""
        if kind is SECRET or not {"spec", "status"} & raw.keys():
            return None
        try:
            return normalise(self.cluster, kind, self._discreet(kind, raw)).level
        except ObjectMalformed:
            return None

    def _named(self, state: State, kind: Kind, raw: Raw) -> Raw:
        """Complete what names an object by what is known under its name, if it lacks a uid."""
        metadata = mapping(raw.get("metadata"))
        there = state.clusters.get(self.cluster)
        if text(metadata.get("uid")) or there is None:
            return raw
        name = text(metadata.get("namespace")), text(metadata.get("name"))
        for uid, known in there.objects[kind.name].items():
            if (known.subject.namespace, known.subject.name) == name:
                return {**raw, "metadata": {**metadata, "uid": uid}}
        return raw

    def _discreet(self, kind: Kind, raw: Raw) -> Raw:
        """Give an object without secrets: of a Secret digests, of all others words without any."""
        if kind is SECRET:
            kept: Raw = self._vault.keep(self.cluster, raw)
            return kept
        return self._struck(raw)

    def _struck(self, raw: Raw) -> Raw:
        if self._vault.is_empty or "status" not in raw:
            return raw
        return {**raw, "status": self._vault.strike(raw["status"])}
