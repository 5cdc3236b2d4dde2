"""Events of the core group, as controllers write them about objects."""

from adapters.simulator.answers import Refusal
from adapters.simulator.clock import Agenda, Chance, timestamp
from adapters.simulator.registry import Registry
from adapters.simulator.resources import EVENT, Place
from adapters.simulator.storage import Manifest

_CLUSTER_EVENTS_NAMESPACE = "default"


class Recorder:
    """Writes Events; the same words about the same object are counted, not written again."""

    def __init__(self, registry: Registry, agenda: Agenda, chance: Chance) -> None:
        """Write through `registry`."""
        self.enabled = True
        self._registry = registry
        self._agenda = agenda
        self._chance = chance
        self._made = 0
        self._name_by_words: dict[tuple[str, str, str], tuple[str, str]] = {}

    def record(
        self, item: Manifest, component: str, reason: str, message: str, *, warning: bool = False
    ) -> None:
        """Write down that something happened to `item`."""
        if not self.enabled:
            return
        words = (item["metadata"]["uid"], reason, message)
        known = self._name_by_words.get(words)
        if known is not None and self._counted(*known):
            return
        metadata = item["metadata"]
        namespace = metadata.get("namespace") or _CLUSTER_EVENTS_NAMESPACE
        self._made += 1
        name = f"{metadata['name']}.{self._chance.number('event', self._made):016x}"
        event = self._event(item, component, reason, message, warning=warning)
        event["metadata"] = {"name": name, "namespace": namespace}
        try:
            self._registry.record(namespace, event)
        except Refusal:
            return  # a namespace that is going takes no Events; the client drops them
        self._name_by_words[words] = namespace, name

    def _event(
        self, item: Manifest, component: str, reason: str, message: str, *, warning: bool
    ) -> Manifest:
        metadata, now = item["metadata"], timestamp(self._agenda.now)
        about = {
            "kind": item["kind"],
            "namespace": metadata.get("namespace", ""),
            "name": metadata["name"],
            "uid": metadata["uid"],
            "apiVersion": item["apiVersion"],
            "resourceVersion": metadata["resourceVersion"],
        }
        return {
            "kind": "Event",
            "apiVersion": "v1",
            "involvedObject": about,
            "reason": reason,
            "message": message,
            "source": {"component": component},
            "firstTimestamp": now,
            "lastTimestamp": now,
            "count": 1,
            "type": "Warning" if warning else "Normal",
            "eventTime": None,
            "reportingComponent": component,
            "reportingInstance": "",
        }

    def _counted(self, namespace: str, name: str) -> bool:
        def again(event: Manifest) -> Manifest:
            now = timestamp(self._agenda.now)
            return {**event, "count": event["count"] + 1, "lastTimestamp": now}

        try:
            self._registry.update(Place(EVENT, namespace, name), again)
        except Refusal:
            return False
        return True
