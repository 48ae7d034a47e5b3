// The page: a recording, two recordings over each other, or a live simulation.

import { Deck } from "./deck";
import { element } from "./element";
import { distances } from "./ghost";
import { LivePage } from "./live";
import type { Series } from "./plots";
import { recording } from "./source";
import { Stage } from "./stage";

/** What tests ask the page. */
interface Handle {
  frame: () => number;
  frames: () => number;
  place: (node: number) => number[];
  /** Where a node is on the canvas, in pixels. */
  seen: (node: number) => [number, number];
  /** The node that is dragged; null if there is none. */
  dragged: () => number | null;
  /** Where a node of the other recording is. */
  other: (node: number) => number[];
}

declare global {
  interface Window {
    taffeta?: Handle;
  }
}

async function main(): Promise<void> {
  const live = await LivePage.open();
  if (live) return handleOf(live);
  let deck: Deck | null = null;
  let stale = true;
  const audience = {
    grown: () => {
      stale = true;
      deck?.grown();
    },
    lost: (gone: boolean) => (element("lost").hidden = !gone),
  };
  const film = await recording("film", audience);
  if (!film) throw new Error("it has nothing to show");
  const other = await recording("other", audience);
  const stage = new Stage(film, element("view"));
  const ghost = other && stage.compare(other);
  let known = { time_s: [] as number[], rms: [] as number[], largest: [] as number[] };
  const off = () => {
    if (stale && other) known = distances(film, other);
    stale = false;
    return known;
  };
  const millimetres = (x: number | undefined) => x && 1e3 * x;
  const shared = { unit: "mm", times: () => off().time_s, always: true };
  const errors: Series[] = [
    { ...shared, name: "apart, rms", number: (k) => millimetres(off().rms[k]) },
    { ...shared, name: "apart, largest", number: (k) => millimetres(off().largest[k]) },
  ];
  deck = new Deck(film, stage, null, other ? errors : []);
  deck.player.go(0);
  if (other) element("compared").textContent = `green: ${other.setting.title}`;
  const { player } = deck;
  window.taffeta = {
    frame: () => player.current,
    frames: () => film.times.length,
    place: (node) => stage.place(node),
    seen: (node) => stage.seen(node),
    dragged: () => null,
    other: (node) => ghost?.place(node) ?? [],
  };
}

/** The same for a live page, once it shows something. */
function handleOf(page: LivePage): void {
  const timeline = element<HTMLInputElement>("timeline");
  window.taffeta = {
    frame: () => Number(timeline.value),
    frames: () => (page.stage ? Number(timeline.max) + 1 : 0),
    place: (node) => page.stage?.place(node) ?? [],
    seen: (node) => page.stage?.seen(node) ?? [0, 0],
    dragged: () => page.draggedNode,
    other: () => [],
  };
}

main().catch((error: unknown) => {
  const box = element("error");
  box.hidden = false;
  box.textContent = `This page cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
  console.error(error);
});
