"""Searching clusters for what warmlog would leave behind. Everything is read, nothing changed.

Each cluster is read by itself: what does not answer, or may not be read, is said in its own words,
and the others are searched all the same. Of Secrets only metadata is asked for, but of the
kubeconfigs by which other clusters are reached.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from adapters.kubernetes.answers import NOT_FOUND, names_object, status_words, uid_of
from adapters.kubernetes.configuring import AccessUnusable
from adapters.kubernetes.discretion import DiscreetApi
from adapters.kubernetes.fields import mapping, text
from adapters.kubernetes.kinds import (
    CLAIM,
    CLAIM_TEMPLATE,
    DEPLOYMENT,
    GANG,
    HYDRATION_JOB,
    INFERENCE_CLUSTER,
    JOB,
    MODEL_CACHE,
    MODEL_REPLICA,
    MODEL_WARMUP,
    NAMESPACE,
    SECRET,
    SERVICE,
    Kind,
    get_request,
)
from adapters.kubernetes.leftovers import Held, Inventory, Leftover, Owners, Place, Standing
from adapters.kubernetes.normalising_caches import (
    cache_level,
    claim_level,
    cluster_level,
    hydration_job_level,
    owner_of,
)
from adapters.kubernetes.normalising_replicas import (
    replica_level,
    replica_owner_of,
    workload_level,
)
from adapters.kubernetes.object_parts import condition_of
from adapters.kubernetes.reading import read_raw
from adapters.kubernetes.reflecting import ReadRefused
from adapters.kubernetes.vaults import SecretVault
from adapters.ports import JSON, METADATA_LIST, Api, ApiUnanswered, Connect
from engine.errors import WarmlogError
from machines import labels
from machines.caches.cluster_specs import IN_CLUSTER, parse_cluster
from machines.caches.levels import Owner
from machines.caches.reaching import (
    MODELPLANE_NAMESPACE,
    NOT_PROVISIONED,
    SecretKey,
    kubeconfig_secret,
)

Raw = dict[str, Any]


class Where(NamedTuple):
    """Where kubeconfigs are looked for: in the namespace that is given, or as `run` does."""

    secret_namespace: str
    own_namespace: str


class Sought(NamedTuple):
    """Objects of one kind that are looked for, and whose they are."""

    kind: Kind
    accept: str
    words: Callable[[Raw], str]  # how one is
    owner_of: Callable[[Raw], Owner]  # by its metadata
    owner_kind: str


Standings = Mapping[str, Owners]  # by kind


class Searcher:
    """Searches the cluster that warmlog runs in, and every other one that it knows of."""

    def __init__(
        self, home: Api, vault: SecretVault, connect: Connect, *, timeout_seconds: float
    ) -> None:
        """Read `home`; `connect` opens other clusters. Values of Secrets stay in `vault`."""
        self._home = DiscreetApi(home, vault)
        self._vault = vault
        self._connect = connect
        self._seconds = timeout_seconds

    async def inventory(self, where: Where) -> Inventory:
        """Give all that is left. Raises ApiUnanswered when home does not answer."""
        caches, no_caches = await self._ours(MODEL_CACHE)
        clusters, no_clusters = await self._ours(INFERENCE_CLUSTER)
        warmups, no_warmups = await self._ours(MODEL_WARMUP)
        replicas, no_replicas = await self._ours(MODEL_REPLICA)
        owners = {
            MODEL_CACHE.name: Owners(None if no_caches else map(_identity, caches)),
            MODEL_REPLICA.name: Owners(None if no_replicas else map(_identity, replicas)),
        }
        remote = [each for each in clusters if not _is_home(each)]
        at_home = Place(_names(clusters, remote), is_home=True)
        home = await self._search(self._home, at_home, owners)
        others = await asyncio.gather(*(self._reach(each, where, owners) for each in remote))
        jobs, no_jobs = await self._warmup_jobs(None if no_warmups else warmups)
        return Inventory(
            tuple(_held_cache(each) for each in caches if cache_level(each).held),
            tuple(_held_replica(each) for each in replicas if replica_level(each).held),
            _told_once((home, *others)),
            jobs,
            tuple(filter(None, (no_caches, no_replicas, no_clusters, no_warmups, no_jobs))),
        )

    async def _ours(self, kind: Kind) -> tuple[list[Raw], str]:
        """Give all objects of a kind of ours; where it is not served there are none."""
        try:
            return await self._list(self._home, kind), ""
        except ReadRefused as error:
            return [], "" if error.code == NOT_FOUND else _unread(kind, error.words)

    async def _warmup_jobs(self, warmups: list[Raw] | None) -> tuple[tuple[Leftover, ...], str]:
        """Give the Jobs of ModelWarmups that are no more: Kubernetes deletes them, if it can."""
        existing = {uid_of(each) for each in warmups or ()}
        try:
            jobs = await self._list(self._home, JOB)
        except ReadRefused as error:
            return (), _unread(JOB, error.words)
        standing = Standing.UNKNOWN if warmups is None else Standing.GONE
        left = (_warmup_job(each, standing) for each in jobs)
        return tuple(one for one in left if one.owner.uid not in existing), ""

    async def _reach(self, cluster: Raw, where: Where, owners: Standings) -> Place:
        """Search another cluster, if there is a way to it."""
        place = Place((_identity(cluster).name,))
        try:
            kubeconfig = await self._kubeconfig(cluster, where)
            api = await self._connect(_identity(cluster).name, kubeconfig)
        except WarmlogError as error:
            return place._replace(troubles=(self._vault.scrub(str(error)),))
        try:
            return await self._search(DiscreetApi(api, self._vault), place, owners)
        except ApiUnanswered as error:
            return place._replace(troubles=(f"it does not answer: {error}",))
        finally:
            await api.close()

    async def _kubeconfig(self, cluster: Raw, where: Where) -> str:
        """Give the text of a cluster's kubeconfig. Raises AccessUnusable with why there is none."""
        level, spec = cluster_level(cluster), parse_cluster(cluster.get("spec"))
        namespace = where.secret_namespace or await self._default_namespace(where)
        secret = kubeconfig_secret(spec, level.provider_config, namespace)
        if secret is None:
            raise AccessUnusable(NOT_PROVISIONED)
        response = await self._get(SECRET, secret.namespace, secret.name)
        if names_object(response, SECRET.plural, secret.name):
            raise AccessUnusable(f"{secret} with its kubeconfig does not exist")
        if not response.ok:
            words = status_words(response)
            raise AccessUnusable(f"{secret} with its kubeconfig cannot be read: {words}")
        return self._text_of(secret)

    def _text_of(self, secret: SecretKey) -> str:
        found = self._vault.text_of(self._home.cluster, *secret)
        if not found:
            raise AccessUnusable(f"{secret} has no key {secret.key} with a kubeconfig")
        return found

    async def _default_namespace(self, where: Where) -> str:
        found = await self._get(NAMESPACE, "", MODELPLANE_NAMESPACE)
        return MODELPLANE_NAMESPACE if found.ok else where.own_namespace

    async def _search(self, api: Api, place: Place, owners: Standings) -> Place:
        """Find what caches and replicas have on a cluster. Raises ApiUnanswered."""
        left: list[Leftover] = []
        others, troubles = 0, []
        for sought in (*_OF_CACHES, *_OF_REPLICAS):
            try:
                found = await self._list(api, sought.kind, sought.accept)
            except ReadRefused as error:
                if error.code != NOT_FOUND or sought.owner_kind == MODEL_CACHE.name:
                    troubles.append(_unread(sought.kind, error.words))
                continue
            ours = [each for each in found if any(sought.owner_of(_metadata(each)))]
            if sought.kind.label_selector:
                others += len(found) - len(ours)
            left += [_leftover(sought, each, owners[sought.owner_kind]) for each in ours]
        response = await api.send(
            get_request(NAMESPACE, "", "kube-system"), timeout_seconds=self._seconds
        )
        uid = uid_of(response.body) if response.ok else ""
        return place._replace(
            left=tuple(sorted(left, key=lambda one: (one.owner, one.kind, one.name))),
            others=others,
            troubles=tuple(troubles),
            uid=uid,
        )

    async def _list(self, api: Api, kind: Kind, accept: str = JSON) -> list[Raw]:
        query = (("labelSelector", kind.label_selector),) if kind.label_selector else ()
        return await read_raw(api, kind.path(), query, timeout_seconds=self._seconds, accept=accept)

    async def _get(self, kind: Kind, namespace: str, name: str) -> Any:
        request = get_request(kind, namespace, name)
        return await self._home.send(request, timeout_seconds=self._seconds)


