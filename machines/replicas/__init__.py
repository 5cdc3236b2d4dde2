"""ModelReplica: engines that wait for their cache."""
