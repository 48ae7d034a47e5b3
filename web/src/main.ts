// The page: puts a film on the stage and ties the controls to it.

import { colourings, largest, ramp } from "./colour";
import type { Film } from "./film";
import { Player } from "./player";
import { Plots, short, stepAt } from "./plots";
import { film as open } from "./source";
import { Stage } from "./stage";

/** What tests ask the page. */
interface Handle {
  frame: () => number;
  frames: () => number;
  place: (node: number) => number[];
}

declare global {
  interface Window {
    taffeta?: Handle;
  }
}

function element<T extends HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found as T;
}

async function main(): Promise<void> {
  const film = await open(
    () => grown(),
    (gone) => (element("lost").hidden = !gone),
  );
  const { header } = film;
  document.title = `${header.title} – taffeta`;
  element("title").textContent = header.title;
  const stage = new Stage(film, element("view"));
  const [timeline, play] = [element<HTMLInputElement>("timeline"), element<HTMLButtonElement>("play")];
  const plots = new Plots(film, element("plots"), (time) => player.seek(time));
  const player = new Player(
    header.times,
    (frame) => {
      stage.show(frame);
      timeline.value = String(frame);
      const time = header.times[frame]!;
      element("clock").textContent = `${time.toFixed(2)} s · frame ${frame}`;
      plots.show(time);
      element("certificate").textContent = certificate(film, time);
    },
    () => (play.textContent = player.playing ? "pause" : "play"),
  );

  play.onclick = () => player.play(!player.playing);
  element("back").onclick = () => step(-1);
  element("forth").onclick = () => step(1);
  timeline.oninput = () => player.go(Number(timeline.value));
  const speed = element<HTMLSelectElement>("speed");
  speed.onchange = () => (player.speed = Number(speed.value));
  const loop = element<HTMLInputElement>("loop");
  loop.onchange = () => (player.looping = loop.checked);
  const lines = element<HTMLInputElement>("lines");
  lines.onchange = () => stage.showLines(lines.checked);
  function step(by: number): void {
    player.play(false);
    player.go(player.current + by);
  }

  const colouring = element<HTMLSelectElement>("colouring");
  const choices = colourings(film);
  colouring.append(new Option("colour by side", ""), ...choices.map(({ name }) => new Option(`colour by ${name}`, name)));
  colouring.onchange = () => {
    const chosen = choices.find(({ name }) => name === colouring.value) ?? null;
    const most = chosen ? largest(film, chosen) : 1;
    stage.colour(chosen, most);
    legend(chosen && { name: `${chosen.name}, ${chosen.unit}`, most });
    player.go(player.current);
  };

  window.addEventListener("keydown", (event) => {
    if (event.target instanceof HTMLSelectElement || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys: Record<string, () => void> = {
      " ": () => player.play(!player.playing),
      ArrowLeft: () => step(event.shiftKey ? -10 : -1),
      ArrowRight: () => step(event.shiftKey ? 10 : 1),
      Home: () => player.go(0),
      End: () => player.go(film.frames - 1),
    };
    const act = keys[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  });

  /** Whoever looks at the last frame goes on looking at the last. */
  function grown(): void {
    const following = !player.playing && Number(timeline.value) === Number(timeline.max);
    timeline.max = String(film.frames - 1);
    if (following) player.go(film.frames - 1);
    else plots.show(header.times[player.current]!);
  }

  timeline.max = String(film.frames - 1);
  player.go(0);
  window.taffeta = { frame: () => player.current, frames: () => film.frames, place: (node) => stage.place(node) };
}

/** How well the last step up to a time did. */
function certificate(film: Film, time: number): string {
  const { report } = film.header;
  const times = report["time_s"] ?? [];
  if (times.length === 0 || time < times[0]! - 1e-9) return "";
  const at = (field: string) => report[field]?.[stepAt(times, time)] ?? NaN;
  const told = (name: string, value: number, unit: string) =>
    Number.isNaN(value) || Math.abs(value) > 1e6 ? [] : [`${name} ${short(value)} ${unit}`];
  return [
    ...told("strain", 100 * at("max_edge_strain"), "%"),
    ...told("gap", 1e3 * at("min_gap_m"), "mm"),
    ...told("layers", 1e3 * at("min_self_gap_m"), "mm"),
    ...told("friction off by", at("friction_residual"), ""),
    ...told("iterations", at("iterations"), ""),
  ].join("\n");
}

function legend(shown: { name: string; most: number } | null): void {
  const box = element("legend");
  box.hidden = shown === null;
  if (!shown) return;
  box.querySelector(".name")!.textContent = shown.name;
  const [low, high] = box.querySelectorAll("span");
  low!.textContent = "0";
  high!.textContent = String(shown.most);
  const canvas = box.querySelector("canvas")!;
  const context = canvas.getContext("2d")!;
  for (let x = 0; x < canvas.width; x++) {
    const [r, g, b] = ramp(x / (canvas.width - 1)).map((c) => Math.round(255 * c));
    context.fillStyle = `rgb(${r}, ${g}, ${b})`;
    context.fillRect(x, 0, 1, canvas.height);
  }
}

main().catch((error: unknown) => {
  const box = element("error");
  box.hidden = false;
  box.textContent = `This page cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
  console.error(error);
});