def _is_home(cluster: Raw) -> bool:
    return parse_cluster(cluster.get("spec")).source == IN_CLUSTER


def _names(clusters: list[Raw], remote: list[Raw]) -> tuple[str, ...]:
    return tuple(sorted(_identity(each).name for each in clusters if each not in remote))


def _told_once(places: tuple[Place, ...]) -> tuple[Place, ...]:
    """Tell what is on a cluster under the first of its names alone."""
    first: dict[str, str] = {}
    told = []
    for place in places:
        known = first.get(place.uid) if place.uid else None
        told.append(place if known is None else place._replace(left=(), others=0, same_as=known))
        first.setdefault(place.uid, place.title)
    return tuple(told)


def _held_cache(raw: Raw) -> Held:
    ready = text(mapping(mapping(raw.get("status")).get("summary")).get("ready"))
    return Held(MODEL_CACHE.name, *_identity(raw), ready, cache_level(raw).deleting)


def _held_replica(raw: Raw) -> Held:
    ready = text(condition_of(raw, "ModelReady").get("status"))
    return Held(MODEL_REPLICA.name, *_identity(raw), ready, replica_level(raw).deleting)


def _leftover(sought: Sought, raw: Raw, owners: Owners) -> Leftover:
    owner = sought.owner_of(_metadata(raw))
    return Leftover(
        sought.kind.served_as,
        *_identity(raw),
        owner,
        owners.standing(owner),
        sought.words(raw),
        sought.owner_kind,
    )


