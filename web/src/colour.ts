// Colours that tell of a number at every node.

import type { Channel, Film } from "./film";
import { width } from "./film";

/** A number at every node of a frame. */
export interface Colouring {
  name: string;
  unit: string;
  /** Whether the smallest numbers are the ones to look for. */
  smallFirst?: boolean;
  values: (film: Film, frame: number, positions: Float32Array, into: Float32Array) => void;
}

/** The largest strain of the edges about a node, in per cent. */
const strain: Colouring = {
  name: "strain",
  unit: "%",
  values(film, frame, positions, into) {
    // The places of a recording are rounded by more than cloth is strained: it brings its strains along.
    if (film.has("strain")) {
      film.read(frame, "strain", into);
      into.forEach((strain, node) => (into[node] = 100 * strain));
      return;
    }
    const { edges, restLengths } = film.setting;
    into.fill(0);
    restLengths.forEach((rest, edge) => {
      const [a, b] = [edges[2 * edge]!, edges[2 * edge + 1]!];
      const along = [0, 1, 2].map((axis) => positions[3 * a + axis]! - positions[3 * b + axis]!);
      const off = 100 * Math.abs(Math.hypot(...along) / rest - 1);
      into[a] = Math.max(into[a]!, off);
      into[b] = Math.max(into[b]!, off);
    });
  },
};

/** How fast a node moves, from this frame and the one before. */
const speed: Colouring = {
  name: "speed",
  unit: "m/s",
  values(film, frame, positions, into) {
    const before = new Float32Array(positions.length);
    const other = frame > 0 ? frame - 1 : Math.min(1, film.times.length - 1);
    film.positions(other, before);
    const time = Math.abs(film.times[frame]! - film.times[other]!) || 1;
    for (let node = 0; node < into.length; node++) {
      const along = [0, 1, 2].map((axis) => positions[3 * node + axis]! - before[3 * node + axis]!);
      into[node] = Math.hypot(...along) / time;
    }
  },
};

/** A channel of the film, its vectors by their lengths. */
function measured(name: string, channel: Channel, unit: string, scale: number, smallFirst = false): Colouring {
  return {
    name,
    unit,
    smallFirst,
    values(film, frame, _positions, into) {
      const each = width(channel);
      const numbers = new Float32Array(each * into.length);
      film.read(frame, channel, numbers);
      for (let node = 0; node < into.length; node++) {
        into[node] = scale * Math.hypot(...numbers.subarray(each * node, each * (node + 1)));
      }
    },
  };
}

/** The colourings that a film has numbers for. */
export function colourings(film: Film): Colouring[] {
  const channels: [Channel, Colouring][] = [
    ["tension", measured("tension", "tension", "N", 1)],
    ["contact", measured("contact force", "contact", "N", 1)],
    ["clearance", measured("gap", "clearance", "mm", 1e3, true)],
  ];
  const there = channels.filter(([channel]) => film.has(channel)).map(([, colouring]) => colouring);
  return [...(film.setting.restLengths.length > 0 ? [strain] : []), speed, ...there];
}

/** From 0 to 1: from pale to dark by way of blue and violet, rising in darkness so that grey prints tell as much. */
export function ramp(x: number): [number, number, number] {
  const stops: [number, number, number][] = [
    [0.95, 0.94, 0.9],
    [0.55, 0.75, 0.85],
    [0.33, 0.42, 0.75],
    [0.38, 0.1, 0.42],
  ];
  const at = Math.min(Math.max(x, 0), 1) * (stops.length - 1);
  const [k, part] = [Math.min(Math.floor(at), stops.length - 2), at - Math.min(Math.floor(at), stops.length - 2)];
  return [0, 1, 2].map((c) => stops[k]![c]! * (1 - part) + stops[k + 1]![c]! * part) as [number, number, number];
}

/** The largest value over the film, as far as forty frames tell, rounded up to a readable number. */
export function largest(film: Film, colouring: Colouring): number {
  const [positions, values] = [new Float32Array(3 * film.setting.nodes), new Float32Array(film.setting.nodes)];
  let most = 0;
  const step = Math.max(1, Math.floor(film.times.length / 40));
  for (let frame = 0; frame < film.times.length; frame += step) {
    film.positions(frame, positions);
    colouring.values(film, frame, positions, values);
    // Where nothing is near there is no gap to speak of.
    most = values.reduce((most, value) => (Number.isFinite(value) && value < 1e8 ? Math.max(most, value) : most), most);
  }
  return most > 0 ? readable(most) : 1;
}

/** A number rounded up to one digit. */
export function readable(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  const found = [1, 2, 5, 10].map((digit) => digit * power).find((round) => round >= most) ?? most;
  return Number(found.toPrecision(3));
}
