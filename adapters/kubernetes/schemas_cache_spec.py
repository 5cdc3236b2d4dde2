"""What a ModelCache asks for: the schema of `spec`, a pure table.

Fields, defaults and bounds are those of Modelplane's public API, so that its manifests apply
unchanged. Beyond it, what could never be fetched or mounted is refused when it is created: names
of repositories, revisions, Secrets and labels that cannot be. `machines/caches/specs.py` finds the
same, and the keys of labels besides, which the API server cannot afford to look at.

Bounds and patterns are forgiven by the API server while a value is unchanged; rules look at new
values only (`rules.py`), but for those that say how a value may change.
"""

from adapters.kubernetes.rules import FORBIDDEN, INVALID, REQUIRED, Rule, rule
from adapters.kubernetes.schemas_pods import DNS_SUBDOMAIN, Schema
from machines.caches.specs import (
    DEFAULT_TOKEN_KEY,
    HUGGING_FACE,
    MAX_SIZE_GIB,
    NO_REPO_ENDING,
    REPO,
    REVISION,
    SECRET_KEY,
    SOURCES,
)
from machines.syntaxes import LABEL_VALUE


def _immutable(*names: str) -> Rule:
    """Give the rule, standing at the spec, that a text stays what it is, or stays left out.

    Empty is left out. The value is not asked for with `orValue`: the API server knows no bound for
    what that gives, and refuses the rule as one that it cannot afford.
    """
    value = ".".join(names)
    given = _given("self", names)
    return {
        "rule": f"({given}) == ({_given('oldSelf', names)}) && "
        f"(!({given}) || self.{value} == oldSelf.{value})",
        "message": "must not be changed: create a new ModelCache instead",
        "fieldPath": f".{value}",
        "reason": FORBIDDEN,
    }


def _given(holder: str, names: tuple[str, ...]) -> str:
    """Give the expression that a text below an object is there and not empty."""
    paths = [".".join((holder, *names[: count + 1])) for count in range(len(names))]
    return " && ".join([f"has({path})" for path in paths] + [f"{paths[-1]} != ''"])


_AUTH_SECRET: Schema = {
    "type": "object",
    "description": "Token for a gated or private repository. It may be changed at any time.",
    "required": ["name"],
    "properties": {
        "name": {
            **DNS_SUBDOMAIN,
            "minLength": 1,
            "description": "Name of a Secret in the namespace of the ModelCache.",
        },
        "key": {
            "type": "string",
            "default": DEFAULT_TOKEN_KEY,
            "maxLength": SECRET_KEY.longest,
            "pattern": f"^{SECRET_KEY.pattern}$",
            "description": "Key of that Secret under which the token lies.",
        },
    },
}

_HUGGING_FACE: Schema = {
    "type": "object",
    "description": "A repository of the Hugging Face hub. Required when source is HuggingFace.",
    "required": ["repo", "sizeGiB"],
    "properties": {
        "repo": {
            "type": "string",
            "minLength": 1,
            "maxLength": REPO.longest,
            "description": "Repository, as owner/name, or as name where it has no owner. It "
            "cannot be changed.",
            "x-kubernetes-validations": [
                rule(
                    f"self.matches(r'^{REPO.pattern}$') && !self.endsWith('{NO_REPO_ENDING}')",
                    "must be owner/name or name, of letters, digits, '-', '_' and '.', without "
                    f"'--' and '..', and must not end in {NO_REPO_ENDING}",
                    INVALID,
                ),
            ],
        },
        "revision": {
            "type": "string",
            "maxLength": REVISION.longest,
            "description": "Branch, tag, commit or refs/pr/N. The repository's default branch when "
            "left out. It cannot be changed.",
            "x-kubernetes-validations": [
                rule(
                    f"self.matches(r'^{REVISION.pattern}$')",
                    f"must be {REVISION.noun}",
                    INVALID,
                ),
            ],
        },
        "authSecret": _AUTH_SECRET,
        "sizeGiB": {
            "type": "integer",
            "minimum": 1,
            "maximum": MAX_SIZE_GIB,
            "description": "Size of the volume on each cluster, in GiB. It may grow, where the "
            "StorageClass lets it.",
            "x-kubernetes-validations": [
                {
                    "rule": "self >= oldSelf",
                    "message": "may only grow: no volume can be made smaller",
                    "reason": FORBIDDEN,
                },
            ],
        },
    },
}

CACHE_SPEC: Schema = {
    "type": "object",
    "description": "Which model to stage, and on which clusters.",
    "required": ["source"],
    "properties": {
        "source": {
            "type": "string",
            "enum": list(SOURCES),
            "description": "Where the model comes from. It cannot be changed.",
        },
        "huggingFace": _HUGGING_FACE,
        "clusterSelector": {
            "type": "object",
            "description": "Which InferenceClusters get the model. All of them when left out.",
            "properties": {
                "matchLabels": {
                    "type": "object",
                    "description": "Labels that an InferenceCluster must have, each with exactly "
                    "this value.",
                    "additionalProperties": {
                        "type": "string",
                        "maxLength": LABEL_VALUE.longest,
                        "pattern": f"^{LABEL_VALUE.pattern}$",
                    },
                },
            },
        },
    },
    "x-kubernetes-validations": [
        _immutable("source"),
        _immutable("huggingFace", "repo"),
        _immutable("huggingFace", "revision"),
        rule(
            f"!has(self.source) || self.source != '{HUGGING_FACE}' || has(self.huggingFace)",
            f"must be given: source is {HUGGING_FACE}",
            REQUIRED,
            field=".huggingFace",
        ),
    ],
}
