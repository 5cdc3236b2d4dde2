"""Judging: every fault and every warning of the ModelWarmups in a file, before anybody applies it.

Of the spec this is what the controller itself says; of the rest what the API server would say.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from adapters.manifests.advising import advice, advice_on_annotations
from adapters.manifests.documents import Document, Misreading
from adapters.manifests.fields import unknown_fields
from adapters.manifests.files import ManifestFile
from adapters.manifests.findings import Finding, Reason, Told
from adapters.manifests.headers import is_meant, judged_header
from adapters.manifests.objects import KIND, Manifest, manifests
from machines.specs import parse

_NO_OBJECT = f"is no Kubernetes object: a {KIND} has apiVersion, kind, metadata and spec"
_TRUE = ("y", "yes", "on")


class Judgement(NamedTuple):
    """What is to be said of one ModelWarmup."""

    manifest: Manifest
    findings: tuple[Finding, ...]

    @property
    def is_valid(self) -> bool:
        """Whether it can be applied and can work."""
        return all(each.is_warning for each in self.findings)


class FileJudgement(NamedTuple):
    """What is to be said of a file."""

    file: ManifestFile
    findings: tuple[Finding, ...]  # of no ModelWarmup: what cannot be read, or is no object
    warmups: tuple[Judgement, ...]
    others: int  # objects of other kinds, of which nothing is said


def judge(manifest: Manifest) -> Judgement:
    """Judge an object that is meant to be a ModelWarmup."""
    value = manifest.value
    parsed = parse(value.get("spec"))
    faults: list[Told] = list(judged_header(value))
    faults += [(each.field, each.words, Reason.INVALID_SPEC) for each in parsed.faults]
    warnings = list(advice_on_annotations(value.get("metadata")))
    if parsed.spec is not None:
        warnings += advice(parsed.spec)
    for unknown in unknown_fields(value):
        told = (unknown.path, unknown.words, Reason.UNKNOWN_FIELD)
        (warnings if unknown.is_kept else faults).append(told)
    found = {_finding(manifest, each) for each in faults}
    found |= {_finding(manifest, each)._replace(is_warning=True) for each in warnings}
    found |= {_of_reading(each) for each in manifest.misreadings}
    return Judgement(manifest, tuple(sorted(found)))


def judge_file(file: ManifestFile) -> FileJudgement:
    """Judge all that a file holds."""
    found: list[Finding] = []
    warmups: list[Judgement] = []
    told: set[Misreading] = set()
    others = 0
    for manifest in manifests(file):
        told.update(manifest.misreadings)
        if is_meant(manifest.value):
            warmups.append(judge(manifest))
        elif isinstance(manifest.value, dict):
            others += 1  # and what stands twice in it is none of our business
        else:
            found.append(Finding(manifest.where(), manifest.path, _NO_OBJECT, Reason.WRONG_KIND))
    found += [_of_reading(each) for each in file.misreadings if each not in told]
    return FileJudgement(file, tuple(sorted(found)), tuple(warmups), others)


def with_twins(judged: Iterable[FileJudgement]) -> Iterator[FileJudgement]:
    """Add to each judgement which of its objects stand elsewhere, too."""
    seen: dict[tuple[str | None, str], str] = {}
    for file in judged:
        yield file._replace(warmups=tuple(_with_twin(each, seen) for each in file.warmups))


def _with_twin(judgement: Judgement, seen: dict[tuple[str | None, str], str]) -> Judgement:
    manifest = judgement.manifest
    if manifest.name is None:
        return judgement
    place = f"{manifest.file}:{manifest.where().line}"
    other = seen.setdefault((manifest.namespace, manifest.name), place)
    if other is place:
        return judgement
    words = f"{manifest.name} stands at {other} already, and a spec cannot be changed"
    told = _finding(manifest, ("metadata.name", words, Reason.OBJECT_TWICE))
    found = (*judgement.findings, told._replace(is_warning=True))
    return judgement._replace(findings=tuple(sorted(found)))


def _finding(manifest: Manifest, told: Told) -> Finding:
    field, words, reason = told
    place = manifest.place(field)
    words += _quoting(words, manifest.document, place)
    return Finding(manifest.where(field), place, words, reason)


def _quoting(words: str, document: Document, place: str) -> str:
    """Say how to write what YAML does not take for a text."""
    text = document.plain.get(place)
    if words != "must be a string" or text is None:
        return ""
    if re.fullmatch("|~|null", text, re.IGNORECASE):
        return ', and nothing is none: write "" for an empty one'
    reads = ""
    if re.fullmatch("y|yes|on|n|no|off", text, re.IGNORECASE):
        reads = f", and YAML reads {text} as {'true' if text.lower() in _TRUE else 'false'}"
    return f'{reads}: write "{text}"'


def _of_reading(misreading: Misreading) -> Finding:
    reason = Reason.FIELD_TWICE if misreading.is_twice else Reason.UNREADABLE
    return Finding(misreading.at, misreading.field, misreading.words, reason)
