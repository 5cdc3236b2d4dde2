"""The corpus: seeds whose worlds reached something that no other seed's had, fewest first.

`corpus.json` is a list of seeds. Each stands for what it reaches with today's declared deeds; when
those change, the next soak sees what the seeds reach now, and keeps the fewest that reach it all.
"""

from collections.abc import Mapping
from pathlib import Path

from engine.canonical_json import dumps, loads

PLACE = Path(__file__).parent / "corpus.json"


def read_corpus(place: Path = PLACE) -> list[int]:
    """Read the seeds, those that reach most first."""
    return list(loads(place.read_text())["seeds"]) if place.exists() else []


def write_corpus(seeds: list[int], place: Path = PLACE) -> None:
    """Write the seeds."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(dumps({"seeds": seeds}) + "\n")


def fewest(features: Mapping[int, set[str]]) -> list[int]:
    """Give few seeds that reach all that these reach, the one that adds most first."""
    left, chosen = set[str]().union(*features.values()), list[int]()
    while left:
        best = max(sorted(features), key=lambda seed: len(features[seed] & left))
        chosen.append(best)
        left -= features[best]
    return chosen
