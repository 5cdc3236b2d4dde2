"""The script of the hydration Job: how a repository of the hub comes to lie in a claim.

One text for every cache: what differs travels in the environment, so no value is ever read as
code. `$(` and `$$` do not occur in it, which Kubernetes would expand. A Python program does the
work, on the hub's library rather than on its command line, which tells success when the hub is
out of reach and half a repository is there already. It stages in the hub's layout:

- what is there is kept; a file whose size is wrong is fetched again; leftovers of attempts that
  were killed are removed, of this repository alone and only if nobody is writing them;
- the marker is the last thing written, after every file has the size that the hub lists and is
  on the disk; another marker, whoever wrote it, says nothing, and no more does this one when it
  names another claim: a volume may have changed under it, so the hub is asked again;
- what was wrong is its last line, by the name of the repository and never with the token. The log
  becomes the termination message, so hardly anything else is in it.

An image needs `/bin/sh` and `python3`; the library is only installed where it is missing.
"""

SCRIPT = r"""set -eu
marker="$HF_HUB_CACHE/$WARMLOG_MARKER"
if [ -f "$marker" ] && read -r named <"$marker" && [ "$named" = "claim $WARMLOG_CLAIM_UID" ]; then
  echo "$WARMLOG_REPO is staged already, says $WARMLOG_MARKER"
  exit 0
fi
if ! python3 -c 'import huggingface_hub' 2>/dev/null; then
  library="${TMPDIR:-/tmp}/warmlog-library"
  if ! python3 -m pip install --quiet --disable-pip-version-check --no-cache-dir \
    --root-user-action ignore --retries 2 --target "$library" \
    "huggingface_hub==$WARMLOG_HUB_VERSION"; then
    echo "cannot install huggingface_hub $WARMLOG_HUB_VERSION: set a package index that is" \
      "reachable, or an image that has the library" >&2
    exit 1
  fi
  export PYTHONPATH="$library"
fi
exec python3 -W ignore - <<'PROGRAM'
import errno
import os
import re
import shutil
import signal
import sys
import time
from pathlib import Path

REPO = os.environ["WARMLOG_REPO"]
REVISION = os.environ["WARMLOG_REVISION"]
WHAT = f"{REPO} at {REVISION or 'its default branch'}"
ROOT = Path(os.environ["HF_HUB_CACHE"])
MARKER = ROOT / os.environ["WARMLOG_MARKER"]
CLAIM_UID = os.environ["WARMLOG_CLAIM_UID"]
FOLDER = ROOT / ("models--" + REPO.replace("/", "--"))
LOCKS = ROOT / ".locks" / FOLDER.name
TOKEN = os.environ.get("HF_TOKEN", "").strip()
ENDPOINT = os.environ.get("HF_ENDPOINT") or "https://huggingface.co"
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
OLD_SECONDS, QUIET_SECONDS = 600, 10
MIB, GIB = 1024**2, 1024**3


class Scrubbed:
    def __init__(self, stream):
        self.stream = stream

    def write(self, text):
        if TOKEN:
            text = text.replace(TOKEN, "(token)")
        text = re.sub(r"(https?://)[^/\s@]+@", r"\1", text)
        return self.stream.write(re.sub(r"(https?://[^\s?]+)\?[^\s'\")]+", r"\1", text))

    def __getattr__(self, name):
        return getattr(self.stream, name)


sys.stdout, sys.stderr = Scrubbed(sys.stdout), Scrubbed(sys.stderr)
# The first process of a container ignores what it does not handle, and would be killed late.
signal.signal(signal.SIGTERM, lambda *_: os._exit(128 + signal.SIGTERM))

from huggingface_hub import HfApi, snapshot_download  # noqa: E402
from huggingface_hub.hf_api import RepoFile  # noqa: E402
from huggingface_hub.utils import (  # noqa: E402
    GatedRepoError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)


def touched(path):
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return None


def sweep():
    # A library that found no working locks leaves files that would be waited for.
    for lock in LOCKS.glob("*.lock"):
        lock.unlink(missing_ok=True)
    left = {path: touched(path) for path in FOLDER.glob("blobs/*.incomplete")}
    if any(time.time() - (at or 0) < OLD_SECONDS for at in left.values()):
        time.sleep(QUIET_SECONDS)
    for path, at in left.items():
        if touched(path) == at:
            path.unlink(missing_ok=True)


def blob(entry):
    return FOLDER / "blobs" / (entry.lfs.sha256 if entry.lfs else entry.blob_id)


def amount(size):
    return f"{size / GIB:.1f} GiB" if size >= GIB else f"{size / MIB:.1f} MiB"


def check_room(snapshot, files):
    need = 0
    for each in files:
        if each.size not in (size(snapshot / each.path), size(blob(each))):
            need += each.size
    room = shutil.disk_usage(ROOT)
    if room.total and need > room.free:
        sys.exit(
            f"the volume is too small for {WHAT}: {amount(need)} are still to be fetched,"
            f" and {amount(room.free)} of {amount(room.total)} are free"
        )


def discard(path):
    # Only what the hub's layout holds for this repository; the pointer first, then its blob.
    behind = path.resolve()
    path.unlink(missing_ok=True)
    if FOLDER.resolve() in behind.parents:
        behind.unlink(missing_ok=True)


def fetch():
    revision, api = REVISION or "main", HfApi()
    for _ in range(3):
        commit = api.model_info(REPO, revision=revision).sha
        tree = api.list_repo_tree(REPO, recursive=True, revision=commit)
        files = [each for each in tree if isinstance(each, RepoFile)]
        check_room(FOLDER / "snapshots" / commit, files)
        snapshot = Path(snapshot_download(REPO, revision=revision))
        if snapshot.name != commit:
            continue  # the branch moved meanwhile
        wrong = [snapshot / each.path for each in files if size(snapshot / each.path) != each.size]
        if not wrong:
            return snapshot, [snapshot / each.path for each in files]
        for path in wrong:
            print(f"{path} has not the size that the hub lists; it is fetched again")
            discard(path)
    sys.exit(f"{WHAT} did not come as the hub lists it, three times in a row")


def size(path):
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return None


def sync(path):
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some network file systems cannot do that with a folder.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP) or not path.is_dir():
            raise
    finally:
        os.close(descriptor)


def finish(snapshot, paths):
    for path in paths:
        sync(path)
    for folder, _, _ in os.walk(FOLDER):
        sync(Path(folder))
    unfinished = MARKER.with_name(MARKER.name + ".tmp")
    unfinished.write_text(f"claim {CLAIM_UID}\ncommit {snapshot.name}\n")
    sync(unfinished)
    unfinished.replace(MARKER)
    sync(ROOT)
    total = amount(sum(path.stat().st_size for path in paths))
    print(f"staged {WHAT}: commit {snapshot.name}, {len(paths)} files, {total}")


def chain(error):
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def words(error):
    errors = list(chain(error))
    for each in errors:
        # What Xet cannot write it tells in words alone.
        full = each.errno if isinstance(each, OSError) and each.errno in FULL else 0
        if full or os.strerror(errno.ENOSPC) in str(each):
            said = os.strerror(full or errno.ENOSPC)
            return f"the volume is full while fetching {WHAT}: {said}"
    statuses = (getattr(getattr(each, "response", None), "status_code", 0) for each in errors)
    status = next(filter(None, statuses), 0)
    if any(isinstance(each, RevisionNotFoundError) for each in errors):
        return f"{REPO} has no revision {REVISION or 'main'}"
    gated = any(isinstance(each, GatedRepoError) for each in errors)
    if gated and TOKEN:
        return f"the hub refused the token for {REPO}: it is gated, and access was not granted"
    if not TOKEN and (gated or status == 401):
        return f"{REPO} is gated, private or unknown: the hub wants a token, and none is given"
    if status in (401, 403):
        return f"the hub refused the token for {REPO} (HTTP {status})"
    if any(isinstance(each, RepositoryNotFoundError) for each in errors):
        return f"the hub knows no {REPO}" + (", or hides it from this token" if TOKEN else "")
    if status:
        return f"{ENDPOINT} answered HTTP {status} for {WHAT}"
    said = " ".join(f"{type(errors[-1]).__name__}: {errors[-1]}".split())
    return f"cannot fetch {WHAT} from {ENDPOINT}: {said[:500]}"


def main():
    if TOKEN and not (TOKEN.isascii() and TOKEN.isprintable() and " " not in TOKEN):
        sys.exit(f"the token for {REPO} is no token: it holds a blank or a character of no token")
    try:
        sweep()
        finish(*fetch())
    except Exception as error:
        sys.exit(words(error))


main()
PROGRAM
"""
