/** Which lanes are listed. */

import type { Lane, Timeline, Tone } from "./timeline";
import { kindOf } from "./wording";

export interface Filter {
  words: string;
  kind: string;
  tones: Tone[];
}

export const NO_FILTER: Filter = { words: "", kind: "", tones: [] };

/** Gives the lanes that a filter lets through, as they are at the cursor; "" lets all through. */
export function filtered(timeline: Timeline, filter: Filter, cursor: number): Lane[] {
  const wanted = filter.words.toLowerCase().split(/\s+/).filter(Boolean);
  return timeline.ordered.filter((lane) => {
    if (filter.kind && filter.kind !== kindOf(lane)) return false;
    const now = timeline.spanAt(lane, cursor);
    if (filter.tones.length > 0 && !(now && filter.tones.includes(now.tone))) return false;
    if (wanted.length === 0) return true;
    const names = `${lane.kind} ${kindOf(lane)} ${lane.namespace}/${lane.name} ${lane.part}`;
    const said = timeline.saidAt(lane, cursor);
    const told = [said?.summary ?? "", ...(said?.waitsFor ?? [])].join(" ");
    const text = `${names} ${now?.phase ?? ""} ${now?.reason ?? ""} ${told}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

/** Gives the kinds that a timeline has lanes of. */
export function kinds(timeline: Timeline): string[] {
  return [...new Set(timeline.ordered.map(kindOf))];
}

/** Counts lanes by tone at the cursor. */
export function counts(timeline: Timeline, cursor: number): Map<Tone, number> {
  const found = new Map<Tone, number>();
  for (const lane of timeline.lanes) {
    const tone = timeline.spanAt(lane, cursor)?.tone;
    if (tone) found.set(tone, (found.get(tone) ?? 0) + 1);
  }
  return found;
}
