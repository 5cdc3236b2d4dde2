"""What must hold whatever happens: machines, log, replay, and whole runs with faults."""
