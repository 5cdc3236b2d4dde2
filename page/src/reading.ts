/** Reads what `adapters/timeline/documents.py` describes: embedded in the page, or served live. */

export interface Machine {
  name: string;
  initial: string;
  states: string[];
  moves: { trigger: string; from: string[]; to: string; why: string }[];
}

interface RawLane {
  number: number;
  parent: number | null;
  kind: string;
  cluster: string;
  namespace: string;
  name: string;
  uid: string;
  part: string;
  machine: string;
  spans: [number, number, number, number, number][];
  said: [number, number, number[], number[], number[], number[], number | null, 0 | 1][];
  turns: [number, number][];
  causes: [number, number, number][];
  dropped: [number, number][];
}

export interface Document {
  format: number;
  log: string;
  place: string;
  recordedBy: string;
  exact: boolean;
  after: number;
  position: number;
  machines: Machine[];
  texts: string[];
  rows: Record<"position" | "at" | "cluster" | "subject" | "type" | "words" | "cause", number[]>;
  lanes: RawLane[];
}

export const KNOWN_FORMAT = 2;

/** Gives the embedded document, or null when the page is to fetch it. */
export async function embedded(): Promise<Document | null> {
  const text = document.getElementById("data")?.textContent?.trim() ?? "";
  if (!text) return null;
  const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return (await new Response(plain).json()) as Document;
}

/** Fetches what came after a position; throws the words of whoever cannot tell. */
export async function fetched(after: number): Promise<Document> {
  const answer = await asked(`timeline.json?after=${after}`);
  const told = await answer.json().catch(() => null);
  if (told !== null && answer.ok) return told as Document;
  throw new Error(told?.error ?? `the controller answers ${answer.status} ${answer.statusText}`);
}

async function asked(address: string): Promise<Response> {
  try {
    return await fetch(address, { cache: "no-store" });
  } catch {
    throw new Error("the controller does not answer; it is asked again and again");
  }
}
