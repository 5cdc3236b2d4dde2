/** Keys, wherever on the page they are pressed; none of them is taken from a field or a button. */

import { useEffect, useRef } from "preact/hooks";
import type { Lane, Timeline } from "./timeline";

export interface Keys {
  search(): void;
  walk(lanes: number): void;
  move(steps: number, byRow: boolean): void;
  begin(): void;
  end(): void;
  zoom(step: number): void;
}

export const KEYS: [string, string][] = [
  ["↑ ↓", "the lane above or below; Page Up and Page Down: ten lanes"],
  ["← →", "the selected lane's change before or after; with Shift: one row of the log"],
  ["Home End", "the first row, the last row"],
  ["+ − 0", "zoom in, zoom out, everything"],
  ["/", "search; Escape leaves it"],
];

const PAGE = 10;

/** Gives the position so many changes of a lane, or rows of the log, away from the cursor. */
export function stepOf(
  timeline: Timeline,
  lane: Lane | undefined,
  cursor: number,
  steps: number,
): number {
  const places = lane ? changes(lane) : timeline.rows.position;
  if (steps > 0) return places.find((place) => place > cursor) ?? timeline.position;
  return places.findLast((place) => place < cursor) ?? timeline.rows.position[0] ?? 0;
}

function changes(lane: Lane): number[] {
  const found = [...lane.spans, ...lane.causes].map((one) => one.position);
  return [...new Set(found)].sort((one, other) => one - other);
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest("input, select, textarea") !== null;

function act(keys: Keys, event: KeyboardEvent): boolean {
  switch (event.key) {
    case "/":
      keys.search();
      return true;
    case "ArrowUp":
    case "ArrowDown":
      keys.walk(event.key === "ArrowUp" ? -1 : 1);
      return true;
    case "PageUp":
    case "PageDown":
      keys.walk(event.key === "PageUp" ? -PAGE : PAGE);
      return true;
    case "ArrowLeft":
    case "ArrowRight":
      keys.move(event.key === "ArrowLeft" ? -1 : 1, event.shiftKey);
      return true;
    case "Home":
      keys.begin();
      return true;
    case "End":
      keys.end();
      return true;
    case "+":
    case "=":
      keys.zoom(1);
      return true;
    case "-":
      keys.zoom(-1);
      return true;
    case "0":
      keys.zoom(0);
      return true;
  }
  return false;
}

export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (isField(event.target)) {
        if (event.key === "Escape") document.getElementById("lanes")?.focus();
        return;
      }
      const inPanel = event.target instanceof HTMLElement && event.target.closest("#panel");
      if (inPanel && event.key.startsWith("Page")) return; // the panel scrolls
      if (act(latest.current, event)) event.preventDefault();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}
