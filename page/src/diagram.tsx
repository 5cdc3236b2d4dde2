/** The machine of a lane, drawn from its declaration, with the state that it is in. */

import { graphlib, layout } from "@dagrejs/dagre";
import { useMemo } from "preact/hooks";
import type { Machine } from "./reading";

const HEIGHT = 28;
const LETTER = 7.2;

interface Drawn {
  width: number;
  height: number;
  states: { name: string; x: number; y: number; width: number; final: boolean }[];
  edges: { key: string; path: string; from: string; to: string; why: string }[];
}

function drawn(machine: Machine): Drawn {
  const graph = new graphlib.Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 18, ranksep: 46, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const name of machine.states) {
    graph.setNode(name, { width: name.length * LETTER + 22, height: HEIGHT });
  }
  const arrows = new Map<string, { from: string; to: string; triggers: string[] }>();
  for (const move of machine.moves) {
    for (const from of move.from) {
      if (from === move.to) continue;
      const key = `${from} → ${move.to}`;
      const arrow = arrows.get(key) ?? { from, to: move.to, triggers: [] };
      arrow.triggers.push(move.trigger);
      arrows.set(key, arrow);
    }
  }
  for (const { from, to } of arrows.values()) graph.setEdge(from, to);
  layout(graph);
  const size = graph.graph();
  return {
    width: size.width ?? 300,
    height: size.height ?? 100,
    states: machine.states.map((name) => {
      const { x, y, width } = graph.node(name) as { x: number; y: number; width: number };
      return { name, x, y, width, final: !machine.moves.some((move) => move.from.includes(name)) };
    }),
    edges: [...arrows].map(([key, { from, to, triggers }]) => {
      const points = (graph.edge(from, to) as { points: { x: number; y: number }[] }).points;
      const path = points.map(({ x, y }, index) => `${index ? "L" : "M"}${x},${y}`).join("");
      return { key, path, from, to, why: `${key}: ${triggers.join(", ")}` };
    }),
  };
}

interface Props {
  machine: Machine;
  state: string;
  before: string;
}

export function Diagram({ machine, state, before }: Props) {
  const picture = useMemo(() => drawn(machine), [machine]);
  const moves = machine.moves.filter((move) => move.from.includes(state));
  const told = state ? `${machine.name}: now ${state}` : `${machine.name}: not there`;
  return (
    <details class="diagram" open>
      <summary>{told}</summary>
      <svg
        role="img"
        aria-label={`Diagram of the machine ${told}`}
        viewBox={`0 0 ${picture.width} ${picture.height}`}
        style={{ maxWidth: `${picture.width}px` }}
      >
        <defs>
          <marker
            id="tip"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path d="M0,0L8,4L0,8z" />
          </marker>
        </defs>
        {picture.edges.map(({ key, path, from, to, why }) => (
          <path
            key={key}
            d={path}
            class={from === before && to === state ? "edge taken" : "edge"}
            marker-end="url(#tip)"
          >
            <title>{why}</title>
          </path>
        ))}
        {picture.states.map(({ name, x, y, width, final }) => (
          <g key={name} class={name === state ? "state here" : "state"}>
            <rect
              x={x - width / 2}
              y={y - HEIGHT / 2}
              width={width}
              height={HEIGHT}
              rx={final ? 2 : 12}
            />
            <text x={x} y={y + 4} text-anchor="middle">
              {name}
            </text>
          </g>
        ))}
      </svg>
      {moves.length > 0 ? (
        <ul class="moves">
          {moves.map((move) => (
            <li key={move.trigger}>
              → <b>{move.to}</b>: {move.why} <span class="dim">({move.trigger})</span>
            </li>
          ))}
        </ul>
      ) : (
        state && <p class="dim">Nothing moves it from here.</p>
      )}
    </details>
  );
}
