"""ModelReplica: engines that wait for their cache, and never restart because of it.

Rooms, from what is seen to what is said:

    levels      what each kind of object is reduced to
    states      replicas and their engines, as folded
    replicas    the machine of one replica, its table and invariants
    specs       the spec, read; `members` reads what the Pods of one member are made of
    mounts      what an engine is given of a cache, as a plain record
    names       what its objects are called
    bodies      its objects as they are applied; `pod_bodies` has their Pod templates
"""
