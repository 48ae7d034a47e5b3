// Small plots of the report under the timeline, each with a mark at the frame that is shown.

import type { Film } from "./film";

/** Numbers over time. */
export interface Series {
  name: string;
  unit: string;
  /** By now. */
  times: () => number[];
  numbers: () => number[];
}

interface Plot extends Series {
  figure: HTMLElement;
  canvas: HTMLCanvasElement;
  value: HTMLElement;
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
    const numbers = () => (film.report[field] ?? []).map((x) => (Math.abs(x) > NOTHING_NEAR ? NaN : x * scale));
    return { name, unit, times, numbers };
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
      this.plots.push({ ...shown, figure, canvas, value });
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

function draw({ figure, canvas, value, numbers: all, times: ends, unit }: Plot, time: number): void {
  const [numbers, times] = [all(), ends()];
  // A line that never leaves zero says nothing.
  figure.hidden = !numbers.some((x) => !Number.isNaN(x) && x !== 0);
  const ratio = Math.min(window.devicePixelRatio, 2);
  const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const context = canvas.getContext("2d");
  if (!context || width === 0) return;
  const told = numbers.filter((x) => !Number.isNaN(x));
  const low = told.reduce((least, x) => Math.min(least, x), 0);
  const high = told.reduce((most, x) => Math.max(most, x), 0);
  const end = times[times.length - 1] || 1;
  const [x, y] = [(t: number) => (t / end) * width, (v: number) => height - 3 - ((v - low) / (high - low || 1)) * (height - 6)];
  context.clearRect(0, 0, width, height);
  context.lineWidth = ratio;
  context.strokeStyle = "#a0453a";
  context.beginPath();
  let drawing = false;
  numbers.forEach((number, k) => {
    if (Number.isNaN(number)) drawing = false;
    else if (drawing) context.lineTo(x(times[k]!), y(number));
    else {
      context.moveTo(x(times[k]!), y(number));
      drawing = true;
    }
  });
  context.stroke();
  context.strokeStyle = "#333";
  context.beginPath();
  context.moveTo(x(time), 0);
  context.lineTo(x(time), height);
  context.stroke();
  const now = numbers[stepAt(times, time)];
  value.textContent = now === undefined || Number.isNaN(now) ? "" : `${short(now)} ${unit}`;
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
