"""Image references: which ones mean the same image, and which may mean another one tomorrow."""

_DEFAULT_REGISTRY = "docker.io"
_DEFAULT_TAG = "latest"


def normal_form(reference: str) -> str:
    """Give a reference with all that container runtimes add: registry, `library/`, `:latest`."""
    name, tag, digest = _parts(reference)
    first, slash, rest = name.partition("/")
    if not slash or not ("." in first or ":" in first or first == "localhost"):
        first, rest = _DEFAULT_REGISTRY, name
    if first == "index.docker.io":
        first = _DEFAULT_REGISTRY
    if first == _DEFAULT_REGISTRY and "/" not in rest:
        rest = f"library/{rest}"
    return f"{first}/{rest}@{digest}" if digest else f"{first}/{rest}:{tag or _DEFAULT_TAG}"


def is_latest(reference: str) -> bool:
    """Say whether a reference names whatever its registry calls the latest one."""
    _, tag, digest = _parts(reference)
    return not digest and tag in ("", _DEFAULT_TAG)


def _parts(reference: str) -> tuple[str, str, str]:
    """Cut a reference into its name with the registry, its tag, and its digest."""
    name, _, digest = reference.partition("@")
    head, colon, tag = name.rpartition(":")
    # A colon before a slash belongs to the registry's port.
    if not colon or "/" in tag:
        return name, "", digest
    return head, tag, digest
