"""`warmlog explain`: short first, then every cause with what to do, then the rows behind it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from adapters.cli.exit_codes import ExitCode
from adapters.simulator import faults
from adapters.simulator.answers import failure
from adapters.simulator.plans import NodePlan
from adapters.texts import clock
from machines.labels import POOL
from tests.cli.commands import REF, pool_world, printed, record, sample, warmlog


def explained(log: Path, *options: str) -> str:
    """What people read, whoever recorded the log."""
    result = warmlog("explain", REF, "--log", log, *options)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def explained_json(log: Path, *options: str) -> dict[str, Any]:
    """What programs read."""
    document: dict[str, Any] = json.loads(explained(log, "-o", "json", *options))
    return document


def named(*names: str) -> dict[str, Any]:
    """The sample with targets by name."""
    return sample(targets=[{"nodes": {"names": list(names)}}])


def test_the_first_lines_say_phase_time_and_what_to_do(failing_log: Path) -> None:
    """The first line has the phase and since when, the next ones the reason and what to do."""
    first, reason, do, *_ = explained(failing_log).splitlines()
    pattern = r"ModelWarmup default/runtime-image-warmup is Failed since 2026-01-01 00:\d\d:\d\dZ"
    assert re.match(pattern, first)
    assert reason.startswith("  3 of 3 nodes failed; first gpu-01: BackoffLimitExceeded")
    assert (
        do
        == "  Do: this one has ended and stays so; `warmlog retry mw/default/runtime-image-warmup`"
        " prints a new one for the nodes that failed"
    )


def test_nodes_with_one_cause_are_one_paragraph(failing_log: Path) -> None:
    """Nodes that failed alike stand together, with their cause and one advice, names filled in."""
    text = explained(failing_log)
    [who] = re.findall(r"^(gpu-.*): Failed since", text, re.MULTILINE)
    assert who == "gpu-01, gpu-02, gpu-03"
    job = re.search(r"Do: read `kubectl -n default logs (job/\S+)`", text)
    assert job is not None
    assert job[1].startswith("job/runtime-image-warmup-")
    assert "{" not in text


def test_a_chain_leads_from_the_node_to_its_outcome(failing_log: Path) -> None:
    """A node's chain has decisions and facts in the log's order, and the states they led to."""
    document = explained_json(failing_log)
    chain = document["nodes"][0]["chain"]
    positions = [line["position"] for line in chain]
    assert positions == sorted(positions)
    assert [line["ledTo"] for line in chain if line["ledTo"]] == ["Pending", "Hydrating", "Failed"]
    types = [line["type"] for line in chain]
    wanted = ["NodeSeen", "CreateJobIntended", "JobSeen", "PodSeen"]
    assert [name for name in types if name in wanted][: len(wanted)] == wanted
    done = next(line for line in chain if line["type"] == "IntentDone")
    asked = next(line for line in chain if line["type"] == "CreateJobIntended")
    assert done["cause"] == asked["position"]


def test_the_whole_came_to_its_phase_by_named_rows(failing_log: Path) -> None:
    """The object's own chain begins with its first sight and ends where the phase was reached."""
    document = explained_json(failing_log)
    led_to = [(line["ledTo"], line["position"]) for line in document["causes"] if line["ledTo"]]
    assert [phase for phase, _ in led_to] == ["Pending", "Running", "Failed"]
    assert document["sincePosition"] == led_to[-1][1]
    assert document["phase"] == "Failed"


def test_an_earlier_moment_explains_what_was_known_then(failing_log: Path) -> None:
    """With --at nothing that came later is told."""
    document = explained_json(failing_log, "--at", "30")
    assert document["position"] == 30
    assert document["phase"] == "Running"
    rows = [line for node in document["nodes"] for line in node["chain"]] + document["causes"]
    assert max(line["position"] for line in rows) <= 30


def test_one_node_can_be_asked_for_even_when_it_is_ready(demo_log: Path) -> None:
    """--node tells the whole way of one node; a ready one has nothing to do any more."""
    [node] = explained_json(demo_log, "--node", "gpu-03")["nodes"]
    assert (node["state"], node["do"], node["waitsFor"]) == ("Ready", "", "")
    text = explained(demo_log, "--node", "gpu-03")
    assert "How gpu-03 came to this" in text
    assert "gpu-01" not in text


def test_a_skipped_node_can_be_asked_for(demo_log: Path) -> None:
    """--node of a node outside the boundary says why it is kept out."""
    assert "control-plane-1  it is a control-plane node" in explained(
        demo_log, "--node", "control-plane-1"
    )


