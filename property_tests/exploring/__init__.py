"""Exhaustive search: every interleaving of a small world, with a crash allowed at each point.

    cores        the real core in the midst of it: states told apart by what they can still do
    renaming     the name of a state of the core, in which instants and positions are relative
    worlds       what every world is made of: moves, news, requests on their way
    *_world      the worlds: what may happen in each, and what must hold there
    searching    breadth first over all states, and whether each can come to rest
    storytelling the shortest way to a state, in plain words and as a recording

`python -m property_tests.exploring` explores them all and prints what it found.
"""
