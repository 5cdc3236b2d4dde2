/** The panel: what `warmlog explain` says of the selected lane at the cursor. */

import { Diagram } from "./diagram";
import { type Lane, lastAt, type Said, type Timeline } from "./timeline";
import { clock, command, fullTitle, kindOf, moment, span, TONES } from "./wording";

const LISTED = 20; // parts, and rows that led here
const ORDER = Object.keys(TONES);

interface Props {
  timeline: Timeline;
  lane: Lane | undefined;
  cursor: number;
  moveTo(position: number): void;
  select(lane: Lane | undefined): void;
}

export function Panel(props: Props) {
  const { timeline, lane, cursor } = props;
  if (lane === undefined) {
    return (
      <section id="panel" aria-label="Explanation">
        <p>The log holds no object.</p>
      </section>
    );
  }
  const said = timeline.saidAt(lane, cursor);
  const now = timeline.spanAt(lane, cursor);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <section id="panel" aria-label="Explanation" tabIndex={0}>
      <Head {...props} lane={lane} />
      {said && now?.tone !== "over" && <Words {...props} lane={lane} said={said} />}
      <Parts {...props} lane={lane} />
      <Causes {...props} lane={lane} />
      <Dropped {...props} lane={lane} />
      <Machine {...props} lane={lane} />
      <Command text={command(timeline, lane, cursor)} />
    </section>
  );
}

type Inner = Props & { lane: Lane };

function Head({ timeline, lane, cursor, moveTo, select }: Inner) {
  const now = timeline.spanAt(lane, cursor);
  const since = timeline.since(lane, cursor);
  const whole = lane.parent === null ? undefined : timeline.lanes[lane.parent];
  const at = since ? timeline.instant(since.position) : 0;
  return (
    <>
      <h2>{fullTitle(lane)}</h2>
      {now && since ? (
        <p class="phase">
          <b class={`now tone-${now.tone}`}>
            {TONES[now.tone].sign} {now.phase}
          </b>
          {now.reason && ` (${now.reason})`} since {clock(at)},{" "}
          {span(timeline.instant(cursor) - at)} before the cursor,{" "}
          <Position {...{ timeline, moveTo }} position={since.position} />
        </p>
      ) : (
        <p class="phase">
          Not there yet at the cursor: it begins at{" "}
          <Position {...{ timeline, moveTo }} position={lane.spans[0]?.position ?? 0} />
        </p>
      )}
      {whole && (
        <p>
          Part of <LaneLink lane={whole} select={select} />
        </p>
      )}
    </>
  );
}

function Words({ timeline, cursor, said, select }: Inner & { said: Said }) {
  const old = !timeline.exact && said.position < cursor;
  const see = said.see === null ? undefined : timeline.lanes[said.see];
  const waits = said.waitsFor.filter((words) => !said.summary.includes(words));
  return (
    <div class="words">
      {said.summary && <p class="summary">{said.summary}</p>}
      {said.notes.map((words) => (
        <p key={words} class="mind">
          <b>Mind:</b> {words}
        </p>
      ))}
      {waits.map((words) => (
        <p key={words}>
          <b>Waits for:</b> {words}
        </p>
      ))}
      {said.advice.map((words) => (
        <p key={words} class="do">
          <b>Do:</b> {words}
        </p>
      ))}
      {said.details.map((words) => (
        <p key={words}>{words}</p>
      ))}
      {see && (
        <p>
          <b>See its cache:</b> <LaneLink lane={see} select={select} />
        </p>
      )}
      {old && (
        <p class="dim">
          In the words of position {said.position}: of so many objects not all are looked at again
          when something is said of whole clusters.
        </p>
      )}
    </div>
  );
}

function Parts({ timeline, lane, cursor, select }: Inner) {
  if (lane.parts.length === 0) return null;
  const parts = lane.parts
    .map((number) => timeline.lanes[number])
    .filter((part): part is Lane => part !== undefined)
    .map((part) => ({ part, now: timeline.spanAt(part, cursor) }))
    .filter(({ now }) => now !== undefined && now.tone !== "over")
    .sort(
      (one, other) => ORDER.indexOf(one.now?.tone ?? "") - ORDER.indexOf(other.now?.tone ?? ""),
    );
  return (
    <>
      <h3>Its parts, those that need somebody first</h3>
      <ul class="parts">
        {parts.slice(0, LISTED).map(({ part, now }) => (
          <li key={part.number}>
            <button type="button" class="link" onClick={() => select(part)}>
              {part.title}
            </button>{" "}
            <span class={`now tone-${now?.tone}`}>
              {TONES[now?.tone ?? "unknown"].sign} {now?.phase}
            </span>
            {now?.reason && <span class="dim"> {now.reason}</span>}
          </li>
        ))}
      </ul>
      {parts.length > LISTED && <p class="dim">and {parts.length - LISTED} more</p>}
    </>
  );
}

function Causes({ timeline, lane, cursor, moveTo }: Inner) {
  const led = lane.causes.slice(0, lastAt(lane.causes, cursor) + 1);
  if (led.length === 0) return null;
  const left = led.length - LISTED;
  return (
    <>
      <h3>How it came to this</h3>
      {left > 0 && <p class="dim">{left} earlier rows: move the cursor back to see them</p>}
      <ol class="causes">
        {led.slice(-LISTED).map(({ position, moved, words }) => (
          <li key={position}>
            <Position {...{ timeline, moveTo, position }} />
            <time>{clock(timeline.instant(position))}</time>
            <span>
              {moved && <b>→ {moved} </b>}
              {words}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}

function Dropped({ timeline, lane, cursor, moveTo }: Inner) {
  const found = lane.dropped.slice(0, lastAt(lane.dropped, cursor) + 1);
  if (found.length === 0) return null;
  return (
    <>
      <h3>Ignored</h3>
      <ol class="causes">
        {found.slice(-LISTED).map(({ position, words }) => (
          <li key={position}>
            <Position {...{ timeline, moveTo, position }} />
            <time>{clock(timeline.instant(position))}</time>
            <span>{words}</span>
          </li>
        ))}
      </ol>
    </>
  );
}

function Machine({ timeline, lane, cursor }: Inner) {
  const machine = timeline.machines.get(lane.machine);
  if (machine === undefined) return null;
  const index = lastAt(lane.spans, cursor);
  const state = lane.spans[index]?.state ?? "";
  const before = lane.spans.slice(0, Math.max(0, index)).findLast((one) => one.state !== state);
  return <Diagram machine={machine} state={state} before={before?.state ?? ""} />;
}

function Command({ text }: { text: string }) {
  return (
    <p class="command">
      The same on a terminal: <code>{text}</code>
    </p>
  );
}

function LaneLink({ lane, select }: { lane: Lane; select(lane: Lane): void }) {
  return (
    <button type="button" class="link" onClick={() => select(lane)}>
      {lane.part ? `${kindOf(lane)} ${lane.part} of ` : ""}
      {lane.kind} {[lane.namespace, lane.name].filter(Boolean).join("/")}
    </button>
  );
}

function Position(props: { timeline: Timeline; position: number; moveTo(position: number): void }) {
  const { timeline, position, moveTo } = props;
  return (
    <button
      type="button"
      class="link position"
      aria-label={`Move the cursor to position ${position}`}
      title={moment(timeline.instant(position))}
      onClick={() => moveTo(position)}
    >
      {position}
    </button>
  );
}
