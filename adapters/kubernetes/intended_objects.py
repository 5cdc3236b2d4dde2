"""The object that an intent names: read afresh, and called as people call it."""

from adapters.kubernetes.answers import NOT_FOUND, names_object, status_words
from adapters.kubernetes.kinds import KIND_BY_NAME, get_request
from adapters.ports import Api, Response
from machines.intents import ObjectIntent
from machines.observations import Unknown

NAME_TAKEN = "NameTaken"  # the reason for refusing to write to another's object


async def read_intended(intent: ObjectIntent, api: Api, seconds: float) -> Response:
    """Ask for the object by its name; raises ApiUnanswered when no answer came."""
    request = get_request(KIND_BY_NAME[intent.kind], intent.namespace, intent.name)
    return await api.send(request, timeout_seconds=seconds)


def is_gone(intent: ObjectIntent, response: Response) -> bool:
    """Say whether an answer tells that there is no such object; other 404s do not."""
    return names_object(response, KIND_BY_NAME[intent.kind].plural, intent.name)


def untold(intent: ObjectIntent, response: Response) -> Unknown:
    """Give the outcome when an answer tells nothing of the object."""
    if response.ok:
        return Unknown(f"{intended_words(intent)} came back without a uid")
    if response.code == NOT_FOUND:
        words = f"404, but not about {intended_words(intent)}: {status_words(response)}"
        return Unknown(words)
    return Unknown(status_words(response))


def intended_words(intent: ObjectIntent) -> str:
    """Name an object as people do: `Job mp-team/modelcache-…`."""
    place = f"{intent.namespace}/" if intent.namespace else ""
    return f"{KIND_BY_NAME[intent.kind].served_as} {place}{intent.name}"
