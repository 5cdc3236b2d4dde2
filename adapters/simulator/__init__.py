"""A simulated cluster: an executable model of what warmlog meets, on a virtual clock.

`worlds.World` is where to begin: it builds a cluster, does by hand what people do, and gives the
API server's port (`world.api`). Time passes in `world.cluster.advance` only; randomness is a hash
of the seed. `storage` and `registry` are etcd and the rules of every write, `api_server`, `listing`
and `watching` the requests, `faults` what goes wrong on the way; the Job controller, scheduler,
kubelets, node lifecycle and collectors, the binder and the provisioners of volumes live behind
them, each in a module of its own. `plans` says how all of them behave.

The model was compared with a real 1.36 cluster (tests/e2e/test_simulator_conformance*.py). Not in
it: server-side apply and strategic merge patches, deletes of collections, rules in CEL but for the
forms that warmlog's own definitions use for caches and clusters, indexed Jobs, resources other
than the number of Pods, RBAC, volumes that are in no claim, and any kind that warmlog does not
meet.
"""
