/** The lanes: names at the left, spans over the axis, and the cursor. Only what is seen is drawn. */

import { axisTop } from "d3-axis";
import { select as d3Select } from "d3-selection";
import { zoom as d3Zoom, type ZoomTransform, zoomIdentity } from "d3-zoom";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Lane, Span, Timeline } from "./timeline";
import { type AxisMode, positionAt, type Scale, wholeScale, xOf } from "./view";
import { kindOf, TONES, tick } from "./wording";

const ROW = 26; // pixels, as in the styles
const BEYOND = 8; // lanes drawn above and below what is seen
const PRINTED = 400; // lanes on paper
const LEAST = 1; // pixels of the narrowest span
const LABEL = 44; // pixels from which a span bears its phase
const DEEPEST = 100_000; // times that the axis can be stretched

interface Props {
  timeline: Timeline;
  lanes: Lane[];
  selected: Lane | undefined;
  select(lane: Lane | undefined): void;
  cursor: number;
  moveTo(position: number): void;
  axis: AxisMode;
  zoom: { step: number; serial: number };
  position: number;
}

export function Lanes(props: Props) {
  const { timeline, lanes, selected, cursor, moveTo, axis, zoom, position } = props;
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<HTMLDivElement>(null);
  const size = useSize(box, plot);
  const whole = useMemo(
    () => wholeScale(timeline, axis, size.width),
    [timeline, axis, size.width, position],
  );
  const click = useRef((_x: number) => {});
  const transform = useZoom(plot, box, size.width, zoom, axis, click);
  const scale = useMemo(() => transform.rescaleX(whole as never) as Scale, [transform, whole]);
  click.current = (x) => moveTo(positionAt(timeline, axis, scale, x));

  const printing = usePrinting();
  const first = printing ? 0 : Math.max(0, Math.floor(size.top / ROW) - BEYOND);
  const count = printing ? PRINTED : Math.ceil(size.height / ROW) + 2 * BEYOND;
  const seen = lanes.slice(first, first + count);
  const index = selected ? lanes.indexOf(selected) : -1;
  useReveal(box, index);

  const at = xOf(timeline, axis, scale, timeline.rowOf(cursor));
  return (
    <section class="lanes" aria-label="Timeline">
      <div
        id="lanes"
        ref={box}
        role="listbox"
        tabIndex={0}
        aria-label="Lanes, one for each object and each part of one"
        aria-activedescendant={
          seen.includes(selected as Lane) ? `lane-${selected?.number}` : undefined
        }
      >
        <div class="axis" aria-hidden="true">
          <Axis scale={scale} width={size.width} mode={axis} timeline={timeline} />
        </div>
        <div class="rows" role="presentation" style={{ height: `${lanes.length * ROW}px` }}>
          {seen.map((lane, offset) => (
            <LaneRow
              key={lane.number}
              {...{ ...props, lane, scale, whole: lanes.length }}
              width={size.width}
              index={first + offset}
            />
          ))}
          <div ref={plot} class="plot" aria-hidden="true">
            {at >= 0 && at <= size.width && <div class="cursor" style={{ left: `${at}px` }} />}
          </div>
        </div>
        {lanes.length === 0 && <p class="none">No lane is like that at the cursor.</p>}
      </div>
      {printing && lanes.length > PRINTED && <p>{lanes.length - PRINTED} more lanes not printed</p>}
    </section>
  );
}

interface RowProps extends Props {
  lane: Lane;
  scale: Scale;
  width: number;
  index: number;
  whole: number;
}

function LaneRow(props: RowProps) {
  const { timeline, lane, selected, select, cursor, index, whole } = props;
  const now = timeline.spanAt(lane, cursor);
  const tone = TONES[now?.tone ?? "unknown"];
  const phase = now ? now.phase : "not there yet";
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the listbox's, as its role wants
    <div
      role="option"
      id={`lane-${lane.number}`}
      class={`lane${lane.parent === null ? " whole" : ""}`}
      style={{ top: `${index * ROW}px` }}
      tabIndex={-1}
      aria-selected={lane === selected}
      aria-setsize={whole}
      aria-posinset={index + 1}
      onClick={() => select(lane)}
    >
      <span class="name">
        <span class="kind">{kindOf(lane)}</span>
        <span class="title" title={lane.title}>
          {lane.title}
        </span>
        <span class={`now tone-${now?.tone ?? "over"}`} title={now?.reason || undefined}>
          {now ? tone.sign : "·"} <span class="word">{phase}</span>
        </span>
      </span>
      <span class="track" aria-hidden="true">
        <Spans {...props} />
      </span>
    </div>
  );
}

function Spans({ timeline, lane, scale, width, axis }: RowProps) {
  const drawn = [];
  const end = scale.range()[1] ?? width;
  let last = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < lane.spans.length; index += 1) {
    const span = lane.spans[index] as Span;
    const next = lane.spans[index + 1];
    const left = xOf(timeline, axis, scale, span.row);
    const right = next ? xOf(timeline, axis, scale, next.row) : Math.max(end, left + LEAST);
    if (right < 0 || left > width || right - last < LEAST) continue;
    last = right;
    const from = Math.max(-2, left);
    const wide = Math.max(LEAST, Math.min(width + 2, right) - from);
    drawn.push(
      <i
        key={index}
        class={`span fill-${span.tone}`}
        style={{ left: `${from}px`, width: `${wide}px` }}
        title={[span.phase, span.reason].filter(Boolean).join(": ")}
      >
        {wide > LABEL && <b>{span.phase}</b>}
      </i>,
    );
  }
  return <>{drawn}</>;
}

