"""Exhaustive search: every interleaving of a small world, with a crash allowed at each point.

    cores        the real core in the midst of it: states told apart by what they can still do
    renaming     the name of a state of the core, in which instants and positions are relative
    judging      the laws of the core's state that are checked on the way
    worlds       what every world is made of: moves, requests and answers on their way, faults
    requesting   how decisions reach the API servers, and a crash
    *_cluster    the objects of each world, and what runs there of itself
    *_world      the worlds: what may happen in each, and what must hold there
    replica_*    the same of a replica: what its servers do, and what must hold, apart
    reducing     of all orders in which the same comes about, one
    games        the worlds that are explored, by name
    searching    breadth first over all states, and whether each must come to rest
    reporting    what came of one world, for people
    storytelling the shortest way to a state, in plain words and as a recording

`python -m property_tests.exploring` explores them all and prints what it found.
"""
