/** The timeline as the page looks at it: lanes with their texts, and rows by position. */

import { type Document, KNOWN_FORMAT, type Machine } from "./reading";

export type Tone = "waiting" | "working" | "done" | "degraded" | "failed" | "unknown" | "over";

export interface Span {
  position: number;
  row: number;
  state: string;
  phase: string;
  reason: string;
  tone: Tone;
}

export interface Said {
  position: number;
  summary: string;
  notes: string[];
  details: string[];
  waitsFor: string[];
  advice: string[];
  see: number | null;
  /** It waits for its turn, in the words of the lane that it is a part of. */
  turn: boolean;
}

export interface Cause {
  position: number;
  moved: string;
  words: string;
}

export interface Lane {
  number: number;
  parent: number | null;
  kind: string;
  cluster: string;
  namespace: string;
  name: string;
  part: string;
  machine: string;
  title: string;
  spans: Span[];
  said: Said[];
  turns: { position: number; words: string }[];
  causes: Cause[];
  dropped: { position: number; words: string }[];
  parts: number[];
}

export interface Rows {
  position: number[];
  at: number[];
}

const KINDS = ["ModelWarmup", "ModelCache", "ModelReplica", "InferenceCluster"];

/** Gives the index of the last entry at or before a position; -1 when all come later. */
export function lastAt(list: readonly { position: number }[], position: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle]?.position ?? 0) <= position) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

let timelines = 0;

export class Timeline {
  /** Tells this timeline from others that the page showed before. */
  readonly serial = ++timelines;
  log = "";
  place = "";
  recordedBy = "";
  exact = true;
  position = 0;
  machines = new Map<string, Machine>();
  rows: Rows = { position: [], at: [] };
  lanes: Lane[] = [];
  /** The lanes as they are listed: objects by kind and name, the parts of each below it. */
  ordered: Lane[] = [];

  constructor(whole: Document) {
    this.add(whole);
  }

  /** Says whether a document goes on where this ends: else it is of another log. */
  isContinuedBy(told: Document): boolean {
    return told.log === this.log && told.position >= this.position;
  }

  /** Adds what came after the position known; throws when this page is too old for it. */
  add(told: Document): void {
    if (told.format > KNOWN_FORMAT) throw new Error(`this page cannot read format ${told.format}`);
    for (const one of told.machines) this.machines.set(one.name, one);
    this.log = told.log;
    this.place = told.place;
    this.recordedBy = told.recordedBy;
    this.exact = told.exact;
    this.position = Math.max(told.position, this.position);
    this.addRows(told);
    const before = this.lanes.length;
    for (const raw of told.lanes) this.addLane(raw, told.texts);
    if (this.lanes.length !== before) this.order();
  }

  /** Gives the index of the row at a position, or of the last one before it. */
  rowOf(position: number): number {
    const list = this.rows.position;
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((list[middle] ?? 0) <= position) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  /** Gives the instant of a position, in milliseconds. */
  instant(position: number): number {
    return (this.rows.at[this.rowOf(position)] ?? 0) / 1000;
  }

  spanAt(lane: Lane, position: number): Span | undefined {
    return lane.spans[lastAt(lane.spans, position)];
  }

  /** Gives the first span of the phase that a lane is in, whatever the reason was meanwhile. */
  since(lane: Lane, position: number): Span | undefined {
    let index = lastAt(lane.spans, position);
    const phase = lane.spans[index]?.phase;
    while (index > 0 && lane.spans[index - 1]?.phase === phase) index -= 1;
    return lane.spans[index];
  }

  saidAt(lane: Lane, position: number): Said | undefined {
    const said = lane.said[lastAt(lane.said, position)];
    const whole = lane.parent === null ? undefined : this.lanes[lane.parent];
    if (!said?.turn || whole === undefined) return said;
    const turn = whole.turns[lastAt(whole.turns, position)]?.words;
    return turn === undefined ? said : { ...said, waitsFor: [turn, ...said.waitsFor] };
  }

  private addRows(told: Document): void {
    const { rows } = told;
    for (let index = 0; index < rows.position.length; index += 1) {
      this.rows.position.push(rows.position[index] ?? 0);
      this.rows.at.push(rows.at[index] ?? 0);
    }
  }

  private addLane(raw: Document["lanes"][number], texts: string[]): void {
    const text = (index: number): string => texts[index] ?? "";
    let lane = this.lanes[raw.number];
    if (lane === undefined) {
      const { number, parent, kind, cluster, namespace, name, part, machine } = raw;
      const title = part || [namespace, name].filter(Boolean).join("/");
      const empty = { spans: [], said: [], turns: [], causes: [], dropped: [], parts: [] };
      lane = { number, parent, kind, cluster, namespace, name, part, machine, title, ...empty };
      this.lanes[number] = lane;
      if (parent !== null) this.lanes[parent]?.parts.push(number);
    }
    for (const [position, state, phase, reason, tone] of raw.spans) {
      const row = this.rowOf(position);
      const named = { state: text(state), phase: text(phase), reason: text(reason) };
      lane.spans.push({ position, row, ...named, tone: text(tone) as Tone });
    }
    for (const [position, summary, notes, details, waits, advice, see, turn] of raw.said) {
      const lists = { notes: notes.map(text), details: details.map(text) };
      const asked = { waitsFor: waits.map(text), advice: advice.map(text) };
      lane.said.push({
        position,
        summary: text(summary),
        ...lists,
        ...asked,
        see,
        turn: turn === 1,
      });
    }
    for (const [position, words] of raw.turns) lane.turns.push({ position, words: text(words) });
    for (const [position, moved, words] of raw.causes) {
      lane.causes.push({ position, moved: text(moved), words: text(words) });
    }
    lane.causes.sort((one, other) => one.position - other.position);
    for (const [position, words] of raw.dropped)
      lane.dropped.push({ position, words: text(words) });
  }

  private order(): void {
    const names = new Intl.Collator("en", { numeric: true });
    const rank = (lane: Lane): number => (KINDS.indexOf(lane.kind) + KINDS.length + 1) % 5;
    const whole = this.lanes.filter((lane) => lane.parent === null);
    whole.sort(
      (one, other) =>
        rank(one) - rank(other) ||
        names.compare(one.title, other.title) ||
        one.number - other.number,
    );
    const parts = (lane: Lane): Lane[] =>
      lane.parts
        .map((number) => this.lanes[number])
        .filter((part): part is Lane => part !== undefined)
        .sort((one, other) => names.compare(one.part, other.part));
    this.ordered = whole.flatMap((lane) => [lane, ...parts(lane)]);
  }
}