def test_a_node_of_no_concern_is_said(demo_log: Path) -> None:
    """A node that the object does not want is one sentence and a code of its own."""
    result = warmlog("explain", REF, "--log", demo_log, "--node", "gpu-99")
    assert result.exit_code == ExitCode.NOT_FOUND
    assert "has nothing to do with node gpu-99" in result.stderr


def test_a_node_that_left_says_where(tmp_path: Path) -> None:
    """Of a node that left without an outcome the position is named, and the one before works."""
    world = pool_world("stays")
    pool = sample()["spec"]["targets"][0]["nodeSelector"]["matchLabels"][POOL]
    world.add_node("leaves", pool=pool, plan=NodePlan(pull_failures=None))
    log = record(
        tmp_path / "left.db",
        world,
        lambda each: each.apply(sample()),
        lambda each: each.relabel_node("leaves", {POOL: "elsewhere"}),
    )
    result = warmlog("explain", REF, "--log", log, "--node", "leaves")
    assert result.exit_code == ExitCode.NOT_FOUND
    found = re.search(r"Node leaves left .*, at position (\d+), .*: say --at (\d+)", result.stderr)
    assert found is not None
    assert int(found[2]) == int(found[1]) - 1
    assert "leaves: Hydrating" in explained(log, "--node", "leaves", "--at", found[2])


def test_a_group_names_all_its_nodes_and_times(tmp_path: Path) -> None:
    """A group of more than three names them all, and says from when to when its nodes came."""
    path = tmp_path / "five.db"
    printed("demo", "--nodes", "6", "--fail-rate", "1", "--log", path)
    nodes = explained_json(path)["nodes"]
    text = explained(path)
    names, since = re.findall(r"^(gpu-01, .*): Failed since (.*)$", text, re.MULTILINE)[0]
    assert names == ", ".join(sorted(node["node"] for node in nodes))
    chains = [[line for line in node["chain"] if line["ledTo"]][-1] for node in nodes]
    times = sorted(clock(line["nanoseconds"]) for line in chains)
    assert since == f"{times[0]}–{times[-1]}"


def test_a_duration_says_where_it_ends(tmp_path: Path, demo_log: Path) -> None:
    """How long a state lasts is told with the moment up to which: the log's end, or --at."""
    world = pool_world()
    pool = sample()["spec"]["targets"][0]["nodeSelector"]["matchLabels"][POOL]
    world.add_node("n-1", pool=pool, plan=NodePlan(pull_failures=None))
    log = record(tmp_path / "lasts.db", world, lambda each: each.apply(sample()))
    assert re.search(r"is Running since .*Z \(.* s at the log's end\)", explained(log))
    earlier = explained(demo_log, "--at", "60")
    assert re.search(r"is Running since .*Z \(\d+ s at position 60\)", earlier)


def test_a_namespace_without_a_pool_is_to_be_labelled(tmp_path: Path) -> None:
    """Where the namespace has no pool label, the command that sets it is the advice."""
    world = pool_world("n-1")
    world.relabel_namespace("default", {POOL: None})
    log = record(tmp_path / "poolless.db", world, lambda each: each.apply(sample()))
    assert explained_json(log)["do"][0].startswith(f"`kubectl label namespace default {POOL}=POOL`")


def test_the_summary_sends_nobody_to_a_node_that_asks_for_nothing(demo_log: Path) -> None:
    """Only nodes with something to do are named at the top; of others nothing is to be done."""
    for position in range(20, 80, 4):
        document = explained_json(demo_log, "--at", str(position))
        asked = {node["node"] for node in document["nodes"] if "nothing" not in node["do"]}
        for words in document["do"]:
            if words.startswith("see to "):
                named = words.removeprefix("see to ").removesuffix(", below").split(", ")
                assert set(named) <= asked


def test_an_absent_name_says_until_when_it_waits(tmp_path: Path) -> None:
    """A named node that does not exist waits in so many words, and its advice names it."""
    world = pool_world("here")
    log = record(tmp_path / "waits.db", world, lambda each: each.apply(named("here", "ghost")))
    [ghost] = explained_json(log)["nodes"]
    assert (ghost["node"], ghost["state"], ghost["reason"]) == ("ghost", "Pending", "NodeNotFound")
    assert ghost["waitsFor"].startswith(
        "NodeNotFound: node ghost does not exist; waits for it until"
    )
    assert ghost["do"] == "let a node ghost join, or take the name out in a new ModelWarmup"
    assert explained_json(log)["do"] == ["see to ghost, below"]


