/** The whole page: what is selected, where the cursor is, and what of it is shown. */

import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Controls } from "./controls";
import { type Filter, filtered, NO_FILTER } from "./filtering";
import { stepOf, useKeys } from "./keys";
import { Lanes } from "./lanes";
import { Panel } from "./panel";
import type { Lane, Timeline } from "./timeline";
import type { AxisMode } from "./view";

interface Props {
  timeline: Timeline;
  /** Of the last row; handed over so that a timeline that has grown is shown anew. */
  position: number;
  live: string | null;
}

/** Gives the first object that is not done, else the first. */
function firstOpen(timeline: Timeline): number | null {
  const whole = timeline.ordered.filter((lane) => lane.parent === null);
  const open = whole.find((lane) => {
    const tone = timeline.spanAt(lane, timeline.position)?.tone;
    return tone !== undefined && tone !== "done" && tone !== "over";
  });
  return (open ?? whole[0])?.number ?? null;
}

export function App({ timeline, position, live }: Props) {
  const [chosen, setChosen] = useState<number | null>(null);
  const [held, setHeld] = useState<number | null>(null);
  const [filter, setFilter] = useState<Filter>(NO_FILTER);
  const [axis, setAxis] = useState<AxisMode>("time");
  const [zoom, setZoom] = useState({ step: 0, serial: 0 });
  const searchBox = useRef<HTMLInputElement>(null);

  const cursor = held ?? position;
  const isEmpty = timeline.ordered.length === 0;
  const first = useMemo(() => firstOpen(timeline), [timeline, isEmpty]);
  const selected = timeline.lanes[chosen ?? first ?? -1];
  const lanes = useMemo(
    () => filtered(timeline, filter, cursor),
    [timeline, filter, cursor, position],
  );

  /** The cursor stays at the end once it is there, whatever is added. */
  const moveTo = useCallback(
    (wanted: number) => {
      const begin = timeline.rows.position[0] ?? 0;
      setHeld(wanted >= timeline.position ? null : Math.max(begin, wanted));
    },
    [timeline],
  );
  const select = useCallback((lane: Lane | undefined) => lane && setChosen(lane.number), []);
  const zoomBy = useCallback(
    (step: number) => setZoom((last) => ({ step, serial: last.serial + 1 })),
    [],
  );

  useKeys({
    search: () => searchBox.current?.focus(),
    walk: (steps) => {
      const index = selected ? lanes.indexOf(selected) : -1;
      select(lanes[Math.min(lanes.length - 1, Math.max(0, index + steps))]);
    },
    move: (steps, byRow) => moveTo(stepOf(timeline, byRow ? undefined : selected, cursor, steps)),
    begin: () => moveTo(0),
    end: () => moveTo(timeline.position),
    zoom: zoomBy,
  });
  useEffect(() => document.getElementById("lanes")?.focus({ preventScroll: true }), []);

  return (
    <>
      <Controls
        {...{ timeline, cursor, moveTo, filter, setFilter, axis, setAxis, zoomBy, searchBox, live }}
        shown={lanes.length}
        step={(steps: number) => moveTo(stepOf(timeline, selected, cursor, steps))}
      />
      <main>
        <Lanes {...{ timeline, lanes, selected, select, cursor, moveTo, axis, zoom, position }} />
        <Panel {...{ timeline, lane: selected, cursor, moveTo, select }} />
      </main>
    </>
  );
}
