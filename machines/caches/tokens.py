"""Tokens: whether the Secret that a cache names holds one, as the log knows it."""

from typing import NamedTuple

from machines.caches.finding import Site, names_of
from machines.caches.levels import SecretLevel
from machines.caches.reaching import scope_key
from machines.caches.states import Cache
from machines.states import SECRET, State


class Token(NamedTuple):
    """The token of a cache; what is neither needed, known nor missing is there."""

    needed: bool = False
    known: bool = True  # the Secret was listed in this session
    digest: str = ""  # keyed digest of the value; "" when there is none
    secret_missing: bool = False  # there is no such Secret at all
    words: str = ""  # why it is not known, the server's own

    @property
    def missing(self) -> bool:
        """Say whether it is known that there is none: no Secret, no key, or an empty value."""
        return self.needed and self.known and not self.digest

    @property
    def usable(self) -> bool:
        """Say whether a Job may be made: it is there, or not needed."""
        return not self.needed or (self.known and bool(self.digest))


NOT_NEEDED = Token()


def token_of(state: State, cache: Cache) -> Token:
    """Give what is known of the token that a cache's spec names."""
    spec = cache.spec
    if spec is None or not spec.secret_name:
        return NOT_NEEDED
    home = state.clusters.get(cache.cluster)
    scope = scope_key(cache.subject.namespace, spec.secret_name)
    if home is None or scope not in home.synced or scope in home.unread:
        words = home.unread.get(scope, "") if home else ""
        return Token(needed=True, known=False, words=words)
    known = home.find(SECRET, cache.subject.namespace, spec.secret_name)
    if known is None or not isinstance(known.level, SecretLevel):
        return Token(needed=True, secret_missing=True)
    return Token(needed=True, digest=dict(known.level.keys).get(spec.secret_key, ""))


def token_key(cache: Cache) -> str:
    """Give the key under which a Job made now finds its token; "" when it needs none."""
    spec = cache.spec
    return spec.secret_key if spec is not None and spec.secret_name else ""


def copy_is_known(site: Site, secret_name: str) -> bool:
    """Say whether the copy's name was listed on its cluster in this session."""
    scope = scope_key(site.namespace, secret_name)
    return scope in site.cluster.synced and scope not in site.cluster.unread


def copy_is_unseen(cache: Cache, site: Site) -> bool:
    """Say whether a copy of the token may be there that was not looked for yet."""
    scope = scope_key(site.namespace, names_of(cache)[SECRET])
    wanted = cache.spec is not None and bool(cache.spec.secret_name)
    return wanted and scope not in site.cluster.synced and scope not in site.cluster.unread


def copy_digest(cache: Cache, site: Site) -> str:
    """Give the digest of the value that the copy holds; "" when it holds none."""
    key = cache.spec.secret_key if cache.spec else ""
    return dict(site.secret_level.keys).get(key, "")
