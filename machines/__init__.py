"""The domain, pure: facts, intents, one file per state machine, status projections, messages."""
