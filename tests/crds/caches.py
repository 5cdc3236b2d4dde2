"""Specs of a ModelCache: such as have to be accepted, and such as nobody may accept.

The controller and `warmlog validate` name the very field. So does the server, except where the
table says otherwise.
"""

from typing import Any, NamedTuple

from tests.crds.manifests import Json

REPO = "Qwen/Qwen2.5-0.5B-Instruct"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
NOWHERE = "nowhere"  # place of a fault that only the controller finds


class BadCache(NamedTuple):
    """A spec that has to be refused."""

    spec: Json
    field: str  # as the controller names it
    served: str = ""  # as the server names it, if it names another place, or NOWHERE

    @property
    def place(self) -> str:
        """What the server names."""
        return self.served or self.field


def present(fields: Json) -> Json:
    """Only what is not None."""
    return {name: value for name, value in fields.items() if value is not None}


def cache(**fields: Any) -> Json:
    """A whole spec: one public model everywhere, but for the fields given; None leaves one out."""
    model = {"repo": REPO, "sizeGiB": 2}
    return present({"source": "HuggingFace", "huggingFace": model, **fields})


def model(**fields: Any) -> Json:
    """A spec whose model has these fields."""
    return cache(huggingFace=present({"repo": REPO, "sizeGiB": 2, **fields}))


def gated(**secret: Any) -> Json:
    """A spec whose token lies in a Secret, which is described like this."""
    return model(authSecret=secret)


def selecting(**labels: Any) -> Json:
    """A spec for clusters with these labels."""
    return cache(clusterSelector={"matchLabels": labels})


_GOOD_REPOS = (
    "gpt2",
    "a",
    "moonshotai/Kimi-K2-Instruct",
    "meta-llama/Llama-3.1-8B-Instruct",
    "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-FP8",
    "openai/whisper-large-v3",
    "TheBloke/Llama-2-7B-GPTQ_4bit",
    "_owner_/__init__",
    "a/b.-c-.d.-.e-.-f",
    "9/0.0",
    "o" * 96 + "/" + "n" * 96,
)
_GOOD_REVISIONS = (
    "",
    "main",
    "v1.0.0+fp8",
    COMMIT,
    COMMIT[:7],
    "refs/pr/12",
    "refs/convert/parquet",
    "feature/long-context",
    "a@b=c",
    "_",
    "r" * 255,
)

# What is good about it -> the spec.
GOOD_CACHES: dict[str, Json] = {
    "a public model": cache(),
    **{f"repo {name[:50]}": model(repo=name) for name in _GOOD_REPOS},
    **{f"revision {name[:50]!r}": model(revision=name) for name in _GOOD_REVISIONS},
    "1 GiB": model(sizeGiB=1),
    "100000 GiB": model(sizeGiB=100000),
    "an odd but whole size": model(sizeGiB=2.0),
    "a token": gated(name="hf-token", key="HF_TOKEN"),
    "a token under the default key": gated(name="hf.token"),
    "a token under an empty key": gated(name="hf-token", key=""),
    "a token under an odd key": gated(name="n" * 253, key="._-" + "k" * 250),
    "an empty selector": cache(clusterSelector={}),
    "a selector without labels": selecting(),
    "a selector": selecting(**{"modelplane.ai/region": "us-west", "tier": ""}),
    "the longest label": selecting(**{"p" * 253 + "/" + "n" * 63: "v" * 63}),
    "nothing for what may be left out": cache(
        huggingFace={"repo": REPO, "sizeGiB": 2, "revision": None, "authSecret": None},
        clusterSelector=None,
    ),
}

_HUB = "spec.huggingFace"
_LABELS = "spec.clusterSelector.matchLabels"
# Among them each way out of a folder, into a shell, into an option and into a second path.
_BAD_REPOS = {
    "a space": "a b",
    "a trailing space": "a/b ",
    "a new line": "a/b\n",
    "two slashes": "a/b/c",
    "a slash at its begin": "/a",
    "a slash at its end": "a/",
    "a hyphen at its begin": "--help",
    "a hyphen before the name": "a/-b",
    "a dot at its end": "a/b.",
    "two dots": "a/b..c",
    "nothing but dots": "../..",
    "two hyphens": "a/b--c",
    "a command": "$(id)/x",
    "a variable": "a/$(HF_TOKEN)",
    "a second command": "a/b;id",
    "a backtick": "a/`id`",
    "an address": "https://huggingface.co/a",
    "a colon": "a/b:main",
    "a letter of no hub": "a/modèle",
    "the ending of a clone": "a/b.git",
    "194 characters": "o" * 97 + "/" + "n" * 96,
}
_BAD_REVISIONS = {
    "a space": "my branch",
    "a new line": "main\n",
    "a hyphen at its begin": "--force",
    "a way up": "../../etc",
    "a way up inside": "refs/../main",
    "two dots": "a..b",
    "a dot at its end": "v1.",
    "a dot at its begin": ".git",
    "a slash at its end": "refs/",
    "a slash at its begin": "/main",
    "two slashes": "refs//pr",
    "a command": "$(id)",
    "a second command": "main;id",
    "a quote": "main'",
    "256 characters": "r" * 256,
}

