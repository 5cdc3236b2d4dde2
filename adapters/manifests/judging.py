"""Judging: every fault and every warning of our objects in a file, before anybody applies it.

Of a spec this is what the controller itself says; of the rest what the API server would say.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from adapters.manifests.documents import Document, Misreading
from adapters.manifests.fields import unknown_fields
from adapters.manifests.files import ManifestFile
from adapters.manifests.findings import Finding, Reason, Told
from adapters.manifests.headers import judged_header, meant_kind
from adapters.manifests.judged_kinds import WARMUP, JudgedKind
from adapters.manifests.objects import Manifest, manifests

_NO_OBJECT = f"is no Kubernetes object: a {WARMUP.name} has apiVersion, kind, metadata and spec"
_TRUE = ("y", "yes", "on")


class Judgement(NamedTuple):
    """What is to be said of one object of ours."""

    manifest: Manifest
    findings: tuple[Finding, ...]
    kind: JudgedKind = WARMUP

    @property
    def is_valid(self) -> bool:
        """Whether it can be applied and can work."""
        return all(each.is_warning for each in self.findings)


class FileJudgement(NamedTuple):
    """What is to be said of a file."""

    file: ManifestFile
    findings: tuple[Finding, ...]  # of no object of ours: what cannot be read, or is no object
    objects: tuple[Judgement, ...]
    others: int  # objects of other kinds, of which nothing is said

    @property
    def warmups(self) -> tuple[Judgement, ...]:
        """The ModelWarmups among the objects."""
        return self.of(WARMUP)

    def of(self, kind: JudgedKind) -> tuple[Judgement, ...]:
        """Give the objects of a kind."""
        return tuple(each for each in self.objects if each.kind is kind)


def judge(manifest: Manifest, kind: JudgedKind = WARMUP) -> Judgement:
    """Judge an object that is meant to have this kind."""
    value = manifest.value
    judged = kind.judge_spec(value.get("spec"))
    faults: list[Told] = list(judged_header(value, kind))
    faults += [(each.field, each.words, Reason.INVALID_SPEC) for each in judged.faults]
    warnings = [*kind.advise_on_metadata(value.get("metadata")), *judged.warnings]
    warnings += kind.advise_on_whole(value)
    for unknown in unknown_fields(value, kind):
        told = (unknown.path, unknown.words, Reason.UNKNOWN_FIELD)
        (warnings if unknown.is_kept else faults).append(told)
    found = {_finding(manifest, each) for each in faults}
    found |= {_finding(manifest, each)._replace(is_warning=True) for each in warnings}
    found |= {_of_reading(each) for each in manifest.misreadings}
    return Judgement(manifest, tuple(sorted(found)), kind)


def judge_file(file: ManifestFile) -> FileJudgement:
    """Judge all that a file holds."""
    found: list[Finding] = []
    objects: list[Judgement] = []
    told: set[Misreading] = set()
    others = 0
    for manifest in manifests(file):
        told.update(manifest.misreadings)
        kind = meant_kind(manifest.value)
        if kind is not None:
            objects.append(judge(manifest, kind))
        elif isinstance(manifest.value, dict):
            others += 1  # and what stands twice in it is none of our business
        else:
            found.append(Finding(manifest.where(), manifest.path, _NO_OBJECT, Reason.WRONG_KIND))
    found += [_of_reading(each) for each in file.misreadings if each not in told]
    return FileJudgement(file, tuple(sorted(found)), tuple(objects), others)


def with_twins(judged: Iterable[FileJudgement]) -> Iterator[FileJudgement]:
    """Add to each judgement which of its objects stand elsewhere, too."""
    seen: dict[tuple[str, str | None, str], str] = {}
    for file in judged:
        yield file._replace(objects=tuple(_with_twin(each, seen) for each in file.objects))


def _with_twin(judgement: Judgement, seen: dict[tuple[str, str | None, str], str]) -> Judgement:
    manifest, kind = judgement.manifest, judgement.kind
    if manifest.name is None:
        return judgement
    place = f"{manifest.file}:{manifest.where().line}"
    other = seen.setdefault((kind.name, manifest.namespace, manifest.name), place)
    if other is place:
        return judgement
    words = f"{manifest.name} stands at {other} already"
    words += ", and a spec cannot be changed" if kind.immutable else ""
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
