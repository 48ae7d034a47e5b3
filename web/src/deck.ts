// The controls: timeline, colours, plots, keys, tied to a film and its stage.

import { type Colouring, colourings, largest, ramp, readable } from "./colour";
import { element } from "./element";
import type { Film } from "./film";
import { Player } from "./player";
import { Plots, type Series, ofReport, short, stepAt } from "./plots";
import type { Stage } from "./stage";

/** What the play button and the step keys do. */
export interface Transport {
  readonly playing: boolean;
  play(on: boolean): void;
  /** Beyond the last frame. */
  step(): void;
  speed(factor: number): void;
}

export class Deck {
  readonly player: Player;
  private plots: Plots;
  private readonly transport: Transport;
  private readonly timeline = element<HTMLInputElement>("timeline");
  private readonly keys: (event: KeyboardEvent) => void;
  private chosen: Colouring | null = null;

  /** Controls of a film on its stage; a live one has a transport of its own, and series to plot may be added. */
  constructor(
    private readonly film: Film,
    private readonly stage: Stage,
    transport: Transport | null,
    extra: Series[] = [],
  ) {
    element("title").textContent = film.setting.title;
    document.title = `${film.setting.title} – taffeta`;
    const series = [...extra, ...ofReport(film)];
    this.plots = new Plots(series, element("plots"), (time) => this.player.seek(time));
    this.player = new Player(
      film.times,
      (frame) => this.show(frame),
      () => this.refresh(),
    );
    this.transport = transport ?? {
      get playing() {
        return player.playing;
      },
      play: (on) => this.player.play(on),
      step: () => {},
      speed: (factor) => (this.player.speed = factor),
    };
    const { player } = this;

    element("play").onclick = () => this.toggle();
    element("back").onclick = () => this.step(-1);
    element("forth").onclick = () => this.step(1);
    this.timeline.oninput = () => this.player.go(Number(this.timeline.value));
    const speed = element<HTMLSelectElement>("speed");
    speed.onchange = () => this.transport.speed(Number(speed.value));
    const loop = element<HTMLInputElement>("loop");
    loop.parentElement!.hidden = transport !== null;
    loop.onchange = () => (this.player.looping = loop.checked);
    this.player.looping = loop.checked;
    const lines = element<HTMLInputElement>("lines");
    lines.onchange = () => stage.showLines(lines.checked);
    stage.showLines(lines.checked);
    this.offerColours();
    this.offerArrows();
    this.keys = (event) => this.press(event);
    window.addEventListener("keydown", this.keys);
    this.timeline.max = String(film.times.length - 1);
  }

  dispose(): void {
    window.removeEventListener("keydown", this.keys);
    this.player.play(false);
    this.plots.dispose();
  }

  private offerColours(): void {
    const select = element<HTMLSelectElement>("colouring");
    const [choices, before] = [colourings(this.film), select.value];
    select.replaceChildren(new Option("colour by side", ""), ...choices.map(({ name }) => new Option(`colour by ${name}`, name)));
    select.onchange = () => {
      this.chosen = choices.find(({ name }) => name === select.value) ?? null;
      this.rescale(this.chosen ? largest(this.film, this.chosen) : 1);
      this.player.go(this.player.current);
    };
    this.stage.exceeded = (most) => this.chosen && this.rescale(readable(most));
    if (choices.some(({ name }) => name === before)) select.value = before;
    this.chosen = choices.find(({ name }) => name === select.value) ?? null;
    this.rescale(this.chosen && this.film.times.length > 0 ? largest(this.film, this.chosen) : 1);
  }

  private rescale(most: number): void {
    this.stage.colour(this.chosen, most);
    legend(this.chosen && { name: `${this.chosen.name}, ${this.chosen.unit}`, most, smallFirst: this.chosen.smallFirst === true });
  }

  private offerArrows(): void {
    const arrows = element<HTMLInputElement>("arrows");
    arrows.parentElement!.hidden = !this.stage.arrows.any;
    const apply = () => {
      this.stage.arrows.visible = arrows.checked;
      if (arrows.checked) this.stage.arrows.survey();
    };
    arrows.onchange = () => {
      apply();
      this.player.go(this.player.current);
    };
    apply();
  }

