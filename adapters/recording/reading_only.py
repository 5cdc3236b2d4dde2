"""Reading only: a cluster of which a recorder can ask nothing but what it holds."""

from adapters.kubernetes.probing import HarmlessApi, NotHarmless
from adapters.ports import Request, Response


class ReadOnlyApi(HarmlessApi):
    """An API server that is listed, watched and read, whatever else anybody wants of it."""

    async def send(self, request: Request, *, timeout_seconds: float) -> Response:
        """Send a read. Raises NotHarmless before anything else is sent, and ApiUnanswered."""
        if request.method != "GET":
            msg = f"{request.method} {request.path} is no read, and a recorder sends none"
            raise NotHarmless(msg)
        return await super().send(request, timeout_seconds=timeout_seconds)
