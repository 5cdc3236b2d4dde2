"""ModelCache and InferenceCluster: a model staged once per cluster, published while Ready.

Rooms, from what is seen to what is said:

    levels      what each kind of object is reduced to
    states      caches, their entries, clusters, as folded
    entries     the machine of one entry (one cache on one cluster), its table and invariants
    reaching    how a cluster is reached, and what of it has to be watched
    folding     facts about all of these applied to the state
    answering   decisions, and what became of them, likewise
    accepting   which spec is acted on, and which edits of it are taken over
    recovering  what a status tells when the log was lost
    stirring    which caches an event may have moved, and on which clusters
    settling    each touched cache brought to where its facts put it: `enrolling` gives it its
                entries, `moving` moves each, with `failing` and `healing`
    wishing     what is wanted: `staging` on a selected cluster, `leaving` on any other
    deciding    which wishes become intents now, and with which body
    sources     where what is staged turns into a script, a fingerprint and words
    hydration_… the bodies of what a cache has on a cluster, and the script of its Job
    mounts      what engines are given
    timing      the instants that are waited for
    asking      what has to be read that no watch shows

What many of them ask: `indexing` and `finding` (what a cache has, by name), `owning` (whose it is),
`selecting`, `twins`, `blocking`, `tokens`, `latching`, `sizing`.
"""
