"""Revisions: one short digest of what a warmup's Jobs do, whoever they are for.

Targets and policies are no part of it. For image-only specs it is computed as AIBrix's original
does, so that Jobs made by either carry the same label; with custom fragments, or when a value
holds a control character (which that form uses as its separators), it is the digest of canonical
JSON with quantities in one notation.
"""

import hashlib
import re
from collections.abc import Iterator
from typing import Any

from engine.canonical_json import dumps
from machines.quantities import with_canonical_quantities
from machines.spec_parts import Image
from machines.specs import WarmupSpec

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
LENGTH = 12


def revision(spec: WarmupSpec) -> str:
    """Give the 12 hex digits that name what the Jobs of `spec` do."""
    if spec.custom is None and not any(_CONTROL.search(text) for text in _texts(spec)):
        parts = [*map(_image_part, spec.images), *spec.pull_secrets]
        text = "\n".join(sorted(parts))
    else:
        text = dumps(
            {
                "images": sorted(map(_image_list, spec.images)),
                "pullSecrets": sorted(spec.pull_secrets),
                "custom": with_canonical_quantities(_given(spec.custom)),
            }
        )
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:LENGTH]


def _given(custom: dict[str, Any] | None) -> dict[str, Any] | None:
    """Leave out the lists of `custom` that are empty: they are as good as absent."""
    return custom and {name: value for name, value in custom.items() if value}


def _image_part(image: Image) -> str:
    return "\x01".join(
        (image.image, "\x00".join(image.command), "\x00".join(image.args), image.pull_policy)
    )


def _image_list(image: Image) -> list[object]:
    return [image.image, list(image.command), list(image.args), image.pull_policy]


def _texts(spec: WarmupSpec) -> Iterator[str]:
    for image in spec.images:
        yield from (image.image, *image.command, *image.args)
    yield from spec.pull_secrets
