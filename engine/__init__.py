"""The event-sourcing core: the log's envelope and port, fold, step, machine tables, replay, verify.

Nothing here knows of Kubernetes, and nothing here does I/O or reads a clock: `at` and identities
arrive in the events.
"""
