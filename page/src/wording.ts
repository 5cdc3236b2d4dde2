/** How lanes, times and commands are written. */

import type { Lane, Timeline, Tone } from "./timeline";

export const TONES: Record<Tone, { sign: string; words: string }> = {
  failed: { sign: "✕", words: "failed" },
  degraded: { sign: "▲", words: "partly failed" },
  waiting: { sign: "○", words: "waiting" },
  working: { sign: "◐", words: "under way" },
  unknown: { sign: "?", words: "not known" },
  done: { sign: "●", words: "done" },
  over: { sign: "–", words: "gone or left" },
};

const SHORT: Record<string, string> = {
  ModelWarmup: "warmup",
  ModelCache: "cache",
  ModelReplica: "replica",
  InferenceCluster: "cluster",
};

/** Names what a lane is of, in a word. */
export function kindOf(lane: Lane): string {
  if (!lane.part) return SHORT[lane.kind] ?? lane.kind;
  return lane.kind === "ModelWarmup" ? "node" : "on cluster";
}

/** Names a lane in full. */
export function fullTitle(lane: Lane): string {
  const whole = `${lane.kind} ${[lane.namespace, lane.name].filter(Boolean).join("/")}`;
  return lane.part ? `${whole}, ${kindOf(lane)} ${lane.part}` : whole;
}

const two = (value: number, digits = 2): string => String(value).padStart(digits, "0");

/** Writes the time of day, to the millisecond, in UTC. */
export function clock(at: number): string {
  const date = new Date(at);
  const seconds = `${two(date.getUTCSeconds())}.${two(date.getUTCMilliseconds(), 3)}`;
  return `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${seconds}Z`;
}

/** Writes an instant beside the axis: as much of it as tells it from its neighbours. */
export function tick(at: number): string {
  if (at % 1000 !== 0) return clock(at).slice(6, -1);
  if (at % 60_000 !== 0) return clock(at).slice(0, 8);
  if (at % 86_400_000 !== 0) return clock(at).slice(0, 5);
  return new Date(at).toISOString().slice(5, 10);
}

/** Writes day and time. */
export function moment(at: number): string {
  return `${new Date(at).toISOString().slice(0, 10)} ${clock(at)}`;
}

/** Writes how long something took. */
export function span(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const hours = Math.floor(seconds / 3600);
  if (hours < 48) return `${hours} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** Gives the command that says the same on a terminal. */
export function command(timeline: Timeline, lane: Lane, position: number): string {
  const reference = [lane.kind.toLowerCase(), lane.namespace, lane.name].filter(Boolean).join("/");
  const words = ["warmlog", "explain", reference, "--log", timeline.place, "--at", `${position}`];
  if (lane.part) words.push(lane.kind === "ModelWarmup" ? "--node" : "--on", lane.part);
  return words.map(quoted).join(" ");
}
