"""Specs of a ModelWarmup drawn at random: such as can work, and such with faults planted in them.

Neither knows how specs are checked: a good one is made of good parts, and a fault comes with the
path at which it has to be found.
"""

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.crds.manifests import Json

Draw = Callable[[st.SearchStrategy[Any]], Any]

LABEL = st.from_regex(r"[a-z0-9]([-a-z0-9]{0,9}[a-z0-9])?", fullmatch=True)
SUBDOMAIN = st.lists(LABEL, min_size=1, max_size=3).map(".".join)
VALUE = st.from_regex(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,9}[A-Za-z0-9])?)?", fullmatch=True)
KEY_NAME = st.from_regex(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,9}[A-Za-z0-9])?", fullmatch=True)
KEY = KEY_NAME | st.builds("{}/{}".format, SUBDOMAIN, KEY_NAME)
# Every character that JSON can carry: the API server takes no half of a surrogate pair.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
IMAGE = st.from_regex(r"[a-z]{1,5}(/[a-z]{1,5})?(:[a-z0-9.]{1,5})?", fullmatch=True)
PULL_POLICY = st.sampled_from(["", "Always", "IfNotPresent", "Never"])
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
INT32, INT64 = 2**31 - 1, 2**63 - 1
BOUNDS = {
    "parallelism": (1, INT32),
    "jobTimeoutSeconds": (1, INT64),
    "retryLimit": (0, INT32),
    "ttlSecondsAfterFinished": (1, INT32),
}


class Planted(NamedTuple):
    """A spec with faults, and the paths of all of them."""

    spec: Json
    fields: frozenset[str]


def some(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Json]:
    """Objects with some of these fields."""
    return st.fixed_dictionaries({}, optional=fields)


def requirements() -> st.SearchStrategy[Json]:
    """Requirements of a selector."""
    compared = {"values": st.lists(VALUE, min_size=1, max_size=3)}
    return st.fixed_dictionaries(
        {"key": KEY, "operator": st.sampled_from(["In", "NotIn"]), **compared}
    ) | st.fixed_dictionaries(
        {"key": KEY, "operator": st.sampled_from(["Exists", "DoesNotExist"])},
        optional={"values": st.just([])},
    )


def targets() -> st.SearchStrategy[Json]:
    """Entries of spec.targets."""
    selector = some(
        matchLabels=st.dictionaries(KEY, VALUE, max_size=3),
        matchExpressions=st.lists(requirements(), max_size=3),
    ).filter(lambda drawn: any(drawn.values()))
    names = st.lists(SUBDOMAIN, min_size=1, max_size=4)
    return st.fixed_dictionaries({"nodeSelector": selector}) | st.fixed_dictionaries(
        {"nodes": st.fixed_dictionaries({"names": names})}
    )


def image_entries() -> st.SearchStrategy[Json]:
    """Entries of spec.imagePreload.images."""
    return st.fixed_dictionaries(
        {"image": IMAGE, "command": st.lists(TEXT, min_size=1, max_size=3)},
        optional={"args": st.lists(TEXT, max_size=3), "imagePullPolicy": PULL_POLICY},
    )


def secrets() -> st.SearchStrategy[list[Json]]:
    """Lists of pull secrets, in which one may stand twice."""
    return st.lists(st.fixed_dictionaries({"name": SUBDOMAIN}), max_size=3)


@st.composite
def customs(draw: Draw) -> Json:
    """Custom fragments whose names are unique and whose mounts are declared."""
    volumes = draw(st.lists(LABEL, unique=True, max_size=3))
    names = draw(st.lists(LABEL.filter(lambda name: name[:6] != "image-"), unique=True, max_size=4))
    inits = draw(st.integers(0, len(names)))
    containers = [_container(draw, name, volumes, init=i < inits) for i, name in enumerate(names)]
    custom = {
        "initContainers": containers[:inits],
        "containers": containers[inits:],
        "volumes": [
            {"name": name, draw(st.sampled_from(["emptyDir", "csi", "ofTomorrow"])): {}}
            for name in volumes
        ],
        "imagePullSecrets": draw(secrets()),
    }
    return {name: value for name, value in custom.items() if value or draw(st.booleans())}


