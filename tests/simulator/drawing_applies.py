"""Random requests by several managers about one Deployment: applied, patched, replaced, scaled."""

import random
from collections.abc import Iterator
from typing import Any

from adapters.ports import Request
from adapters.simulator.resources import DEPLOYMENT, path_of
from tests.simulator.cases import Body, delete, get, operation, patch, post
from tests.simulator.cases_applying import apply, update

MANAGERS = ("warmlog", "crossplane", "kubectl")
NAMES = ("A", "B", "C", "D")
VALUES = ("1", "2", "3")


class ApplyDrawer:
    """Draws requests about the Deployment `x` of one namespace."""

    def __init__(self, seed: int, namespace: str) -> None:
        """Draw by `seed`."""
        self._random = random.Random(seed)
        self._path = path_of(DEPLOYMENT, namespace)
        self._here = f"{self._path}/x"
        self._scaled = 0

    def draw(self, count: int) -> Iterator[Request]:
        """Give so many requests, the first of which makes it."""
        yield self._apply()
        kinds = (self._apply, self._update, self._replace, self._scale, self._rewrite, self._anew)
        for _ in range(count):
            (kind,) = self._random.choices(kinds, (12, 4, 2, 2, 1, 1))
            yield kind()
            yield get(self._here)

    def _one(self, *choices: Any) -> Any:
        return self._random.choice(choices)

    def _some(self, names: tuple[str, ...] = NAMES) -> list[str]:
        """Some of the names, in any order."""
        return self._random.sample(names, self._random.randint(0, len(names)))

    def _maybe(self, **fields: Any) -> Body:
        """Each of the fields or not."""
        return {name: value for name, value in fields.items() if self._random.random() < 0.6}

    def _texts(self) -> dict[str, str]:
        return {name: self._one(*VALUES) for name in self._some()}

    def _container(self, name: str) -> Body:
        env = [{"name": each, "value": self._one(*VALUES)} for each in self._some()]
        ports = [
            {"containerPort": port, **self._maybe(name=f"p{port}", protocol="TCP")}
            for port in self._random.sample((8000, 8001, 8002), 2)
        ]
        mounts = [{"name": "a", "mountPath": f"/{each}"} for each in self._some()]
        fields = self._maybe(
            env=env,
            ports=ports,
            volumeMounts=mounts,
            args=self._some(),
            resources={"limits": self._maybe(cpu="1", memory="1Gi")},
            readinessProbe={"httpGet": {"port": 8000, **self._maybe(path="/health")}},
        )
        return {"name": name, "image": self._one("i:1", "i:2"), **fields}

    def _pod_spec(self) -> Body:
        names = ["engine", *self._random.sample(("beside", "before"), self._one(0, 0, 1, 2))]
        self._random.shuffle(names)
        volumes = [{"name": each, "emptyDir": {}} for each in ("a", *self._some(("b", "c")))]
        self._random.shuffle(volumes)
        return {
            "containers": [self._container(name) for name in names],
            "volumes": volumes,
            **self._maybe(
                nodeSelector={"like-none": "there", **self._texts()},
                tolerations=[{"key": self._one(*NAMES), "operator": "Exists"}],
                imagePullSecrets=[{"name": each.lower()} for each in self._some()],
                hostNetwork=False,
                terminationGracePeriodSeconds=self._one(10, 30),
            ),
        }

    def _deployment(self) -> Body:
        selected = {"app": "x"}
        metadata = self._maybe(labels=self._texts(), annotations=self._texts())
        template = {
            "metadata": {
                "labels": {**selected, **self._texts()},
                **self._maybe(annotations=self._texts()),
            },
            "spec": self._pod_spec(),
        }
        spec = {"selector": {"matchLabels": selected}, "template": template}
        return {
            "apiVersion": DEPLOYMENT.api_version,
            "kind": DEPLOYMENT.kind,
            "metadata": {"name": "x", **metadata},
            "spec": {**spec, **self._maybe(replicas=self._one(1, 2, 3))},
        }

    def _apply(self) -> Request:
        force = self._random.random() < 0.8
        return apply(self._here, self._deployment(), self._one(*MANAGERS), force=force)

    def _update(self) -> Request:
        spec = self._one(
            {"replicas": self._one(1, 2, 3, None)},
            {"template": {"metadata": {"labels": {self._one(*NAMES): self._one(*VALUES, None)}}}},
            {"template": {"spec": {"containers": [self._container("engine")]}}},
            {"template": {"spec": {"tolerations": self._one(None, [])}}},
        )
        note = {self._one(*NAMES): self._one(*VALUES, None)}
        body = {"metadata": {"annotations": note}, **self._maybe(spec=spec)}
        return update(self._here, body, self._one(*MANAGERS))

    def _replace(self) -> Request:
        query = (("fieldManager", self._one(*MANAGERS)),)
        return Request("PUT", self._here, query, self._deployment())

    def _scale(self) -> Request:
        # Never to what they are already: a real server then writes one owner down twice.
        self._scaled += 1
        body = {"spec": {"replicas": self._one(0, 10 + self._scaled)}}
        return update(f"{self._here}/scale", body, self._one("autoscaler", *MANAGERS))

    def _rewrite(self) -> Request:
        """Give all fields up: whoever applies next begins anew."""
        return patch(self._here, operation("replace", "/metadata/managedFields", value=[{}]))

    def _anew(self) -> Request:
        if self._random.random() < 0.5:
            return delete(self._here)
        return post(self._path, self._deployment(), fieldManager=self._one(*MANAGERS))