# What is wrong -> the spec, and the field that is named.
BAD_CACHES: dict[str, BadCache] = {
    "no source": BadCache(cache(source=None), "spec.source"),
    "an unknown source": BadCache(cache(source="OCI"), "spec.source"),
    "a source in lower case": BadCache(cache(source="huggingface"), "spec.source"),
    "no model": BadCache(cache(huggingFace=None), _HUB),
    "no repo": BadCache(model(repo=None), f"{_HUB}.repo"),
    "an empty repo": BadCache(model(repo=""), f"{_HUB}.repo"),
    **{
        f"a repo with {what}": BadCache(model(repo=name), f"{_HUB}.repo")
        for what, name in _BAD_REPOS.items()
    },
    **{
        f"a revision with {what}": BadCache(model(revision=name), f"{_HUB}.revision")
        for what, name in _BAD_REVISIONS.items()
    },
    "no size": BadCache(model(sizeGiB=None), f"{_HUB}.sizeGiB"),
    "size 0": BadCache(model(sizeGiB=0), f"{_HUB}.sizeGiB"),
    "size 100001": BadCache(model(sizeGiB=100001), f"{_HUB}.sizeGiB"),
    "half a GiB": BadCache(model(sizeGiB=0.5), f"{_HUB}.sizeGiB"),
    "a size as text": BadCache(model(sizeGiB="2Gi"), f"{_HUB}.sizeGiB"),
    "a repo that is a number": BadCache(model(repo=7), f"{_HUB}.repo"),
    "a revision that is a number": BadCache(model(revision=1), f"{_HUB}.revision"),
    "an unnamed Secret": BadCache(gated(), f"{_HUB}.authSecret.name"),
    "a Secret with an empty name": BadCache(gated(name=""), f"{_HUB}.authSecret.name"),
    "a Secret that cannot be": BadCache(gated(name="../hf"), f"{_HUB}.authSecret.name"),
    "a Secret with too long a name": BadCache(gated(name="n" * 254), f"{_HUB}.authSecret.name"),
    "a key that cannot be": BadCache(gated(name="hf", key="a/b"), f"{_HUB}.authSecret.key"),
    "too long a key": BadCache(gated(name="hf", key="k" * 254), f"{_HUB}.authSecret.key"),
    "a Secret that is text": BadCache(model(authSecret="hf-token"), f"{_HUB}.authSecret"),
    "a model that is text": BadCache(cache(huggingFace=REPO), _HUB),
    "a label value with a space": BadCache(selecting(region="us west"), f"{_LABELS}.region"),
    "a label value that is a number": BadCache(selecting(tier=1), f"{_LABELS}.tier"),
    "a key that no label has": BadCache(selecting(**{"a b": "c"}), f"{_LABELS}.a b", NOWHERE),
    "labels that are text": BadCache(cache(clusterSelector={"matchLabels": "a=b"}), _LABELS),
}

# What is changed -> the spec before and after, and the field that is named.
FORBIDDEN_CHANGES: dict[str, tuple[Json, Json, str]] = {
    "another repo": (model(), model(repo="Qwen/Qwen2.5-7B-Instruct"), f"{_HUB}.repo"),
    "the repo in other letters": (model(repo="a/b"), model(repo="a/B"), f"{_HUB}.repo"),
    "another revision": (model(revision="v1"), model(revision="v2"), f"{_HUB}.revision"),
    "a revision added": (model(), model(revision="main"), f"{_HUB}.revision"),
    "a revision taken away": (model(revision="main"), model(), f"{_HUB}.revision"),
    "the model taken away": (model(), cache(huggingFace=None), f"{_HUB}.repo"),
    "a smaller size": (model(sizeGiB=10), model(sizeGiB=9), f"{_HUB}.sizeGiB"),
    "a bad Secret": (model(), gated(name="../hf"), f"{_HUB}.authSecret.name"),
    "a bad label": (cache(), selecting(region="us west"), f"{_LABELS}.region"),
}

ALLOWED_CHANGES: dict[str, tuple[Json, Json]] = {
    "a token added": (model(), gated(name="hf")),
    "another token": (gated(name="hf"), gated(name="hf-2", key="token")),
    "another key": (gated(name="hf", key="a"), gated(name="hf", key="b")),
    "a token taken away": (gated(name="hf"), model()),
    "a larger size": (model(sizeGiB=10), model(sizeGiB=11)),
    "the largest size": (model(), model(sizeGiB=100000)),
    "other clusters": (selecting(region="west"), selecting(region="east", tier="gpu")),
    "all clusters": (selecting(region="west"), cache()),
    "an empty revision written out": (model(), model(revision="")),
}

# Of these no version of the kind was ever accepted: not a rule speaks, but the type.
WRONG_CACHE_TYPES = frozenset(
    {
        "half a GiB",
        "a size as text",
        "a repo that is a number",
        "a revision that is a number",
        "a Secret that is text",
        "a model that is text",
        "a label value that is a number",
        "labels that are text",
    }
)
