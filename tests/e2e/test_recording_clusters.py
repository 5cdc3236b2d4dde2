"""`warmlog record` of a cluster that stages models to another one, which may be read or not."""

import json
import signal
from pathlib import Path

import pytest

from adapters.cli.exit_codes import ExitCode
from tests.e2e.caches import Team, entry, staged
from tests.e2e.controllers import run_warmlog
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.joining import SECOND, SECRET, SECRET_NAMESPACE
from tests.e2e.recorders import Recording, ended, grant, looker
from tests.repository import ROOT

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

NAME = "qwen"
REMOTE = f"ic/{SECOND}"  # the second cluster's name in a log
OPTIONS = ("--cluster-secret-namespace", SECRET_NAMESPACE, "-o", "json")
CLAIM_SEEN = "PersistentVolumeClaimSeen"
SECRETS_ROLE = "kubeconfig-readers"


async def test_a_cluster_whose_kubeconfig_may_not_be_read_is_left_out_and_said(
    team: Team, control_plane: ControlPlane, tmp_path: Path
) -> None:
    """It is a row, a sentence and an exit code, and home is recorded; with the right to read that
    Secret the same file goes on with both, and nothing is missing.
    """
    control_plane.kubectl("apply", "--server-side", "-k", str(ROOT / "deploy" / "recording"))
    token = looker(control_plane, "outsider", ("view", "warmlog-recording"))
    access = control_plane.kubeconfig_for(token, tmp_path / "kubeconfig")
    recording, reference = Recording(access, tmp_path), f"modelcache/{team.namespace}/{NAME}"
    claim = f"PersistentVolumeClaim/{team.home.namespace}/"  # of this name on either cluster
    await staged(team, NAME, *team.sites)
    with recording.running(*OPTIONS) as process:
        await recording.until("Unread", "", f"Secret/{SECRET_NAMESPACE}/{SECRET}")
        await recording.until(CLAIM_SEEN, claim, cluster="local")
        await recording.until("ModelCacheSeen", f"ModelCache/{team.namespace}/{NAME}/")
        end = await ended(process, signal.SIGINT)
    assert end.code == ExitCode.INCOMPLETE, end.complaints
    (told,) = [line for line in end.complaints.splitlines() if REMOTE in line]
    assert f"nothing of cluster {REMOTE} is recorded: Secret {SECRET_NAMESPACE}/{SECRET}" in told
    assert 'cannot list resource "secrets"' in told
    (missing,) = json.loads(end.told)["missing"]
    assert (missing["cluster"], missing["kind"]) == (REMOTE, "")
    assert not [row for row in recording.rows if row["cluster"] == REMOTE]
    recording.assert_sound()
    explained = run_warmlog("explain", reference, "--log", str(recording.file))
    assert f"Secret {SECRET_NAMESPACE}/{SECRET}" in explained

    reading = ("--verb=get,list,watch", "--resource=secrets")
    control_plane.kubectl("create", "clusterrole", SECRETS_ROLE, *reading)
    grant(control_plane, "outsider", SECRETS_ROLE, SECRET_NAMESPACE)
    with recording.running(*OPTIONS) as process:
        await recording.until(CLAIM_SEEN, claim, cluster=REMOTE)
        end = await ended(process, signal.SIGINT)
    assert (end.code, json.loads(end.told)["missing"]) == (ExitCode.OK, []), end.complaints
    recording.assert_sound()
    file = str(recording.file)
    status = json.loads(run_warmlog("replay", file, "--object", reference, "-o", "json"))
    assert [entry(status, site)["phase"] for site in team.sites] == ["Ready", "Ready"]
