"""The published words of a cache's entry for one cluster; the CRD's enum is generated from them."""

PUBLISHED_ENTRY_PHASES = ("Pending", "Hydrating", "Ready", "Failed")
