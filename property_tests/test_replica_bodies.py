"""Bodies of replicas: whatever can be asked for makes objects that an API server takes."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engine.canonical_json import dumps
from machines.replicas.bodies import applied_digest, stamped, workload
from machines.replicas.mounts import NO_MOUNT, EnvPart, Mount, MountPart, VolumePart, mount_in
from machines.replicas.names import ReplicaNames
from machines.replicas.specs import EngineSpec, parse_replica
from tests.crds.drawing import SUBDOMAIN
from tests.replicas.composing import pods
from tests.replicas.specs import container, engine, leader, member, replica, template, worker

NAMES = ReplicaNames("ml-team", "r", "uid", "mp-ml-team")
OURS = ("HF_HUB_CACHE", "MODELPLANE_RANK", "MX_MODEL_REVISION", "POD_NAME")
VARIABLES = st.lists(
    st.builds(
        lambda name, value: {"name": name, "value": value},
        st.sampled_from(["A", "B", *OURS]),
        st.sampled_from(["", "$(A)", "/srv", "/mnt/models"]),
    ),
    max_size=6,
)
TEMPLATES = st.builds(
    lambda env, args: template(container(env=env, args=args)),
    VARIABLES,
    st.none() | st.lists(st.just("x"), max_size=1),
)
STEPS = st.lists(st.from_regex(r"[a-z0-9_]{1,5}", fullmatch=True), min_size=1, max_size=3)


def a_mount(claim: str, steps: list[str], below: str, sub: str, flags: tuple[bool, bool]) -> Mount:
    """A mount as a cache may publish it: its variable points into it."""
    path = "".join(f"/{step}" for step in ("mnt", *steps))
    return Mount(
        (VolumePart("model-cache", claim, flags[0]),),
        (MountPart("model-cache", path, sub, flags[1]),),
        (EnvPart("HF_HUB_CACHE", path + below),),
    )


MOUNTS = st.builds(
    a_mount,
    SUBDOMAIN,
    STEPS,
    st.sampled_from(["", "/hub"]),
    st.sampled_from(["", "a", "a/b"]),
    st.tuples(st.booleans(), st.booleans()),
)


@st.composite
def engines(draw: st.DrawFn) -> EngineSpec:
    """An engine of either kind, whose user sets some variables."""
    head, follower = draw(TEMPLATES), draw(TEMPLATES)
    gang = engine(leader(template=head), worker(2, template=follower))
    alone = engine(member(template=head))
    spec = parse_replica(replica(draw(st.sampled_from([gang, alone])))).spec
    assert spec is not None
    return spec.engines[0]


def env_of(pod: dict[str, Any]) -> list[dict[str, Any]]:
    """The variables of a Pod's container."""
    return list(pod["spec"]["containers"][0].get("env", ()))


def user_sets(spec: EngineSpec, name: str) -> bool:
    """Whether the user sets a variable in any member."""
    return any(f'"name":"{name}"' in each.env for each in spec.members)


@given(spec=engines(), mount=st.just(NO_MOUNT) | MOUNTS, dynamo=st.booleans())
def test_a_mount_is_found_where_it_was_given(
    *, spec: EngineSpec, mount: Mount, dynamo: bool
) -> None:
    """Every Pod gives back the mount that it was composed with, unless its user overrides it."""
    for pod in pods(workload(NAMES, spec, mount, dynamo=dynamo, replicas=True)):
        found = mount_in(pod["spec"])
        assert found._replace(env=mount.env) == mount or mount == NO_MOUNT == found
        if not user_sets(spec, "HF_HUB_CACHE"):
            assert found == mount


@given(spec=engines(), mount=st.just(NO_MOUNT) | MOUNTS, dynamo=st.booleans())
def test_no_variable_stands_twice(*, spec: EngineSpec, mount: Mount, dynamo: bool) -> None:
    """Each name stands once, with the user's value where the user sets it."""
    body = workload(NAMES, spec, mount, dynamo=dynamo, replicas=True)
    for pod in pods(body):
        names = [entry["name"] for entry in env_of(pod)]
        assert len(set(names)) == len(names)


@given(spec=engines(), mount=MOUNTS, dynamo=st.booleans())
def test_keeping_a_mount_changes_nothing(*, spec: EngineSpec, mount: Mount, dynamo: bool) -> None:
    """Composed again with the mount that is found in it, a workload is the same to the byte."""
    body = workload(NAMES, spec, mount, dynamo=dynamo, replicas=True)
    kept = mount_in(pods(body)[0]["spec"])
    if not user_sets(spec, "HF_HUB_CACHE"):
        again = workload(NAMES, spec, kept, dynamo=dynamo, replicas=True)
        assert dumps(stamped(again)) == dumps(stamped(body))
        assert applied_digest(stamped(again)) == applied_digest(body)
