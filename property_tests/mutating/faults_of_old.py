"""Faults of old: what was wrong once, here or in the controllers that warmlog takes the place of.

Each is put back as it would be by hand. A saved story of a few deeds holds without it and breaks
with it, and a search that begins anew finds it, too (`putting_back`).
"""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from property_tests.mutating.modules import source_of

STORIES = Path(__file__).parent / "stories"


class Edit(NamedTuple):
    """A text of a file, which stands there once, and what takes its place."""

    path: str
    old: str
    new: str


class Fault(NamedTuple):
    """A fault: what was wrong about it, and the edits that bring it back."""

    name: str
    why: str
    world: str  # the sort of world in which it must be found
    story: str  # that finds it, a file of `STORIES`
    sentence: str  # the name of the invariant that the story breaks
    edits: tuple[Edit, ...]
    # Where it is rare otherwise: how a search begins, and the deeds that its stories are made of.
    opening: Mapping[str, Any] = MappingProxyType({})
    among: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        """Where its story is."""
        return STORIES / f"{self.story}.json"


_NORMALISING = "adapters/kubernetes/normalising.py"
_DECIDING = "machines/deciding.py"

FAULTS: tuple[Fault, ...] = (
    Fault(
        "treating failed > 0 as final",
        "a Job that still retries its Pod was taken for failed, and its node with it",
        "warmups",
        "a_failed_pod_is_tried_again",
        "an_outcome_is_the_jobs_own",
        (
            Edit(
                _NORMALISING,
                "        outcome=outcome,\n",
                '        outcome=outcome or ("Failed" if mapping(raw.get("status")).get("failed")'
                ' else ""),\n',
            ),
        ),
    ),
    Fault(
        "matching Jobs by name",
        "a machine that took another one's name got the other's Job, and its outcome",
        "warmups",
        "another_machine_takes_a_name",
        "a_job_counts_for_its_own_machine",
        (
            Edit(
                "machines/folding_jobs.py",
                "    node_uid = told or placed or machine_of(",
                "    named = state.clusters[event.cluster].node_uids.get(level.node_name)\n"
                "    node_uid = named or told or placed or machine_of(",
            ),
        ),
        among=("node_is_replaced", "time_passes", "work", "work_on"),
    ),
    Fault(
        "forgetting a deleted finished Job",
        "a node whose finished Job somebody deleted was warmed once more",
        "warmups",
        "a_finished_job_is_deleted",
        "no_job_after_its_outcome",
        (
            Edit(
                "machines/node_jobs.py",
                "    Move(_T.JOB_VANISHED, (_S.HYDRATING,), _S.PENDING,",
                "    Move(_T.JOB_VANISHED, (_S.HYDRATING, _S.READY, _S.FAILED), _S.PENDING,",
            ),
            Edit(
                "machines/moving.py",
                "    if target.state is not NodeJobState.HYDRATING:\n        return None, None\n",
                "    if target.state in (NodeJobState.PENDING, NodeJobState.WITHDRAWN):\n"
                "        return None, None\n",
            ),
        ),
    ),
    Fault(
        "taking an empty answer for absence",
        "a list that failed counted as a list of nothing: all was gone for as long as that",
        "warmups",
        "a_list_is_refused",
        "what_is_there_is_not_gone",
        (
            Edit(
                "adapters/kubernetes/reflecting.py",
                "            return self._page_refused(response)\n",
                "            return self._listed(self._version)\n",
            ),
        ),
        among=("crash", "trouble", "work", "work_on"),
    ),
    Fault(
        "publishing the mount at claim-Bound",
        "engines started on an empty volume, as the claim was bound and its Job still wrote",
        "caches",
        "a_bound_claim_is_still_empty",
        "a_mount_is_of_a_hydrated_claim",
        (
            Edit(
                "machines/caches/moving.py",
                "    if bound and entry.latch == latch_of(cache, site):\n",
                "    if bound:\n",
            ),
        ),
    ),
    Fault(
        "dropping the kept mount on restart",
        "after a restart, engines whose cache was not Ready were composed without their mount",
        "replicas",
        "a_cache_is_lost_before_a_restart",
        "a_mount_is_published_or_kept",
        (
            Edit(
                "machines/replicas/folding.py",
                "    for uid in state.replicas:\n        stir_replica(state, uid)\n",
                "    for uid, replica in state.replicas.items():\n"
                '        replica.kept = ""\n'
                "        for name, engine in replica.engines.items():\n"
                '            replica.engines[name] = engine._replace(kept="")\n'
                "        stir_replica(state, uid)\n",
            ),
            Edit(  # else it is taken from the workload again
                "machines/replicas/moving.py",
                "        _catch_up(replica, place, engine, there[engine.name])\n",
                "        pass\n",
            ),
        ),
        {"gangs": False, "ready": True, "wants": [["chat", "one", "one"]]},
    ),
    Fault(
        "stamping the TTL before the status",
        "a Job, and with it the node's outcome, could go before the end was stored anywhere",
        "warmups",
        "a_job_is_finished",
        "the_end_is_stored_before_the_ttl",
        (
            Edit(
                _DECIDING,
                "        if warmup.stored:\n            yield from _stamps(state, warmup)\n",
                "        yield from _stamps(state, warmup)\n",
            ),
        ),
    ),
    Fault(
        "a status patch without its guards",
        "a late patch told of an object that another one had taken the place of",
        "warmups",
        "a_status_is_written",
        "every_patch_has_its_guards",
        (
            Edit(
                "adapters/kubernetes/statuses.py",
                "    body = [*guards(subject.uid, version), *change]\n",
                "    body = [*change]\n",
            ),
        ),
    ),
    Fault(
        "feeding our own status back as a level",
        "each status that was written was news, and called for the next one",
        "warmups",
        "a_status_is_heard_of",
        "what_we_write_is_no_news",
        (
            Edit(
                _NORMALISING,
                "        annotations=our_annotations(metadata),\n",
                "        annotations=(*our_annotations(metadata),"
                ' ("warmlog.dev/status", repr(raw.get("status")))),\n',
            ),
        ),
    ),
)


def edited(fault: Fault) -> dict[str, str]:
    """Give the text of each file with the fault in it. Raises ValueError where it cannot be put."""
    texts: dict[str, str] = {}
    for path, old, new in fault.edits:
        text = texts.get(path) or source_of(path)
        if text.count(old) != 1:
            msg = f"{fault.name}: {path} holds {text.count(old)} times, not once: {old}"
            raise ValueError(msg)
        texts[path] = text.replace(old, new)
    return texts
