/** Where positions are on the screen. */

import { type ScaleLinear, type ScaleTime, scaleLinear, scaleUtc } from "d3-scale";
import type { Timeline } from "./timeline";

export type AxisMode = "time" | "rows";
export type Scale = ScaleTime<number, number> | ScaleLinear<number, number>;

const MARGIN = 10;

/** Gives the scale of the whole log over a width; without a length it is given one. */
export function wholeScale(timeline: Timeline, mode: AxisMode, width: number): Scale {
  const range: [number, number] = [MARGIN, Math.max(MARGIN + 1, width - MARGIN)];
  const { at, position } = timeline.rows;
  if (mode === "rows") return scaleLinear([0, Math.max(1, position.length)], range);
  const begin = (at[0] ?? 0) / 1000;
  const end = (at[at.length - 1] ?? 0) / 1000;
  return scaleUtc([begin, Math.max(begin + 1, end + (end - begin) * 0.02)], range);
}

/** Gives where a row stands. */
export function xOf(timeline: Timeline, mode: AxisMode, scale: Scale, row: number): number {
  return scale(mode === "rows" ? row : (timeline.rows.at[row] ?? 0) / 1000);
}

/** Gives the last position at or before a place on the screen. */
export function positionAt(timeline: Timeline, mode: AxisMode, scale: Scale, x: number): number {
  const { at, position } = timeline.rows;
  const value = Number(scale.invert(x));
  if (mode === "rows") return position[Math.round(value)] ?? timeline.position;
  let low = 0;
  let high = at.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((at[middle] ?? 0) / 1000 <= value) low = middle + 1;
    else high = middle;
  }
  return position[Math.max(0, low - 1)] ?? 0;
}
