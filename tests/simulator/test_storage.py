"""What a simulated cluster remembers."""

from adapters.simulator.storage import Manifest, Storage, key_of


def item(name: str, namespace: str = "a", **metadata: object) -> Manifest:
    """Any object."""
    return {"kind": "Job", "metadata": {"name": name, "namespace": namespace, **metadata}}


def put(storage: Storage, name: str, namespace: str = "a", **metadata: object) -> Manifest:
    """Store any object."""
    return storage.put("Job", key_of(namespace, name), item(name, namespace, **metadata))


def names(items: list[Manifest]) -> list[str]:
    """Names of objects."""
    return [each["metadata"]["name"] for each in items]


def test_each_write_has_a_version_of_its_own() -> None:
    """One counter serves all kinds and all writes, ends included; it begins above 1."""
    storage = Storage()
    first = put(storage, "x")
    other = storage.put("Node", "/n", {"kind": "Node", "metadata": {"name": "n"}})
    end = storage.remove("Job", "a/x")
    versions = [each["metadata"]["resourceVersion"] for each in (first, other, end)]
    assert versions == ["2", "3", "4"]
    assert storage.version == 4


def test_what_was_handed_out_is_never_changed() -> None:
    """A write stores a new object; the old one and the one given stay as they were."""
    storage = Storage()
    given = item("x")
    old = storage.put("Job", "a/x", given)
    storage.put("Job", "a/x", {**old, "spec": 1})
    assert "resourceVersion" not in given["metadata"]
    assert (old["metadata"]["resourceVersion"], "spec" in old) == ("2", False)


def test_lists_come_in_the_order_of_keys() -> None:
    """As etcd sorts: by namespace and name with the slash between them."""
    storage = Storage()
    for namespace, name in (("b", "x"), ("a", "z"), ("a-b", "y"), ("a", "w")):
        put(storage, name, namespace)
    assert names(storage.listed("Job")) == ["y", "w", "z", "x"]
    assert names(storage.listed("Job", "a")) == ["w", "z"]
    assert names(storage.listed("Job", "nowhere")) == []


def test_a_list_can_be_had_as_it_was() -> None:
    """Additions, changes and ends after a version are undone in the list of that version."""
    storage = Storage()
    put(storage, "x", labels={"v": "1"})
    put(storage, "y")
    before = storage.version
    put(storage, "x", labels={"v": "2"})
    storage.remove("Job", "a/y")
    put(storage, "z")
    past = storage.listed_at("Job", "a", before)
    assert names(past) == ["x", "y"]
    assert past[0]["metadata"]["labels"] == {"v": "1"}
    assert names(storage.listed_at("Job", "b", before)) == []
    assert names(storage.listed_at("Job", "", storage.version)) == ["x", "z"]


def test_compaction_forgets_changes_and_nothing_else() -> None:
    """Places before the cut are gone, places behind it still lead to the same changes."""
    storage = Storage()
    put(storage, "x")
    behind = storage.position("Job")
    put(storage, "y")
    storage.compact(storage.version - 1)
    changes = storage.changes("Job", behind)
    assert changes is not None
    assert [change.key for change in changes] == ["a/y"]
    assert storage.changes("Job", 0) is None
    assert names(storage.listed("Job")) == ["x", "y"]


def test_history_does_not_grow_without_end() -> None:
    """Beyond the limit the older half is compacted; objects are not concerned."""
    storage = Storage(history_limit=10)
    for index in range(11):
        put(storage, f"x{index:02}")
    assert storage.compacted == 7
    assert storage.changes("Job", 0) is None
    assert len(storage.listed("Job")) == 11


def test_dependents_follow_owner_references() -> None:
    """An object is found by the uids of its owners, as they stand now."""
    storage = Storage()
    put(storage, "x", ownerReferences=[{"uid": "u1"}, {"uid": "u2"}])
    put(storage, "y", ownerReferences=[{"uid": "u1"}])
    assert [each["metadata"]["name"] for _, each in storage.dependents("u1")] == ["x", "y"]
    put(storage, "x", ownerReferences=[{"uid": "u2"}])
    storage.remove("Job", "a/y")
    assert storage.dependents("u1") == []
    assert [kind for kind, _ in storage.dependents("u2")] == ["Job"]


def test_a_roll_back_gives_versions_out_again() -> None:
    """Objects, dependents and the counter are what they were; the next write repeats a version."""
    storage = Storage()
    put(storage, "x", ownerReferences=[{"uid": "u1"}])
    past = storage.version
    put(storage, "y")
    storage.remove("Job", "a/x")
    storage.roll_back(past)
    assert names(storage.listed("Job")) == ["x"]
    assert len(storage.dependents("u1")) == 1
    assert put(storage, "z")["metadata"]["resourceVersion"] == str(past + 1)
