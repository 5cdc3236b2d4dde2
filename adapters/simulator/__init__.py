"""A simulated cluster: an executable model of what warmlog meets, on a virtual clock.

`worlds.World` is where to begin: it builds a cluster, does by hand what people do, and gives the
API server's port (`world.api`). Time passes in `world.cluster.advance` only; randomness is a hash
of the seed. `storage` and `registry` are etcd and the rules of every write, `api_server`, `listing`
and `watching` the requests, `faults` what goes wrong on the way; the Job controller, scheduler,
kubelets, node lifecycle and collectors, the binder and the provisioners of volumes live behind
them, each in a module of its own. `plans` says how all of them behave.

The model was compared with a real 1.36 cluster (tests/e2e/conformance/). Not in
it: strategic merge patches, deletes of collections, rules in CEL but for the forms that warmlog's
own definitions use, indexed Jobs, gangs of Pods for a LeaderWorkerSet, devices, resources other
than the number of Pods, RBAC, volumes that are in no claim, and any kind that warmlog does not
meet.

Server-side apply is `applying`, with `managed_fields` for who owns what, `field_sets` for what an
object has, and `merge_keys` for how each kind is merged. Owners are kept from the beginning only of
what warmlog composes; of other kinds since they were first applied.
"""
