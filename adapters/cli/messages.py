"""The controller's own messages: one per line on stderr, for people or for programs."""

import sys
from typing import Any

import structlog

from adapters.settings import LogFormat
from adapters.texts import safe

Words = dict[str, Any]


def configure(log_format: LogFormat, least: str = "info") -> None:
    """Have every message of this process that is no less than `least` written as told."""
    processors: list[structlog.types.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    if log_format is LogFormat.JSON:
        processors.append(structlog.processors.JSONRenderer(sort_keys=True))
    else:
        colours = sys.stderr.isatty()
        processors += [_made_safe, structlog.dev.ConsoleRenderer(colors=colours)]
    structlog.configure(
        processors=processors,
        logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
        wrapper_class=structlog.make_filtering_bound_logger(least),
        cache_logger_on_first_use=False,
    )


def _made_safe(_logger: object, _method: str, words: structlog.types.EventDict) -> Words:
    """Words from a cluster may hold what moves a cursor."""
    return {key: safe(value) if isinstance(value, str) else value for key, value in words.items()}
