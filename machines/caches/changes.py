"""Changes: what is changed of an object that exists, one kind of change at a time.

Each is a small body that the edge turns into a patch on a fresh read, guarded by uid and
resourceVersion, and that is nothing to do where it holds already:

    HOLD, RELEASE  {"finalizer": …}                   whoever it is: our finalizer on, off
    OWN            {"labels": {…}, "annotations": {…}} claim, Secret, Job: whose it is
    LATCH          {"annotations": {…}}               claim: what was staged into it
    GROW           {"storage": "…Gi"}                 claim: a larger request, never a smaller one
    HEAL           {"selectedNode": "…"}              claim: that annotation off, if it still names
                                                      that node and the claim is unbound
    ROTATE         {"token": {…}}                     token Secret: the value that the source has
"""

from enum import StrEnum

from machines.intents import CacheIntent, Change, Create


class ChangeKind(StrEnum):
    """What is changed."""

    HOLD = "Hold"
    RELEASE = "Release"
    OWN = "Own"
    LATCH = "Latch"
    GROW = "Grow"
    HEAL = "Heal"
    ROTATE = "Rotate"


# What each is, as it is decided and as it is done; `{}` stands for the object.
_TO_DO: dict[str, str] = {
    ChangeKind.HOLD: "to put our finalizer onto {}",
    ChangeKind.RELEASE: "to take our finalizer off {}",
    ChangeKind.OWN: "to mark {} as this ModelCache's",
    ChangeKind.LATCH: "to mark {} as hydrated",
    ChangeKind.GROW: "to ask for more storage for {}",
    ChangeKind.HEAL: "to take the chosen node off {}",
    ChangeKind.ROTATE: "to renew the token in {}",
}
DONE = {
    ChangeKind.HOLD: "{} bears our finalizer",
    ChangeKind.RELEASE: "{} bears our finalizer no more",
    ChangeKind.OWN: "{} is marked as this ModelCache's",
    ChangeKind.LATCH: "{} is marked as hydrated",
    ChangeKind.GROW: "more storage is asked for for {}",
    ChangeKind.HEAL: "the chosen node is off {}",
    ChangeKind.ROTATE: "the token in {} is renewed",
}


def to_do_words(verb: str, thing: str) -> str:
    """Say what is to be done, as in "to delete it"; `verb` is a `ChangeKind`, or a plain one."""
    return _TO_DO.get(verb, f"to {verb} {{}}").replace("{}", thing)


def what_of(intent: CacheIntent) -> str:
    """Name a decision within its entry, as in "create HydrationJob" or "Latch …Claim".

    One of a name is open at a time, and its refusals are counted together.
    """
    if isinstance(intent, Change):
        return f"{intent.change} {intent.kind}"
    return f"{'create' if isinstance(intent, Create) else 'delete'} {intent.kind}"
