// A recording, unpacked from the bytes that `taffeta export --html` puts into a page and `taffeta view` serves.

import type { Body, Channel, Film, Setting } from "./film";

/** What a reel says of itself, and the first of them of the film. */
interface Header extends Setting {
  /** What tells the recording from another in the same place. */
  id: string;
  /** Number of the first frame of the reel, and how many frames there are by now. */
  first: number;
  total: number;
  finished: boolean;
  failure: string | null;
  times: number[];
  bodies: (Body & { poses: number[][] })[];
  report: Record<string, number[]>;
  channels: { name: Channel; width: number; low: number; high: number; steps: number }[];
  /** Of a film that another is compared with: the node of that one for each of its own, or −1. */
  matches?: number[];
}

/** Some frames in a row. */
interface Reel {
  header: Header;
  places: Uint16Array;
  channels: Uint16Array[];
}

/** The count of what is too far away to be told. */
const NOTHING = 65535;

/** Steps of a coordinate. */
const STEPS = 65535;

/** Unpacks a reel: deflated; a length and a JSON header, then coordinates by frame and axis, each as what it is off the frame
 * before, then the channels likewise. */
export async function unpack(packed: Uint8Array): Promise<Reel> {
  const bytes = await inflate(packed);
  const length = new DataView(bytes).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length))) as Header;
  const { nodes, times } = header;
  let start = Math.ceil((4 + length) / 4) * 4;
  const next = (width: number) => {
    const rows = new Uint16Array(bytes, start, times.length * nodes * width);
    start += rows.byteLength;
    addUp(rows, nodes * width);
    return rows;
  };
  return { header, places: next(3), channels: header.channels.map(({ width }) => next(width)) };
}

export async function inflate(packed: Uint8Array): Promise<ArrayBuffer> {
  const stream = new Blob([packed as BlobPart]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).arrayBuffer();
}

/** A recording, frame by frame; it may grow. */
export class Recording implements Film {
  private readonly reels: Reel[] = [];

  constructor(first: Reel) {
    this.reels.push(first);
  }

  private get header(): Header {
    return this.reels[0]!.header;
  }

  get setting(): Setting {
    return this.header;
  }

  get id(): string {
    return this.header.id;
  }

  get matches(): number[] {
    return this.header.matches ?? [];
  }

  get times(): number[] {
    return this.header.times;
  }

  get report(): Record<string, number[]> {
    return this.header.report;
  }

  get failure(): string | null {
    return this.reels.at(-1)!.header.failure;
  }

  /** Whether the run is over and all of it is here. */
  get complete(): boolean {
    const { finished, total } = this.reels.at(-1)!.header;
    return finished && this.times.length >= total;
  }

  /** Adds the frames that follow. */
  append(reel: Reel): void {
    this.reels.push(reel);
    this.header.stage = reel.header.stage ?? this.header.stage ?? null;
    const { times, bodies, report } = this.header;
    // A body that stood still until now has one pose for all frames so far.
    bodies.forEach((body, k) => {
      const more = reel.header.bodies[k]!.poses;
      const still = body.poses.length === 1 && more.length === 1 && more[0]!.every((x, i) => x === body.poses[0]![i]);
      if (still) return;
      while (body.poses.length < times.length) body.poses.push(body.poses[0]!);
      reel.header.times.forEach((_, frame) => body.poses.push(more[Math.min(frame, more.length - 1)]!));
    });
    // One by one: a list of arguments has an end.
    for (const time of reel.header.times) times.push(time);
    for (const [field, numbers] of Object.entries(reel.header.report)) for (const number of numbers) report[field]?.push(number);
  }

  /** The reel of a frame, and its number there. */
  private find(frame: number): [Reel, number] {
    const reel = this.reels.findLast(({ header }) => header.first <= frame) ?? this.reels[0]!;
    return [reel, frame - reel.header.first];
  }

  positions(frame: number, into: Float32Array): void {
    const [{ header, places }, k] = this.find(frame);
    const { nodes, low, high } = header;
    for (let axis = 0; axis < 3; axis++) {
      const scale = (high[axis]! - low[axis]!) / STEPS;
      const start = (k * 3 + axis) * nodes;
      for (let node = 0; node < nodes; node++) {
        into[3 * node + axis] = low[axis]! + scale * places[start + node]!;
      }
    }
  }

  pose(frame: number, body: number): number[] {
    const { poses } = this.header.bodies[body]!;
    return poses[Math.min(frame, poses.length - 1)]!;
  }

  has(channel: Channel): boolean {
    return this.header.channels.some(({ name }) => name === channel);
  }

  read(frame: number, channel: Channel, into: Float32Array): void {
    const [{ header, channels }, k] = this.find(frame);
    const index = header.channels.findIndex(({ name }) => name === channel);
    if (index < 0) {
      into.fill(0);
      return;
    }
    const [{ width, low, high, steps }, rows] = [header.channels[index]!, channels[index]!];
    const { nodes } = header;
    for (let axis = 0; axis < width; axis++) {
      const start = (k * width + axis) * nodes;
      for (let node = 0; node < nodes; node++) {
        const count = rows[start + node]!;
        into[width * node + axis] = count === NOTHING ? Infinity : low + ((high - low) / steps) * count;
      }
    }
  }
}

/** From differences of rows to rows, modulo 2¹⁶. */
function addUp(rows: Uint16Array, width: number): void {
  for (let k = width; k < rows.length; k++) {
    rows[k] = rows[k]! + rows[k - width]!;
  }
}
