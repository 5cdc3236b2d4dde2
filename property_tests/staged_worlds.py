"""Staged worlds: simulated clusters that models are staged to, and what is done by hand there."""

import base64

from adapters.kubernetes.schemas import INFERENCECLUSTER, MODELCACHE, MODELWARMUP
from adapters.ports import MERGE_PATCH, Request
from adapters.simulator.resources import BY_KIND, CACHE, SECRET, path_of
from adapters.simulator.storage import Manifest
from property_tests.witnessing import WitnessedWorld

HOME = "sim"
NOBODY = "nobody"  # the owner that somebody wrote onto something by hand
LOST = "the log"  # among what was let go of: the log, and with it what nobody else can show
PLANTED = ("swordfish-one", "swordfish-two", "swordfish-three")  # values of tokens


class StagedWorld(WitnessedWorld):
    """A cluster that models may be staged to."""

    def install_all(self) -> None:
        """Install the definitions of all kinds."""
        for definition in (MODELWARMUP, MODELCACHE, INFERENCECLUSTER):
            self.install(definition)

    def held_tokens(self) -> list[str]:
        """Give the planted values that Secrets in the namespaces of caches hold."""
        held = {
            base64.b64decode(value).decode()
            for secret in self.listed(SECRET.kind)
            if secret["metadata"]["namespace"].startswith("mp-")
            for value in secret["data"].values()
        }
        return sorted(held & set(PLANTED))

    def edit_cache_status(self, name: str, changes: Manifest) -> None:
        """Change a ModelCache's status by hand."""
        path = f"{path_of(CACHE, 'default', name)}/status"
        self._ask(Request("PATCH", path, body={"status": changes}, content_type=MERGE_PATCH))

    def strip_finalizers(self, name: str) -> None:
        """Take all finalizers off a ModelCache by hand."""
        self._patch(CACHE, "default", name, {"metadata": {"finalizers": None}})

    def delete_any(self, thing: Manifest) -> None:
        """Delete an object by hand."""
        metadata = thing["metadata"]
        self._delete(BY_KIND[thing["kind"]], metadata["namespace"], metadata["name"])

    def strip(self, thing: Manifest, label: str) -> None:
        """Take a label off an object by hand."""
        metadata = thing["metadata"]
        self.relabel(thing["kind"], metadata["namespace"], metadata["name"], {label: None})

    def note_on(self, thing: Manifest, notes: Manifest) -> None:
        """Write an annotation by hand."""
        metadata = thing["metadata"]
        self.annotate(thing["kind"], metadata["namespace"], metadata["name"], notes)