def test_a_name_keeps_its_story_when_its_machine_may_be_warmed(tmp_path: Path) -> None:
    """The chain of a machine begins with the time when only its name waited."""
    world = pool_world()
    world.add_node("late")
    pool = sample()["spec"]["targets"][0]["nodeSelector"]["matchLabels"][POOL]
    log = record(
        tmp_path / "late.db",
        world,
        lambda each: each.apply(named("late")),
        lambda each: each.relabel_node("late", {POOL: pool}),
    )
    [node] = explained_json(log, "--node", "late")["nodes"]
    moves = [line["ledTo"] for line in node["chain"] if line["ledTo"]]
    assert moves == ["Pending", "Pending", "Hydrating", "Ready"]


def test_a_refused_create_gives_the_servers_words(tmp_path: Path) -> None:
    """A create that is refused again and again is told once, with its count and what to do."""
    world = pool_world("n-1")
    words = "jobs.batch is forbidden: exceeded quota: jobs"
    refusal = failure(403, "Forbidden", words, {})
    world.api.faults.add(faults.every("POST", "jobs"), refusal, times=100)
    log = record(tmp_path / "refused.db", world, lambda each: each.apply(sample()), seconds=20)
    text = explained(log)
    assert f"JobCreateRejected: {words}; tried again at" in text
    assert "Do: mend what the API server names" in text
    told = [line for line in text.splitlines() if "the API server refused to create Job" in line]
    assert len(told) == 1
    assert "(5 times since 00:00:02.002Z)" in told[0]


def test_an_unanswered_create_is_what_is_waited_for(tmp_path: Path) -> None:
    """While nobody knows whether a create landed, that is what the node waits for."""
    world = pool_world("n-1")
    world.api.faults.add(faults.every("POST", "jobs"), faults.Loss.REQUEST)
    world.api.faults.add(faults.every("GET", "jobs/"), faults.Loss.REPLY, times=100)
    log = record(tmp_path / "unknown.db", world, lambda each: each.apply(sample()), seconds=5)
    [node] = explained_json(log)["nodes"]
    assert node["reason"] == "JobBeingCreated"
    assert node["waitsFor"].startswith("the API server's answer to the create of its Job")
    assert "no answer came, so it is looked up" in node["waitsFor"]


def test_a_selector_without_a_node_says_what_to_compare(tmp_path: Path) -> None:
    """An object that finds no node waits for one, and says where to look."""
    log = record(tmp_path / "none.db", pool_world(), lambda each: each.apply(sample()))
    document = explained_json(log)
    assert (document["phase"], document["nodes"]) == ("Pending", [])
    assert document["waitsFor"] == ["a node that spec.targets asks for and the pool allows"]
    assert "compare spec.targets with `kubectl get nodes --show-labels`" in document["do"][0]


def test_a_spec_that_cannot_work_names_its_field(tmp_path: Path) -> None:
    """An invalid spec is explained by the path of its field."""
    log = record(tmp_path / "bad.db", pool_world(), lambda each: each.apply(sample(targets=[])))
    text = explained(log)
    assert "spec.targets: must have at least one entry" in text
    assert "Do: correct the field that is named, in a new ModelWarmup" in text


def test_a_failed_pull_is_advised_upon_as_such(tmp_path: Path) -> None:
    """A node whose image cannot be pulled gets the advice for images, with the node's name."""
    pool = sample()["spec"]["targets"][0]["nodeSelector"]["matchLabels"][POOL]
    world = pool_world()
    world.add_node("n-1", pool=pool, plan=NodePlan(pull_failures=None))
    log = record(tmp_path / "pull.db", world, lambda each: each.apply(sample()))
    [node] = explained_json(log)["nodes"]
    assert node["reason"] in {"ErrImagePull", "ImagePullBackOff"}
    assert "that the registry answers from n-1" in node["do"]


def test_a_deleted_object_is_explained_as_it_was_last(tmp_path: Path) -> None:
    """Of a deleted object the row is named by which it went, and it is told as just before."""
    log = record(
        tmp_path / "deleted.db",
        pool_world("n-1"),
        lambda each: each.apply(sample()),
        lambda each: each.delete_warmup("default", "runtime-image-warmup"),
    )
    went, before, *rest = explained(log).splitlines()
    found = re.fullmatch(r"ModelWarmup .* was deleted at position (\d+), .* \(.* is gone\)\.", went)
    assert found is not None
    assert before == "Just before that:"
    assert "is Succeeded since" in rest[0]
    assert rest == explained(log, "--at", str(int(found[1]) - 1)).splitlines()
    document = explained_json(log)
    assert document["gone"]["position"] == int(found[1]) == document["position"] + 1


