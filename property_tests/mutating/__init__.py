"""Mutating: is every row of a machine's table, and every branch of a reducer, held by a law?

The product is changed in one place at a time, and the property tests must notice. Rooms:

    modules     what is mutated: all that folds or decides
    mutants     one change each, as text: where it stands and what takes its place
    changes     which changes there are of an expression or a statement; `tables` of data
    applying    a change put into the running code
    trials      what a mutant has to stand: `examples` of the property tests, drawn once from fixed
                seeds, `hand_written` cases of the pure core, and what honest code did here and must
                be done `again`;
                `reading_off`: what of it is compared after each row; `focusing`: stories in which
                few kinds of things happen
    watching    each place tells what it answered; `reaching`: in which trials, then, a mutant
                makes a difference
    judging     a mutant's trial, in a process of its own: what breaks first kills it
    checking_types      survivors that the type checker refuses are no programs
    surviving   the survivors that are known, each with the reason it is harmless
    keeping     what came of each mutant, so that a whole run goes on where it stopped
    reporting   what came of it
    faults_of_old, putting_back     faults that were mended once: put back, each must be found

mutmut and cosmic-ray were tried on paper: the one mutates functions only (a machine here is data),
the other starts a process that imports everything for each mutant. Here a mutant costs a fork,
and whatever was drawn and imported before.

    python -m property_tests.mutating --sample 150 --seed 1 --apart
    python -m property_tests.mutating --all --module machines/caches
"""