  private show(frame: number): void {
    this.stage.show(frame);
    this.timeline.value = String(frame);
    const time = this.film.times[frame] ?? 0;
    element("clock").textContent = `${time.toFixed(2)} s · frame ${frame}`;
    this.plots.show(time);
    const arrows = this.stage.arrows.visible && this.stage.arrows.largest > 0;
    const lines: Line[] = [
      ...certificate(this.film, time),
      ...(this.film.failure && frame === this.film.times.length - 1 ? [{ text: `the run stopped here: ${this.film.failure}` }] : []),
      ...(arrows ? [{ text: `longest arrow ${short(this.stage.arrows.largest)} N` }] : []),
    ];
    element("certificate").replaceChildren(...lines.map(shownLine));
  }

  /** After the film has grown: whoever looks at the last frame goes on looking at the last. */
  grown(follow: boolean | null = null): void {
    const following = follow ?? (!this.player.playing && Number(this.timeline.value) === Number(this.timeline.max));
    this.timeline.max = String(this.film.times.length - 1);
    this.stage.enclose();
    if (following) this.player.go(this.film.times.length - 1);
    else this.plots.show(this.film.times[this.player.current] ?? 0);
  }

  refresh(): void {
    element("play").textContent = this.transport.playing ? "pause" : "play";
  }

  private toggle(): void {
    this.transport.play(!this.transport.playing);
    this.refresh();
  }

  private step(by: number): void {
    this.transport.play(false);
    this.refresh();
    if (by > 0 && this.player.current === this.film.times.length - 1) this.transport.step();
    else this.player.go(this.player.current + by);
  }

  private press(event: KeyboardEvent): void {
    const typing = event.target instanceof HTMLSelectElement;
    // Space works what has the focus, where that is something to press.
    const pressed = event.target instanceof HTMLButtonElement || (event.target instanceof HTMLInputElement && event.target.type === "checkbox");
    if (event.key === " " && (pressed || event.repeat)) return;
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys: Record<string, () => void> = {
      " ": () => this.toggle(),
      ArrowLeft: () => this.step(event.shiftKey ? -10 : -1),
      ArrowRight: () => this.step(event.shiftKey ? 10 : 1),
      Home: () => this.player.go(0),
      End: () => this.player.go(this.film.times.length - 1),
    };
    // Sliders have arrow keys of their own, but for the timeline.
    const slider = event.target instanceof HTMLInputElement && event.target.type === "range" && event.target !== this.timeline;
    const act = slider && event.key !== " " ? undefined : keys[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  }
}

/** A line of text, and what is said of it where the pointer rests on it. */
interface Line {
  text: string;
  tooltip?: string;
}

function shownLine({ text, tooltip }: Line): HTMLElement {
  const line = document.createElement("div");
  line.textContent = text;
  if (tooltip) line.title = tooltip;
  return line;
}

/** How well the last step up to a time did. */
function certificate(film: Film, time: number): Line[] {
  const { report } = film;
  const times = report["time_s"] ?? [];
  if (times.length === 0 || time < times[0]! - 1e-9) return [];
  const at = (field: string) => report[field]?.[stepAt(times, time)] ?? NaN;
  const line = (name: string, value: number, unit: string, tooltip: string): Line[] =>
    Number.isNaN(value) || Math.abs(value) > 1e6 ? [] : [{ text: `${name} ${short(value)} ${unit}`, tooltip }];
  return [
    ...line("strain", 100 * at("max_edge_strain"), "%", "largest strain of an edge of the mesh"),
    ...line("gap", 1e3 * at("min_gap_m"), "mm", "smallest distance between the cloth and an obstacle, beyond half the thickness of the cloth"),
    ...line("layers", 1e3 * at("min_self_gap_m"), "mm", "smallest distance between two parts of the cloth that are near each other"),
    ...line("friction residual", at("friction_residual"), "", "largest distance of a friction force from Coulomb's law, as a fraction of the normal force"),
    ...line("contact residual", 1e3 * at("separation_m"), "mm", "largest distance of a point that is pushed from what pushes it: 0 where contact is exact"),
    ...line("iterations", at("iterations"), "", "quadratic programs that the step took"),
  ];
}

function legend(shown: { name: string; most: number; smallFirst: boolean } | null): void {
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
    const part = x / (canvas.width - 1);
    const [r, g, b] = ramp(shown.smallFirst ? 1 - part : part).map((c) => Math.round(255 * c));
    context.fillStyle = `rgb(${r}, ${g}, ${b})`;
    context.fillRect(x, 0, 1, canvas.height);
  }
}
