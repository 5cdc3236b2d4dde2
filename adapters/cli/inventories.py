"""Inventories: what stays behind when warmlog leaves, for people and for programs."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from adapters.cli.printing import Page
from adapters.kubernetes.lease_watching import SeenLease
from adapters.kubernetes.leftovers import Held, Inventory, Leftover, Place
from adapters.texts import counted
from machines.labels import CACHE_IN_USE, REPLICA_WORKLOADS

_HEADS = ("KIND", "NAMESPACE", "NAME", "STATE", "OWNER")


class Report(NamedTuple):
    """What was found and, where it was asked for, what was let go."""

    inventory: Inventory
    lease: SeenLease
    released: Mapping[str, str] | None  # uid -> why not, "" when it was


def print_report(report: Report) -> None:
    """Print all that stays behind, and what may be done about it."""
    page = Page()
    found = report.inventory
    if report.lease.holder:
        page.line(_lease_words(report.lease), "yellow")
    for words in found.troubles:
        page.line(words, "red")
    _print_held(page, report)
    for place in found.places:
        _print_place(page, place)
    if found.warmup_jobs:
        count = counted(len(found.warmup_jobs), "Job")
        page.line()
        page.line(f"{count} of ModelWarmups that are gone, or may be")
        _print_left(page, found.warmup_jobs)
    page.line()
    for words in _endings(report):
        page.line(words)


def report_json(report: Report) -> dict[str, Any]:
    """Give all that stays behind as one JSON value."""
    found, lease = report.inventory, report.lease
    return {
        "caches": [_held_json(report, each) for each in found.caches],
        "clusters": [
            {
                "home": each.is_home,
                "inferenceClusters": list(each.names),
                "left": [_leftover_json(one) for one in each.left],
                "others": each.others,
                "sameAs": each.same_as,
                "troubles": list(each.troubles),
            }
            for each in found.places
        ],
        "replicas": [_held_json(report, each) for each in found.replicas],
        "lease": {"holder": lease.holder, "place": lease.place, "trouble": lease.trouble},
        "troubles": list(found.troubles),
        "warmupJobs": [_leftover_json(each) for each in found.warmup_jobs],
    }


def _lease_words(lease: SeenLease) -> str:
    renewed = f", renewed at {lease.renewed}" if lease.renewed else ""
    return (
        f"The Lease {lease.place} is held by {lease.holder}{renewed}: a controller runs, or ended"
        " without giving it back."
    )


def _print_held(page: Page, report: Report) -> None:
    caches, replicas = report.inventory.caches, report.inventory.replicas
    if caches:
        _print_table(page, report, caches, CACHE_IN_USE)
    else:
        page.line(f"No ModelCache has the finalizer {CACHE_IN_USE}.")
    if replicas:
        page.line()
        _print_table(page, report, replicas, REPLICA_WORKLOADS)


def _print_table(page: Page, report: Report, held: tuple[Held, ...], finalizer: str) -> None:
    page.line(f"{counted(len(held), held[0].kind)} with the finalizer {finalizer}")
    rows = [
        (one.namespace, one.name, one.ready, _held_words(report, one), _left_words(report, one))
        for one in held
    ]
    page.table(("NAMESPACE", "NAME", "READY", "STATE", "LEAVES"), rows, indent=2)


def _held_words(report: Report, held: Held) -> str:
    why_not = (report.released or {}).get(held.uid)
    if why_not is None:
        return "is being deleted" if held.deleting else "is held"
    return f"was not let go: {why_not}" if why_not else "was let go"


def _left_words(report: Report, held: Held) -> str:
    """Say what one has, cluster by cluster."""
    told = []
    for title, left in report.inventory.of(held).items():
        kinds = Counter(one.kind for one in left)
        what = ", ".join(kind if many == 1 else f"{many} {kind}s" for kind, many in kinds.items())
        told.append(f"{what} on {title}")
    unread = [each.title for each in report.inventory.places if each.troubles]
    told += [f"unknown on {title}" for title in unread]
    return "; ".join(told) or "nothing"


def _print_place(page: Page, place: Place) -> None:
    page.line()
    if place.same_as:
        page.line(f"On {place.title}: it is the same cluster as {place.same_as}")
        return
    found = counted(len(place.left), "object") if place.left else "nothing"
    what = f"On {place.title}: {found}" if place.left or not place.troubles else f"On {place.title}"
    page.line(what)
    for words in place.troubles:
        page.line(words, "red", indent=2)
    if place.left:
        _print_left(page, place.left)
    if place.others:
        objects = counted(place.others, "object")
        page.line(f"{objects} more with the label of caches, made by somebody else", indent=2)


def _print_left(page: Page, left: tuple[Leftover, ...]) -> None:
    rows = [(one.kind, one.namespace, one.name, one.words, _owner_words(one)) for one in left]
    page.table(_HEADS, rows, indent=2)


def _owner_words(one: Leftover) -> str:
    named = f"{one.owner.namespace}/{one.owner.name}" if one.owner.name else f"uid {one.owner.uid}"
    return f"{one.owner_kind} {named} {one.standing}"


def _endings(report: Report) -> list[str]:
    """Say what was done, and what may be."""
    found = report.inventory
    kinds = ((found.caches, "ModelCache"), (found.replicas, "ModelReplica"))
    all_held = " and ".join(counted(len(held), kind) for held, kind in kinds if held)
    if report.released is not None:
        done = sum(not why for why in report.released.values())
        both = f"{len(found.held)}, " if found.caches and found.replicas else ""
        words = f"Let go: {done} of {both}{all_held}. Nothing was deleted by this."
        told = [words] if all_held else []
    elif found.held:
        how = f"`warmlog uninstall --yes` takes the finalizer off {all_held}, and deletes nothing."
        told = [f"Nothing was changed. {how}"]
        going = sum(each.deleting for each in found.held)
        if going:
            told.append(f"Being deleted already, and gone at once then: {going} of them.")
    else:
        told = ["Nothing was changed."]
    if any(place.left for place in found.places) or found.warmup_jobs:
        told.append(
            "What is not wanted any more is yours to delete, on its cluster: `kubectl -n NAMESPACE"
            " delete KIND NAME`. With a PersistentVolumeClaim goes its model, unless its volume is"
            " retained."
        )
    if found.is_empty and not found.unread:
        told = ["Nothing of warmlog is left."]
    return told


def _held_json(report: Report, held: Held) -> dict[str, Any]:
    why_not = (report.released or {}).get(held.uid)
    return {
        "deleting": held.deleting,
        "name": held.name,
        "namespace": held.namespace,
        "notReleased": why_not or "",
        "ready": held.ready,
        "released": why_not == "",
        "uid": held.uid,
    }


def _leftover_json(one: Leftover) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "name": one.name,
        "namespace": one.namespace,
        "ownerKind": one.owner_kind,
        "owner": {"name": one.owner.name, "namespace": one.owner.namespace, "uid": one.owner.uid},
        "ownerStanding": one.standing.name,
        "state": one.words,
        "uid": one.uid,
    }