function Axis(props: { scale: Scale; width: number; mode: AxisMode; timeline: Timeline }) {
  const { scale, width, mode, timeline } = props;
  const group = useRef<SVGGElement>(null);
  useLayoutEffect(() => {
    if (group.current === null) return;
    const drawn = axisTop(scale as never).ticks(Math.max(2, width / 110));
    if (mode === "time") drawn.tickFormat((at) => tick(Number(at)));
    else {
      drawn.tickFormat((row) => `${timeline.rows.position[Math.round(Number(row))] ?? ""}`);
    }
    d3Select(group.current).call(drawn as never);
  }, [scale, width, mode, timeline]);
  return (
    <svg width={width} height="24" aria-hidden="true">
      <title>axis</title>
      <g ref={group} transform="translate(0,23)" />
    </svg>
  );
}

interface Size {
  width: number; // of the plot
  height: number; // of what is seen
  top: number; // that is scrolled away
}

function useSize(box: { current: HTMLElement | null }, plot: { current: HTMLElement | null }) {
  const [size, setSize] = useState<Size>({ width: 600, height: 600, top: 0 });
  useLayoutEffect(() => {
    const scroller = box.current;
    if (scroller === null) return;
    const measure = (): void =>
      setSize((old) => {
        const width = plot.current?.clientWidth || old.width;
        const now = { width, height: scroller.clientHeight, top: scroller.scrollTop };
        const same = old.width === width && old.height === now.height && old.top === now.top;
        return same ? old : now;
      });
    const watcher = new ResizeObserver(measure);
    watcher.observe(scroller);
    scroller.addEventListener("scroll", measure, { passive: true });
    measure();
    return () => {
      watcher.disconnect();
      scroller.removeEventListener("scroll", measure);
    };
  }, []);
  return size;
}

/** Leaves the wheel alone, and one finger, to the lanes. */
function isForAxis(event: MouseEvent | TouchEvent): boolean {
  if (event.type === "wheel") return event.ctrlKey || event.shiftKey;
  return "touches" in event ? event.touches.length > 1 : !event.button;
}

/** Zooms and moves the axis: the wheel with Ctrl or Shift, a drag, or `wanted` by key or button. */
function useZoom(
  plot: { current: HTMLElement | null },
  box: { current: HTMLElement | null },
  width: number,
  wanted: { step: number; serial: number },
  mode: AxisMode,
  click: { current: (x: number) => void },
): ZoomTransform {
  const [transform, setTransform] = useState<ZoomTransform>(zoomIdentity);
  const behaviour = useMemo(() => d3Zoom<HTMLElement, unknown>(), []);
  useEffect(() => {
    if (plot.current === null) return;
    behaviour
      .scaleExtent([1, DEEPEST])
      .filter(isForAxis)
      .on("zoom", (event) => setTransform(event.transform));
    const chosen = d3Select(plot.current);
    chosen.call(behaviour).on("dblclick.zoom", null);
    const element = plot.current;
    const pressed = (event: MouseEvent): void => {
      const { left, top } = element.getBoundingClientRect();
      click.current(event.clientX - left);
      const index = Math.floor((event.clientY - top) / ROW);
      const row = box.current?.querySelector<HTMLElement>(`[aria-posinset="${index + 1}"]`);
      row?.click();
    };
    element.addEventListener("click", pressed);
    return () => element.removeEventListener("click", pressed);
  }, [behaviour]);
  useEffect(() => {
    behaviour
      .extent([
        [0, 0],
        [width, 1],
      ])
      .translateExtent([
        [0, 0],
        [width, 1],
      ]);
  }, [behaviour, width]);
  useEffect(() => {
    if (plot.current === null || wanted.serial === 0) return;
    const chosen = d3Select(plot.current);
    if (wanted.step === 0) behaviour.transform(chosen, zoomIdentity);
    else behaviour.scaleBy(chosen, wanted.step > 0 ? 2 : 0.5);
  }, [behaviour, wanted]);
  useEffect(() => {
    if (plot.current) behaviour.transform(d3Select(plot.current), zoomIdentity);
  }, [behaviour, mode]);
  return transform;
}

/** Scrolls so that the selected lane is seen, when another one is selected or it is elsewhere. */
function useReveal(box: { current: HTMLElement | null }, index: number): void {
  useLayoutEffect(() => {
    const scroller = box.current;
    if (scroller === null || index < 0) return;
    const top = index * ROW;
    const seen = scroller.clientHeight - ROW; // less the axis, which stays
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (top + ROW > scroller.scrollTop + seen) scroller.scrollTop = top + ROW - seen;
  }, [index]);
}

function usePrinting(): boolean {
  const [printing, setPrinting] = useState(() => matchMedia("print").matches);
  useEffect(() => {
    const query = matchMedia("print");
    const told = (): void => setPrinting(query.matches);
    const before = (): void => setPrinting(true);
    query.addEventListener("change", told);
    addEventListener("beforeprint", before);
    addEventListener("afterprint", told);
    return () => {
      query.removeEventListener("change", told);
      removeEventListener("beforeprint", before);
      removeEventListener("afterprint", told);
    };
  }, []);
  return printing;
}
