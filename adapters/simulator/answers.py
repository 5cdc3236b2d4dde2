"""What the API server says: Status objects, in the words and shapes of a real one."""

from typing import Any, NamedTuple

from adapters.ports import Response
from adapters.simulator.resources import Resource
from adapters.simulator.storage import Manifest


class Refusal(Exception):
    """A request that is not carried out; `response` is what its sender gets."""

    def __init__(self, response: Response) -> None:
        """Refuse with `response`."""
        super().__init__(response.body["message"])
        self.response = response


class Cause(NamedTuple):
    """Why a manifest is invalid: a field, and what is wrong with it."""

    field: str
    message: str
    reason: str = "FieldValueInvalid"


def failure(
    code: int, reason: str, message: str, details: dict[str, Any] | None = None
) -> Response:
    """Give a Status that says no."""
    body: Manifest = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": reason,
    }
    if details is not None:
        body["details"] = details
    return Response(code, {**body, "code": code})


def deleted(resource: Resource, name: str, uid: str) -> Response:
    """Say that an object is gone."""
    body = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": {**_details(resource, name), "uid": uid},
    }
    return Response(200, body)


def not_found(resource: Resource, name: str) -> Refusal:
    """Refuse: there is no such object."""
    message = f'{resource.full_name} "{name}" not found'
    return Refusal(failure(404, "NotFound", message, _details(resource, name)))


def no_such_path(*, in_group: bool = True) -> Refusal:
    """Refuse: there is no such resource; outside all groups that is said in plain text.

    Plain text comes out of the port as a Status that has nothing but a message.
    """
    if not in_group:
        body = {"kind": "Status", "status": "Failure", "message": "404 page not found"}
        return Refusal(Response(404, body))
    message = "the server could not find the requested resource"
    return Refusal(failure(404, "NotFound", message, {}))


def already_exists(resource: Resource, name: str, *, deleting: bool = False) -> Refusal:
    """Refuse a create: the name is taken, maybe by an object that is going."""
    message = f'{resource.full_name} "{name}" already exists'
    if deleting:
        message = f"object is being deleted: {message}"
    return Refusal(failure(409, "AlreadyExists", message, _details(resource, name)))


def versioned_at_create() -> Refusal:
    """Refuse a new object that says which version it is: 500, without a reason."""
    body: Manifest = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "resourceVersion should not be set on objects to be created",
        "code": 500,
    }
    return Refusal(Response(500, body))


def conflict(resource: Resource, name: str, words: str, *, by_kind: bool = False) -> Refusal:
    """Refuse a write that was meant for another state of the object.

    The precondition of a graceful delete is checked where only the kind is known (`by_kind`).
    """
    details = _details(resource, name, resource.kind if by_kind else resource.plural)
    called = details["kind"] + (f".{resource.group}" if resource.group else "")
    message = f'Operation cannot be fulfilled on {called} "{name}": {words}'
    return Refusal(failure(409, "Conflict", message, details))


def modified_since(resource: Resource, name: str) -> Refusal:
    """Refuse an update that carries an old resourceVersion."""
    words = (
        "the object has been modified; please apply your changes to the latest version "
        "and try again"
    )
    return conflict(resource, name, words)


def forbidden(
    resource: Resource, name: str, words: str, causes: list[dict[str, str]] | None = None
) -> Refusal:
    """Refuse what admission forbids."""
    details = _details(resource, name)
    if causes:
        details["causes"] = causes
    message = f'{resource.full_name} "{name}" is forbidden: {words}'
    return Refusal(failure(403, "Forbidden", message, details))


def denied(resource: Resource, name: str, words: str) -> Refusal:
    """Refuse what an admission policy denies: 422, and a cause that names no field."""
    details = {**_details(resource, name), "causes": [{"message": words}]}
    message = f'{resource.full_name} "{name}" is forbidden: {words}'
    return Refusal(failure(422, "Invalid", message, details))


def namespace_terminating(resource: Resource, name: str, namespace: str) -> Refusal:
    """Refuse a create in a namespace that is going away."""
    cause = {
        "reason": "NamespaceTerminating",
        "message": f"namespace {namespace} is being terminated",
        "field": "metadata.namespace",
    }
    words = f"unable to create new content in namespace {namespace} because it is being terminated"
    return forbidden(resource, name, words, [cause])


def invalid(resource: Resource, name: str, causes: list[Cause]) -> Refusal:
    """Refuse a manifest, naming each field that is wrong."""
    listed = [
        {"reason": cause.reason, "message": cause.message, "field": cause.field} for cause in causes
    ]
    words = [f"{cause.field}: {cause.message}" for cause in causes]
    text = words[0] if len(words) == 1 else f"[{', '.join(words)}]"
    details = {**_details(resource, name, resource.kind), "causes": listed}
    called = resource.kind + (f".{resource.group}" if resource.group else "")
    message = f'{called} "{name}" is invalid: {text}'
    return Refusal(failure(422, "Invalid", message, details))


