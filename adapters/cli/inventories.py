"""Inventories: what stays behind when warmlog leaves, for people and for programs."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from adapters.cli.printing import Page
from adapters.cli.texts import counted
from adapters.kubernetes.lease_watching import SeenLease
from adapters.kubernetes.leftovers import HeldCache, Inventory, Leftover, Place
from machines.labels import CACHE_IN_USE

_HEADS = ("KIND", "NAMESPACE", "NAME", "STATE", "OWNER")


class Report(NamedTuple):
    """What was found and, where it was asked for, what was let go."""

    inventory: Inventory
    lease: SeenLease
    released: Mapping[str, str] | None  # uid of a ModelCache -> why not, "" when it was


def print_report(report: Report) -> None:
    """Print all that stays behind, and what may be done about it."""
    page = Page()
    found = report.inventory
    if report.lease.holder:
        page.line(_lease_words(report.lease), "yellow")
    for words in found.troubles:
        page.line(words, "red")
    _print_caches(page, report)
    for place in found.places:
        _print_place(page, place)
    if found.warmup_jobs:
        count = counted(len(found.warmup_jobs), "Job")
        page.line()
        page.line(f"{count} of ModelWarmups that are gone, or may be")
        _print_left(page, found.warmup_jobs, "ModelWarmup")
    page.line()
    for words in _endings(report):
        page.line(words)


def report_json(report: Report) -> dict[str, Any]:
    """Give all that stays behind as one JSON value."""
    found, lease = report.inventory, report.lease
    return {
        "caches": [_cache_json(report, each) for each in found.caches],
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


def _print_caches(page: Page, report: Report) -> None:
    caches = report.inventory.caches
    if not caches:
        page.line(f"No ModelCache has the finalizer {CACHE_IN_USE}.")
        return
    page.line(f"{counted(len(caches), 'ModelCache')} with the finalizer {CACHE_IN_USE}")
    rows = [
        (one.namespace, one.name, one.ready, _cache_words(report, one), _left_words(report, one))
        for one in caches
    ]
    page.table(("NAMESPACE", "NAME", "READY", "STATE", "LEAVES"), rows, indent=2)


def _cache_words(report: Report, cache: HeldCache) -> str:
    why_not = (report.released or {}).get(cache.uid)
    if why_not is None:
        return "is being deleted" if cache.deleting else "is held"
    return f"was not let go: {why_not}" if why_not else "was let go"


def _left_words(report: Report, cache: HeldCache) -> str:
    """Say what a ModelCache has, cluster by cluster."""
    told = []
    for title, left in report.inventory.of(cache).items():
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
        _print_left(page, place.left, "ModelCache")
    if place.others:
        objects = counted(place.others, "object")
        page.line(f"{objects} more with the label of caches, made by somebody else", indent=2)


def _print_left(page: Page, left: tuple[Leftover, ...], owner_kind: str) -> None:
    rows = [
        (one.kind, one.namespace, one.name, one.words, f"{_owner_words(one, owner_kind)}")
        for one in left
    ]
    page.table(_HEADS, rows, indent=2)


def _owner_words(one: Leftover, kind: str) -> str:
    named = f"{one.owner.namespace}/{one.owner.name}" if one.owner.name else f"uid {one.owner.uid}"
    return f"{kind} {named} {one.standing}"


def _endings(report: Report) -> list[str]:
    """Say what was done, and what may be."""
    found = report.inventory
    caches = counted(len(found.caches), "ModelCache")
    if report.released is not None:
        done = sum(not why for why in report.released.values())
        told = [f"Let go: {done} of {caches}. Nothing was deleted by this."] if caches else []
    elif found.caches:
        how = f"`warmlog uninstall --yes` takes the finalizer off {caches}, and deletes nothing."
        told = [f"Nothing was changed. {how}"]
        going = sum(each.deleting for each in found.caches)
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


def _cache_json(report: Report, cache: HeldCache) -> dict[str, Any]:
    why_not = (report.released or {}).get(cache.uid)
    return {
        "deleting": cache.deleting,
        "name": cache.name,
        "namespace": cache.namespace,
        "notReleased": why_not or "",
        "ready": cache.ready,
        "released": why_not == "",
        "uid": cache.uid,
    }


def _leftover_json(one: Leftover) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "name": one.name,
        "namespace": one.namespace,
        "owner": {"name": one.owner.name, "namespace": one.owner.namespace, "uid": one.owner.uid},
        "ownerStanding": one.standing.name,
        "state": one.words,
        "uid": one.uid,
    }
