"""Continuing: what becomes of a recorded log that goes on otherwise than it did.

A continuation is data: a recording, a position in it, and what is otherwise from there on. The
state there is copied, the rest of the facts is told on, and the code decides for itself; at the
end every law of the state is checked. `recordings` prepares the logs, `perturbing` has what may be
otherwise, `telling` tells on, `judging` checks; `crashing` restarts at every position.
"""
