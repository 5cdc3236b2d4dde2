"""ModelReplica: engines that wait for their cache, and never restart because of it.

Rooms, from what is seen to what is said:

    levels      what each kind of object is reduced to
    states      replicas and their engines, as folded
    replicas    the machine of one replica, its table and invariants
    specs       the spec, read; `members` reads what the Pods of one member are made of
    mounts      what an engine is given of a cache, as a plain record
    folding     facts applied to the state; `cutting_off` when the cluster itself is gone
    answering   decisions, and what became of them, likewise
    accepting   which spec is acted on
    recovering  what a status tells when the log was lost
    stirring    which replicas an event may have moved
    settling    each of them brought to where its facts put it: `moving` moves it
    placing     where its objects are, and whether enough is known of that cluster
    mounting    which mount each engine is to have now
    holding     why nothing is composed now; `supporting` what has no way to run at all
    composing   what is wanted, with `bodies`, `pod_bodies` and their `names`
    drifting    whether an object still is what was applied last
    wishing     what is to be done; `leaving` what is there of one that goes
    deciding    which wishes become intents now, and with which body
    timing      the instants that are waited for
    asking      what has to be read that no watch shows
    using       which replicas hold on to a claim, asked by caches

What is said: `conditions`, `statuses`, `showing`, `occasions`, `explaining`, `advising`,
`histories`, `telling`; `obstacles` and `causes` are what they are made of. What many of them ask:
`indexing`, `owning`, `part_names`, `kinds`; `missing` is asked before an absence is believed.
"""
