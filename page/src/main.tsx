/** Begins: reads the timeline, shows it, and follows it when a controller serves it. */

import { render } from "preact";
import { App } from "./app";
import { embedded, fetched } from "./reading";
import "./styles.css";
import { Timeline } from "./timeline";

const FOLLOW_EVERY = 2000;
const SHOWN = "warmlog-shown"; // a mark, for whoever measures

function show(timeline: Timeline, root: HTMLElement, live: string | null): void {
  document.title = `warmlog timeline: ${timeline.place}`;
  // Of another log everything is another one: what was chosen, and where the cursor was.
  const props = { timeline, position: timeline.position, live };
  render(<App key={timeline.serial} {...props} />, root);
  markShown();
}

/** Marks when the lanes stood for the first time: after the frame that draws them. */
function markShown(): void {
  if (performance.getEntriesByName(SHOWN).length > 0) return;
  requestAnimationFrame(() => setTimeout(() => performance.mark(SHOWN)));
}

async function follow(root: HTMLElement): Promise<void> {
  let timeline: Timeline | null = null;
  for (;;) {
    try {
      const told = await fetched(timeline?.position ?? 0);
      if (timeline === null) timeline = new Timeline(told);
      else if (timeline.isContinuedBy(told)) timeline.add(told);
      else timeline = new Timeline(await fetched(0));
      show(timeline, root, "following");
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      if (timeline !== null) show(timeline, root, `not following: ${words}`);
      else render(<p role="status">There is no timeline yet: {words}</p>, root);
    }
    await new Promise((resolve) => setTimeout(resolve, FOLLOW_EVERY));
  }
}

function complain(root: HTMLElement, words: string): void {
  render(<p role="alert">The timeline cannot be shown: {words}</p>, root);
}

async function begin(): Promise<void> {
  const root = document.getElementById("app");
  if (root === null) return;
  root.replaceChildren();
  try {
    const told = await embedded();
    if (told === null) await follow(root);
    else show(new Timeline(told), root, null);
  } catch (error) {
    complain(root, error instanceof Error ? error.message : String(error));
  }
}

void begin();
