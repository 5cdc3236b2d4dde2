"""Marking: what a Job bears of ours, and whether somebody has changed it.

Labels, annotations and the owner reference are what a Job is found by when the log is lost, so
they are put back. What they have to be is what they were when the log first knew of the Job, under
the controller that it has: of AIBrix's own Jobs nothing is written that they did not have.
"""

from typing import Any

from engine.events import Subject
from machines import labels
from machines.job_bodies import owner_reference
from machines.levels import JobLevel
from machines.states import Job, Marks

CONTESTED = 3  # changes of one Job's marks from which on somebody is said to keep changing them


def kept_marks(old: Marks | None, level: JobLevel) -> Marks | None:
    """Give what a Job has to bear, now that it is at this level; None of one without controller.

    Whoever made himself its controller has taken it: what it bore before is nobody's any more.
    """
    seen = Marks(
        level.controller_uid, level.node_uid, level.node_name, level.revision,
        named=not level.misnamed,
    )  # fmt: skip
    if old is None or (level.controller_uid and level.controller_uid != old.controller_uid):
        return seen if level.controller_uid else None
    return old._replace(
        node_uid=old.node_uid or seen.node_uid,
        node_name=old.node_name or seen.node_name,
        revision=old.revision or seen.revision,
    )


def lacks_marks(job: Job) -> bool:
    """Say whether a Job that is to stay does not bear what it has to."""
    level, marks = job.level, job.marks
    if level is None or marks is None or not job.exists or job.deleting or level.deleting:
        return False
    borne = (
        level.warmup_uid, level.controller_uid, level.node_uid, level.node_name, level.revision,
    )  # fmt: skip
    return borne != (marks.controller_uid, *marks[:4]) or (marks.named and level.misnamed)


def marks_body(warmup: Subject, marks: Marks) -> dict[str, Any]:
    """Give labels, annotations and owner reference as they are to be written."""
    notes = {
        labels.TARGET_NODE: marks.node_name,
        labels.TARGET_NODE_UID: marks.node_uid,
        labels.WARMUP_NAME: warmup.name if marks.named else "",
    }
    ours = {labels.WARMUP_UID: warmup.uid, labels.REVISION: marks.revision}
    return {
        "labels": {key: value for key, value in ours.items() if value},
        "annotations": {key: value for key, value in notes.items() if value},
        "ownerReferences": [owner_reference(warmup)],
    }


def is_contested(job: Job) -> bool:
    """Say whether somebody keeps changing a Job's marks, or does not let us put them back."""
    return job.exists and (bool(job.restore_words) or job.restores >= CONTESTED)
