"""Pod templates as they must stay: each file of `golden/` is what Modelplane composed.

Who changes one of these files restarts the engines of everybody who updates.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from machines.caches.child_names import claim_name
from machines.caches.mounts import mount
from machines.replicas.bodies import workload
from machines.replicas.mounts import NO_MOUNT, mount_in, read_mount
from tests.crds.manifests import Json
from tests.replicas.composing import NAMES, engines, templates
from tests.replicas.specs import (
    TOKEN,
    container,
    engine,
    gpus,
    leader,
    member,
    replica,
    running,
    template,
    worker,
)

GOLDEN = Path(__file__).parent / "golden"
CACHE = read_mount(mount(claim_name("ml-team", "qwen")))

SERVE = "ray start --head --port=6379; exec vllm serve --port=8000"
JOIN = "exec ray start --address=$(MODELPLANE_LEADER_ADDRESS):6379 --block"
PLAIN = running(args=["--model=Qwen/Qwen3-8B"])
GANG = replica(
    engine(
        leader(
            template=template(
                container(command=["/bin/sh", "-c", SERVE], env=[{"name": "A", "valueFrom": TOKEN}])
            )
        ),
        worker(
            3,
            deviceRequests=None,
            nodePoolName="followers",
            template=template(
                container(command=["/bin/sh", "-c", JOIN], args=["--verbose"]),
                metadata={"labels": {"team": "a"}, "annotations": {"example.com/note": "b"}},
            ),
        ),
    )
)
SETTLED = replica(
    engine(
        member(
            template=template(
                container(
                    command=["python3", "-m", "sglang.launch_server", "--model-path=Qwen/Qwen3-8B"],
                    env=[{"name": "HF_TOKEN", "valueFrom": TOKEN}, {"name": "LOG", "value": "1"}],
                ),
                metadata={"labels": {"team": "a"}, "annotations": {"example.com/note": "b"}},
                secrets=[{"name": "registry"}],
            )
        )
    )
)
OWN_PLACE = running(
    args=["--model=Qwen/Qwen3-8B"],
    env=[{"name": "A", "value": "1"}, {"name": "HF_HUB_CACHE", "value": "/srv/hub"}],
)
TWO = replica(
    engine(name="prefill"),
    engine(member(deviceRequests=[gpus(2)], nodePoolName="small"), name="decode", copies=2),
)

# File -> spec, whether it has the cache, whether its cluster's stack is Dynamo.
TEMPLATES: dict[str, tuple[Json, bool, bool]] = {
    "standalone": (PLAIN, False, False),
    "standalone-cached": (PLAIN, True, False),
    "standalone-cached-with-its-own-place": (OWN_PLACE, True, False),
    "standalone-with-a-command": (SETTLED, False, False),
    "standalone-with-a-command-cached": (SETTLED, True, False),
    "standalone-dynamo": (PLAIN, False, True),
    "standalone-dynamo-cached": (SETTLED, True, True),
    "gang": (GANG, False, False),
    "gang-cached": (GANG, True, False),
    "two-engines-cached": (TWO, True, False),
}


def composed(case: str) -> Json:
    """The Pod templates of every engine of a case."""
    raw, cached, dynamo = TEMPLATES[case]
    given = CACHE if cached else NO_MOUNT
    bodies = [
        (each.name, workload(NAMES, each, given, dynamo=dynamo, replicas=True))
        for each in engines(raw)
    ]
    return {name: templates(body) for name, body in bodies}


def pods(case: str) -> list[Any]:
    """The spec of every Pod of a case."""
    made = composed(case).values()
    return [pod["spec"] for each in made for pod in each.values()]


@pytest.mark.parametrize("case", TEMPLATES)
def test_pod_templates_stay_as_they_are(case: str) -> None:
    """Every key, value and order is as it was, so that no update restarts an engine [C25]"""
    assert json.dumps(composed(case), indent=2) + "\n" == (GOLDEN / f"{case}.json").read_text()


def test_every_golden_file_is_of_a_case() -> None:
    """No file lies there that nothing is compared with."""
    assert {path.stem for path in GOLDEN.iterdir()} == set(TEMPLATES)


@pytest.mark.parametrize("case", [case for case in TEMPLATES if "cached" in case])
def test_a_composed_pod_gives_its_mount_back(case: str) -> None:
    """Leaders, workers and standalone Pods all have the mount, and it is found in each."""
    own = "own-place" in case
    expected = CACHE._replace(env=()) if own else CACHE
    assert [mount_in(pod) for pod in pods(case)] == [expected] * len(pods(case))


def test_without_a_cache_no_mount_is_found() -> None:
    """What was composed without a mount has none to keep."""
    plain = [case for case in TEMPLATES if "cached" not in case]
    assert {mount_in(pod) for case in plain for pod in pods(case)} == {NO_MOUNT}
