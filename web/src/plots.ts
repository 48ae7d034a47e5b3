// Small plots of the report under the timeline, each with a mark at the frame that is shown.

import type { Film } from "./film";

/** Numbers over time. */
export interface Series {
  name: string;
  unit: string;
  /** By now. */
  times: () => number[];
  number: (step: number) => number | undefined;
  /** Whether it is shown even where it is zero all the time. */
  always?: boolean;
}

interface Plot extends Series {
  figure: HTMLElement;
  canvas: HTMLCanvasElement;
  value: HTMLElement;
  line: Line | null;
}

/** What is plotted of the report: its field, what it is called, its unit and by what it is multiplied. */
const FIELDS: [field: string, name: string, unit: string, scale: number][] = [
  ["max_edge_strain", "largest strain", "%", 100],
  ["min_gap_m", "gap to the world", "mm", 1e3],
  ["min_self_gap_m", "gap of layers", "mm", 1e3],
  ["kinetic_energy_J", "kinetic energy", "J", 1],
  ["active_contacts", "world contacts", "", 1],
  ["self_contacts", "layer contacts", "", 1],
  ["iterations", "iterations", "", 1],
  ["step_seconds", "time per step", "ms", 1e3],
];

/** Gaps at least this large say that nothing was near, m. */
const NOTHING_NEAR = 1e6;

/** What the report of a film has to plot. */
export function ofReport(film: Film): Series[] {
  const times = () => film.report["time_s"] ?? [];
  return FIELDS.map(([field, name, unit, scale]) => {
    const number = (step: number) => {
      const x = film.report[field]?.[step];
      return x === undefined || Math.abs(x) > NOTHING_NEAR ? undefined : x * scale;
    };
    return { name, unit, times, number };
  });
}

export class Plots {
  private readonly plots: Plot[] = [];
  private time = 0;
  private readonly watch: ResizeObserver;

  constructor(series: Series[], into: HTMLElement, seek: (time: number) => void) {
    into.replaceChildren();
    for (const shown of series) {
      const figure = document.createElement("figure");
      const caption = document.createElement("figcaption");
      const label = document.createElement("span");
      label.textContent = shown.name;
      const value = document.createElement("span");
      caption.append(label, value);
      const canvas = document.createElement("canvas");
      figure.append(caption, canvas);
      into.append(figure);
      this.plots.push({ ...shown, figure, canvas, value, line: null });
      canvas.addEventListener("pointerdown", (event) => {
        const part = event.offsetX / canvas.clientWidth;
        seek(part * (shown.times().at(-1) ?? 0));
      });
    }
    this.watch = new ResizeObserver(() => this.show(this.time));
    this.watch.observe(into);
  }

  dispose(): void {
    this.watch.disconnect();
  }

  /** Marks a time, s. */
  show(time: number): void {
    this.time = time;
    for (const plot of this.plots) draw(plot, time);
  }
}

/** ms. How long the lines of a growing film are used again: all of it is looked at to draw them. */
const STALE = 250;

/** What a line needs to be drawn again with the mark elsewhere. */
interface Line {
  path: Path2D;
  steps: number;
  width: number;
  end: number;
  told: boolean;
  made: number;
}

function draw(plot: Plot, time: number): void {
  const { figure, canvas, value, unit } = plot;
  const ratio = Math.min(window.devicePixelRatio, 2);
  const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
  const times = plot.times();
  const { line } = plot;
  const grown = line !== null && line.steps !== times.length && performance.now() - line.made > STALE;
  if (line === null || grown || line.width !== width || times.length < line.steps) plot.line = trace(plot, times, width, height);
  const { path, end, told } = plot.line!;
  // A line that never leaves zero says nothing.
  figure.hidden = !told && !plot.always;
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const context = canvas.getContext("2d");
  if (!context || width === 0) return;
  context.clearRect(0, 0, width, height);
  context.lineWidth = ratio;
  context.strokeStyle = "#a0453a";
  context.stroke(path);
  const x = Math.min(time / end, 1) * width;
  context.strokeStyle = "#333";
  context.beginPath();
  context.moveTo(x, 0);
  context.lineTo(x, height);
  context.stroke();
  const now = plot.number(stepAt(times, time));
  value.textContent = now === undefined || Number.isNaN(now) ? "" : `${short(now)} ${unit}`;
}

/** The line of a plot: of many steps in a column of pixels the least and the most. */
function trace({ number }: Plot, times: number[], width: number, height: number): Line {
  let [low, high, told] = [0, 0, false];
  const columns = new Map<number, { least: number; most: number; begins: boolean }>();
  let begins = true;
  const end = times.at(-1) || 1;
  times.forEach((time, k) => {
    const x = number(k);
    if (x === undefined || Number.isNaN(x)) {
      begins = true;
      return;
    }
    [low, high, told] = [Math.min(low, x), Math.max(high, x), told || x !== 0];
    const column = Math.round((time / end) * width);
    const known = columns.get(column);
    if (known) [known.least, known.most] = [Math.min(known.least, x), Math.max(known.most, x)];
    else columns.set(column, { least: x, most: x, begins });
    begins = false;
  });
  const y = (v: number) => height - 3 - ((v - low) / (high - low || 1)) * (height - 6);
  const path = new Path2D();
  for (const [column, { least, most, begins }] of columns) {
    if (begins) path.moveTo(column, y(least));
    else path.lineTo(column, y(least));
    path.lineTo(column, y(most));
  }
  return { path, steps: times.length, width, end, told, made: performance.now() };
}

/** A number to three digits. */
export function short(x: number): string {
  return x !== 0 && Math.abs(x) < 1e-3 ? x.toExponential(1) : String(Number(x.toPrecision(3)));
}

/** The last step that has ended by a time; times are the ends of steps. */
export function stepAt(times: number[], time: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= time + 1e-9) low = middle + 1;
    else high = middle;
  }
  return Math.max(low - 1, 0);
}
