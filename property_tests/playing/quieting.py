"""Quieting: what the controller logs for its operators is of no use in a thousand worlds."""

import structlog


def be_quiet() -> None:
    """Drop what the controller says to its operators, in this process."""
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(50), cache_logger_on_first_use=False
    )