def _warmup_job(raw: Raw, standing: Standing) -> Leftover:
    metadata, identity = _metadata(raw), _identity(raw)
    uid = text(mapping(metadata.get("labels")).get(labels.WARMUP_UID))
    name = text(mapping(metadata.get("annotations")).get(labels.WARMUP_NAME))
    owner = Owner(identity.namespace, name, uid)
    words = _job_words(raw)
    return Leftover(JOB.served_as, *identity, owner, standing, words, MODEL_WARMUP.name)


def _claim_words(raw: Raw) -> str:
    level = claim_level(raw)
    return " ".join(filter(None, (level.capacity or level.requested, level.phase)))


def _job_words(raw: Raw) -> str:
    return hydration_job_level(raw).outcome or "unfinished"


def _identity(raw: Raw) -> Owner:
    metadata = _metadata(raw)
    return Owner(*(text(metadata.get(field)) for field in ("namespace", "name", "uid")))


def _metadata(raw: Raw) -> Raw:
    return mapping(raw.get("metadata"))


def _unread(kind: Kind, words: str) -> str:
    return f"{kind.resource} cannot be read: {words}"


def _workload_words(raw: Raw) -> str:
    return "available" if workload_level(raw).available == "True" else "not available"


_OF_CACHES = tuple(
    Sought(kind, accept, words, owner_of, MODEL_CACHE.name)
    for kind, accept, words in (
        (CLAIM, JSON, _claim_words),
        (HYDRATION_JOB, JSON, _job_words),
        (SECRET._replace(label_selector=labels.CACHE), METADATA_LIST, lambda _: ""),
    )
)
# These bear no label by which they could be listed: all are, and ours are told by annotations.
_OF_REPLICAS = tuple(
    Sought(kind, accept, words, replica_owner_of, MODEL_REPLICA.name)
    for kind, accept, words in (
        (DEPLOYMENT, JSON, _workload_words),
        (GANG, JSON, _workload_words),
        (SERVICE, METADATA_LIST, lambda _: ""),
        (CLAIM_TEMPLATE, METADATA_LIST, lambda _: ""),
    )
)