def apply_conflict(conflicts: list[tuple[str, str]]) -> Refusal:
    """Refuse to apply fields that others own; each conflict is an owner, and a field."""
    causes = [
        {"reason": "FieldManagerConflict", "message": f"conflict with {owner}", "field": field}
        for owner, field in conflicts
    ]
    if len(conflicts) == 1:
        ((owner, field),) = conflicts
        message = f"Apply failed with 1 conflict: conflict with {owner}: {field}"
    else:
        fields_by_owner: dict[str, list[str]] = {}
        for owner, field in conflicts:
            fields_by_owner.setdefault(owner, []).append(field)
        listed = (
            "\n- ".join([f"conflicts with {owner}:", *fields])
            for owner, fields in fields_by_owner.items()
        )
        message = f"Apply failed with {len(conflicts)} conflicts: " + "\n".join(listed)
    return Refusal(failure(409, "Conflict", message, {"causes": causes}))


def applied_to_nothing(resource: Resource, name: str, body: Manifest) -> Refusal:
    """Refuse to create what is applied to an object that its sender has seen."""
    uid = body["metadata"]["uid"]
    words = "uid mismatch: the provided object specified uid"
    return conflict(resource, name, f"{words} {uid}, and no existing object was found")


def cannot_apply(resource: Resource, called: str, words: str) -> Refusal:
    """Refuse an applied body that cannot be read by its kind's schema: 500, without a reason."""
    of = f"{called}; {resource.api_version}, Kind={resource.kind}"
    body: Manifest = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": f"failed to create typed patch object ({of}): {words}",
        "code": 500,
    }
    return Refusal(Response(500, body))


def bad_patch_options(field: str, words: str) -> Refusal:
    """Refuse a patch that is asked for in a way that makes no sense."""
    reason = "FieldValueForbidden" if words.startswith("Forbidden") else "FieldValueRequired"
    cause = {"reason": reason, "message": words, "field": field}
    details = {"group": "meta.k8s.io", "kind": "PatchOptions", "causes": [cause]}
    message = f'PatchOptions.meta.k8s.io "" is invalid: {field}: {words}'
    return Refusal(failure(422, "Invalid", message, details))


def patch_failed() -> Refusal:
    """Refuse a JSON patch that cannot be applied, a failed `test` among others: no causes."""
    message = "the server rejected our request due to an error in our request"
    return Refusal(failure(422, "Invalid", message, {}))


def bad_request(words: str) -> Refusal:
    """Refuse a body that is not what it should be."""
    return Refusal(failure(400, "BadRequest", words))


def misnamed(name: str, path_name: str) -> Refusal:
    """Refuse an object that has another name than its path."""
    return bad_request(
        f"the name of the object ({name}) does not match the name on the URL ({path_name})"
    )


def unsupported_media_type(words: str) -> Refusal:
    """Refuse a body in a format that is not taken here."""
    return Refusal(failure(415, "UnsupportedMediaType", words))


def method_not_allowed() -> Refusal:
    """Refuse a method that the path does not have."""
    words = "the server does not allow this method on the requested resource"
    return Refusal(failure(405, "MethodNotAllowed", words, {}))


def unversioned(resource: Resource, name: str) -> Refusal:
    """Refuse a PUT that does not say which version it replaces."""
    words = "Invalid value: 0: must be specified for an update"
    field = "metadata.resourceVersion"
    cause = {"reason": "FieldValueInvalid", "message": words, "field": field}
    details = {**_details(resource, name), "causes": [cause]}
    message = f'{resource.full_name} "{name}" is invalid: {field}: {words}'
    return Refusal(failure(422, "Invalid", message, details))


def bad_list_options(resource: Resource, field: str, words: str) -> Refusal:
    """Refuse a list that asks in a way that makes no sense."""
    reason = "FieldValueForbidden" if words.startswith("Forbidden") else "FieldValueNotSupported"
    cause = {"reason": reason, "message": words, "field": field}
    details = {"group": "meta.k8s.io", "kind": "ListOptions", "causes": [cause]}
    message = f'ListOptions.meta.k8s.io "{resource.full_name}" is invalid: {field}: {words}'
    return Refusal(failure(422, "Invalid", message, details))


def bad_propagation(policy: str) -> Refusal:
    """Refuse a delete that says in an unknown way what is to become of the dependents."""
    words = (
        f'Unsupported value: "{policy}": supported values: "Foreground", "Background", '
        '"Orphan", "nil"'
    )
    cause = {"reason": "FieldValueNotSupported", "message": words, "field": "propagationPolicy"}
    details = {"group": "meta.k8s.io", "kind": "DeleteOptions", "causes": [cause]}
    message = f'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: {words}'
    return Refusal(failure(422, "Invalid", message, details))


def bad_patch(words: str) -> Refusal:
    """Refuse a patch whose result cannot be decoded."""
    cause = {"reason": "FieldValueInvalid", "message": words, "field": "patch"}
    return Refusal(failure(422, "Invalid", f' "" is invalid: patch: {words}', {"causes": [cause]}))


def expired(words: str) -> Response:
    """Say that history has been compacted."""
    return failure(410, "Expired", words)


def too_new(version: int, current: int) -> Refusal:
    """Refuse a read at a version that does not exist yet."""
    message = f"Timeout: Too large resource version: {version}, current: {current}"
    cause = {"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}
    details = {"causes": [cause], "retryAfterSeconds": 1}
    return Refusal(failure(504, "Timeout", message, details))


def _details(resource: Resource, name: str, kind: str = "") -> dict[str, Any]:
    """Name an object; empty parts are left out, as a real server leaves them."""
    parts = {"name": name, "group": resource.group, "kind": kind or resource.plural}
    return {part: value for part, value in parts.items() if value}
