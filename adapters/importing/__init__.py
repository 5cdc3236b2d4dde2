"""Foreign material becomes a log: what `kubectl` printed, and what an API server's audit log holds.

Material is read as a stream of JSON documents (`documents`), each of which tells of objects
(`telling_kubectl`, `telling_audits`) as sights (`sights`). These become the very observations that
a watch would have made (`observing`), and rows as the running controller writes them
(`making_rows`).
"""
