"""A real Kubernetes control plane for the end-to-end tests and the benchmarks.

Import from the modules: ``running`` starts and stops it, ``stages`` says how its fake Pods behave,
``nodes`` makes fake Nodes, ``watching`` opens HTTP sessions and waits for objects, and
``building`` makes the programs.
"""