def test_a_name_that_is_not_there_leads_to_names_like_it(failing_log: Path) -> None:
    """Who mistypes a name, or its namespace, is told of the one that there is."""
    for typed in ("mw/default/runtime-image-warmpu", "mw/defualt/runtime-image-warmup"):
        result = warmlog("explain", typed, "--log", failing_log)
        assert result.exit_code == ExitCode.NOT_FOUND
        assert "but ModelWarmup/default/runtime-image-warmup: `warmlog replay" in result.stderr
    result = warmlog("explain", "mw/default/other", "--log", failing_log)
    assert "but" not in result.stderr


def test_of_a_name_that_came_again_the_living_object_is_explained(tmp_path: Path) -> None:
    """An object made anew under an old name has a chain of its own, from its own beginning."""
    log = record(
        tmp_path / "again.db",
        pool_world("n-1"),
        lambda each: each.apply(sample()),
        lambda each: each.delete_warmup("default", "runtime-image-warmup"),
        lambda each: each.apply(sample()),
    )
    document = explained_json(log)
    moves = [line["ledTo"] for line in document["causes"] if line["ledTo"]]
    assert moves == ["Running", "Succeeded"]
    assert document["counts"]["succeeded"] == 1


def test_a_cluster_that_is_not_listed_yet_makes_all_else_uncertain(demo_log: Path) -> None:
    """Before every kind is listed, the explanation begins with what is missing."""
    document = explained_json(demo_log, "--at", "14")
    assert document["notes"] == [
        "not yet listed since the last start: ModelWarmup; nothing is decided before every kind is"
    ]
    assert "Mind: not yet listed" in explained(demo_log, "--at", "14")


def test_json_is_canonical_and_says_which_object_it_is_of(demo_log: Path) -> None:
    """-o json is one line with sorted keys, and names object, log and position."""
    text = explained(demo_log, "-o", "json")
    document = json.loads(text)
    assert text == json.dumps(document, sort_keys=True, separators=(",", ":")) + "\n"
    assert document["object"]["kind"] == "ModelWarmup"
    assert document["object"]["cluster"] == "demo"


def test_an_unknown_object_is_said(demo_log: Path) -> None:
    """An object that the log never saw is one sentence that names the command that lists them."""
    result = warmlog("explain", "mw/default/typo", "--log", demo_log)
    assert result.exit_code == ExitCode.NOT_FOUND
    assert f"`warmlog replay {demo_log}` lists what it holds" in result.stderr


def test_a_cut_file_is_explained_up_to_its_cut(cut: Path) -> None:
    """A cut recording is explained as far as it goes, and the cut is named."""
    result = warmlog("explain", REF, "--log", cut)
    assert result.exit_code == ExitCode.LOG_CUT
    assert "is Running since" in result.stdout
    assert "is cut at line 41" in result.stderr


@pytest.mark.parametrize(
    "kind", ["modelwarmup", "ModelWarmups", "mw", "modelwarmup.model.aibrix.ai"]
)
def test_a_kind_may_be_written_in_any_way_that_kubectl_knows(kind: str, demo_log: Path) -> None:
    """Plural, short, upper-case and with its group, the kind is the same."""
    reference = f"{kind}/default/runtime-image-warmup"
    assert printed("explain", reference, "--log", demo_log) == explained(demo_log)


def test_the_log_may_stand_behind_the_object(demo_log: Path) -> None:
    """As it stands behind other commands; told twice, or before the object, it is refused."""
    behind = printed("explain", REF, demo_log)
    assert behind == printed("explain", REF, "--log", demo_log)
    for arguments, words in (
        ((REF,), f"Say which log: `warmlog explain {REF} LOG`"),
        ((demo_log, REF), "is a log: name the object first, `warmlog explain REF LOG`"),
        ((REF, demo_log, "--log", "other.db"), "The log is named twice"),
    ):
        result = warmlog("explain", *arguments)
        assert result.exit_code == ExitCode.USAGE
        assert words in result.stderr


def test_a_node_that_is_none_of_its_own_is_told_with_those_like_it(demo_log: Path) -> None:
    """The nearest stands first; where none is like it, none is named."""
    near = warmlog("explain", REF, demo_log, "--node", "gpu-1")
    assert "has nothing to do with node gpu-1, but with gpu-01" in near.stderr
    other = warmlog("explain", REF, demo_log, "--node", "storage")
    assert other.stderr.endswith("has nothing to do with node storage.\n")


def test_what_takes_an_object_alone_names_the_command_that_tells_whose_a_thing_is(
    demo_log: Path,
) -> None:
    """A claim, a Job or a node belongs to one."""
    result = warmlog("export", demo_log, "--object", "job/some")
    assert result.exit_code == ExitCode.USAGE
    assert "`warmlog explain job/some LOG` names whose it is" in result.stderr
