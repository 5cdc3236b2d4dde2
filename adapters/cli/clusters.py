"""Clusters: API servers opened by commands, most of which read them and ask for dry runs only."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from adapters.cli.exit_codes import ExitCode
from adapters.cli.problems import Problem
from adapters.kubernetes.probing import HarmlessApi
from adapters.ports import Api

REQUEST_SECONDS = 10.0
_NAME = "cluster"


@asynccontextmanager
async def cluster(kubeconfig: str | None, context: str | None) -> AsyncIterator[HarmlessApi]:
    """Open a cluster to be read, as `changeable_cluster` does."""
    async with changeable_cluster(kubeconfig, context) as api:
        yield HarmlessApi(api)


@asynccontextmanager
async def changeable_cluster(kubeconfig: str | None, context: str | None) -> AsyncIterator[Api]:
    """Open a cluster. Raises Problem when it cannot be reached, while it is used too."""
    from adapters.kubernetes.configuring import AccessUnusable, load_access
    from adapters.kubernetes.http_api import HttpApi
    from adapters.ports import ApiUnanswered

    try:
        access = await load_access(kubeconfig=kubeconfig, context=context)
    except AccessUnusable as error:
        raise Problem(ExitCode.CLUSTER_UNUSABLE, str(error)) from error
    api = HttpApi(_NAME, access)
    try:
        yield api
    except ApiUnanswered as error:
        words = f"The cluster does not answer: {error}. See whether it runs and can be reached."
        raise Problem(ExitCode.CLUSTER_UNUSABLE, words) from error
    finally:
        await api.close()
