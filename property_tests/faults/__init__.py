"""What goes wrong around a driven controller, beside what the simulated clusters do by themselves.

A store that fails is `failing_logs`, the machine's clock `shifting_clocks`, a controller that lost
the lease to another one `elders`; faults of requests and watches are the simulator's own
(`adapters.simulator.faults`, `adapters.simulator.watching`). `troubled_worlds` offers all of them
as deeds to every world.
"""
