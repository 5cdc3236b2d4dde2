/** The bar at the top: where the cursor is, what is searched for, and how it looks. */

import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import { counts, type Filter, kinds } from "./filtering";
import { KEYS } from "./keys";
import type { Timeline, Tone } from "./timeline";
import type { AxisMode } from "./view";
import { moment, TONES } from "./wording";

interface Props {
  timeline: Timeline;
  cursor: number;
  moveTo(position: number): void;
  step(steps: number): void;
  filter: Filter;
  setFilter(filter: Filter): void;
  axis: AxisMode;
  setAxis(axis: AxisMode): void;
  zoomBy(step: number): void;
  searchBox: RefObject<HTMLInputElement | null>;
  shown: number;
  live: string | null;
}

export function Controls(props: Props) {
  const { timeline, live } = props;
  return (
    <header>
      <div class="bar">
        <h1>
          warmlog timeline <span class="place">{timeline.place}</span>
        </h1>
        <span class="dim">{timeline.recordedBy}</span>
        {live && <output class="live">{live}</output>}
        <span class="fill" />
        <ThemeButton />
        <Help />
      </div>
      <Cursor {...props} />
      <Filters {...props} />
    </header>
  );
}

function Cursor({ timeline, cursor, moveTo, step, axis, setAxis, zoomBy }: Props) {
  const first = timeline.rows.position[0] ?? 0;
  const told = `Position ${cursor} of ${timeline.position}, ${moment(timeline.instant(cursor))}`;
  return (
    <div class="bar">
      <button type="button" aria-label="First row" onClick={() => moveTo(0)}>
        |◀
      </button>
      <button type="button" aria-label="Change before" onClick={() => step(-1)}>
        ◀
      </button>
      <input
        type="range"
        class="cursor-slider"
        aria-label="Cursor: the position at which everything is shown"
        aria-valuetext={told}
        min={first}
        max={timeline.position}
        value={cursor}
        onInput={(event) => moveTo(Number(event.currentTarget.value))}
      />
      <button type="button" aria-label="Change after" onClick={() => step(1)}>
        ▶
      </button>
      <button type="button" aria-label="Last row" onClick={() => moveTo(timeline.position)}>
        ▶|
      </button>
      <output class="where" aria-live="polite">
        {told}
      </output>
      <span class="fill" />
      <label>
        Axis{" "}
        <select value={axis} onChange={(event) => setAxis(event.currentTarget.value as AxisMode)}>
          <option value="time">time</option>
          <option value="rows">rows of the log</option>
        </select>
      </label>
      <button type="button" aria-label="Zoom out" onClick={() => zoomBy(-1)}>
        −
      </button>
      <button type="button" aria-label="Zoom in" onClick={() => zoomBy(1)}>
        +
      </button>
      <button type="button" onClick={() => zoomBy(0)}>
        All
      </button>
    </div>
  );
}

function Filters({ timeline, cursor, filter, setFilter, searchBox, shown }: Props) {
  const found = counts(timeline, cursor);
  const toggle = (tone: Tone): void => {
    const on = filter.tones.includes(tone);
    const tones = on ? filter.tones.filter((one) => one !== tone) : [...filter.tones, tone];
    setFilter({ ...filter, tones });
  };
  return (
    <div class="bar">
      <input
        ref={searchBox}
        type="search"
        placeholder="Search names, phases, words  ( / )"
        aria-label="Search lanes by name, phase and words"
        value={filter.words}
        onInput={(event) => setFilter({ ...filter, words: event.currentTarget.value })}
      />
      <label>
        Show{" "}
        <select
          value={filter.kind}
          onChange={(event) => setFilter({ ...filter, kind: event.currentTarget.value })}
        >
          <option value="">everything</option>
          {kinds(timeline).map((kind) => (
            <option key={kind} value={kind}>
              only: {kind}
            </option>
          ))}
        </select>
      </label>
      <fieldset>
        <legend class="unseen">Show only lanes that are, at the cursor</legend>
        {(Object.keys(TONES) as Tone[]).map((tone) => (
          <button
            key={tone}
            type="button"
            class={`chip tone-${tone}`}
            aria-pressed={filter.tones.includes(tone)}
            onClick={() => toggle(tone)}
          >
            <i class={`swatch fill-${tone}`} aria-hidden="true" />
            {TONES[tone].sign} {TONES[tone].words} <b>{found.get(tone) ?? 0}</b>
          </button>
        ))}
      </fieldset>
      <output class="dim" aria-live="polite">
        {shown} of {timeline.ordered.length} lanes
      </output>
    </div>
  );
}

type Theme = "" | "light" | "dark";
const NEXT: Record<Theme, Theme> = { "": "dark", dark: "light", light: "" };

function ThemeButton() {
  const [theme, setTheme] = useState<Theme>("");
  const change = (): void => {
    const next = NEXT[theme];
    if (next) document.documentElement.dataset.theme = next;
    else delete document.documentElement.dataset.theme;
    setTheme(next);
  };
  return (
    <button type="button" onClick={change}>
      Colours: {theme || "as the system"}
    </button>
  );
}

function Help() {
  return (
    <details class="help">
      <summary>Keys</summary>
      <dl>
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
        <div>
          <dt>
            <kbd>Ctrl + wheel</kbd>
          </dt>
          <dd>zoom; drag to move along the axis, click to set the cursor</dd>
        </div>
      </dl>
    </details>
  );
}