def _container(draw: Draw, name: str, volumes: list[str], *, init: bool) -> Json:
    mounted = draw(st.lists(st.sampled_from(volumes), max_size=3)) if volumes else []
    mounts = [{"name": each, "mountPath": f"/{place}"} for place, each in enumerate(mounted)]
    probes = {} if init else {"livenessProbe": st.just({"exec": {"command": ["true"]}})}
    more = draw(
        some(
            command=st.lists(TEXT, max_size=2),
            imagePullPolicy=PULL_POLICY,
            resources=st.just({"limits": {"cpu": 1}}),
            securityContext=st.just({"privileged": True}),
            tty=st.booleans(),
            ofTomorrow=ANYTHING.filter(lambda drawn: drawn is not None),
            **probes,
        )
    )
    return {
        "name": name,
        "image": draw(IMAGE),
        **({"volumeMounts": mounts} if mounts else {}),
        **more,
    }


@st.composite
def good_specs(draw: Draw) -> Json:
    """Specs that can work."""
    custom = draw(st.none() | customs())
    least = 0 if custom and custom.get("containers") else 1
    images = draw(
        st.lists(image_entries(), min_size=least, max_size=3, unique_by=lambda each: each["image"])
    )
    policies = some(**{name: st.integers(*bounds) for name, bounds in BOUNDS.items()})
    spec = {
        "mode": draw(st.sampled_from(["", "Once", None])),
        "targets": draw(st.lists(targets(), min_size=1, max_size=4)),
        "imagePreload": {"images": images, "pullSecrets": draw(secrets())},
        "custom": custom,
        "policies": draw(st.none() | policies),
    }
    return {name: value for name, value in spec.items() if value is not None}


def _added(spec: Json, path: str, entry: Any) -> str:
    """Add an entry to a list of the spec; give the path of the entry."""
    part = spec
    *parents, last = path.split(".")
    for name in parents:
        part = part.setdefault(name, {})
    entries = part.setdefault(last, [])
    entries.append(entry)
    return f"spec.{path}[{len(entries) - 1}]"


# Each is bad by one field: the list that it is added to, the entry, and the field in there.
_BAD_ENTRIES: list[tuple[str, Json, str]] = [
    ("targets", {}, ""),
    ("targets", {"nodes": {"names": ["a"]}, "nodeSelector": {"matchLabels": {"a": "b"}}}, ""),
    ("targets", {"nodes": {"names": ["a", "A"]}}, ".nodes.names[1]"),
    ("targets", {"nodeSelector": {}}, ".nodeSelector"),
    ("targets", {"nodeSelector": {"matchLabels": {"a": "-"}}}, ".nodeSelector.matchLabels.a"),
    ("imagePreload.images", {"image": "planted:1"}, ".command"),
    ("imagePreload.images", {"image": " planted:2", "command": ["x"]}, ".image"),
    ("imagePreload.pullSecrets", {"name": "_"}, ".name"),
    ("custom.initContainers", {"name": "planted-1", "image": ""}, ".image"),
    ("custom.initContainers", {"name": "planted-2", "image": "i", "lifecycle": {}}, ".lifecycle"),
    ("custom.containers", {"name": "Planted", "image": "i"}, ".name"),
    (
        "custom.containers",
        {"name": "planted-3", "image": "i", "restartPolicy": "Never"},
        ".restartPolicy",
    ),
    (
        "custom.containers",
        {"name": "planted-4", "image": "i", "volumeMounts": [{"name": "no.one", "mountPath": "/"}]},
        ".volumeMounts[0].name",
    ),
    ("custom.containers", {"name": "planted-5", "image": "i", "env": {}}, ".env"),
    ("custom.volumes", {"name": "planted-6"}, ""),
    ("custom.volumes", {"name": "planted-7", "emptyDir": {}, "csi": {}}, ""),
    ("custom.imagePullSecrets", {}, ".name"),
]


@st.composite
def bad_specs(draw: Draw) -> Planted:
    """Specs that could work but for some planted faults."""
    spec = copy.deepcopy(draw(good_specs()))
    fields = set()
    for index in draw(st.lists(st.sampled_from(range(len(_BAD_ENTRIES))), unique=True, max_size=3)):
        path, entry, field = _BAD_ENTRIES[index]
        fields.add(_added(spec, path, copy.deepcopy(entry)) + field)
    if not fields or draw(st.booleans()):
        name = draw(st.sampled_from(sorted(BOUNDS)))
        least, most = BOUNDS[name]
        spec.setdefault("policies", {})[name] = draw(st.sampled_from([least - 1, most + 1, "8"]))
        fields.add(f"spec.policies.{name}")
    return Planted(spec, frozenset(fields))


def examples(strategy: st.SearchStrategy[Json], count: int) -> list[Json]:
    """So many examples of a strategy, the same ones each time."""
    found: list[Json] = []

    @settings(max_examples=count, database=None, phases=[Phase.generate], derandomize=True)
    @given(strategy)
    def collect(example: Json) -> None:
        found.append(example)

    collect()
    return found
