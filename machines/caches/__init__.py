"""ModelCache and InferenceCluster: a model staged once per cluster, published while Ready.

Rooms, from what is seen to what is said:

    levels      what each kind of object is reduced to
    states      caches, their entries, clusters, as folded
    entries     the machine of one entry (one cache on one cluster), its table and invariants
    reaching    how a cluster is reached, and what of it has to be watched
    folding     facts about all of these applied to the state
    settling    each touched entry brought to where its facts put it
    deciding    what is to be created, changed or deleted
    sources     where what is staged turns into a script, a fingerprint and words
    hydration_… the bodies of what a cache has on a cluster, and the script of its Job
    mounts      what engines are given
"""
