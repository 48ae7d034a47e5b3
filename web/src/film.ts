// What a page shows: the frames of a recording, unpacked from the bytes that `taffeta export --html` puts into it.

/** A rigid body: its surface in its own frame, and where it is in every frame: x, y, z, and the quaternion x, y, z, w. */
export interface Body {
  name: string;
  positions: number[];
  triangles: number[];
  poses: number[][];
}

/** What a reel says of itself, and the first of them of the film. */
interface Header {
  title: string;
  /** What tells the recording from another in the same place. */
  id: string;
  /** Number of the first frame of the reel, and how many frames there are by now. */
  first: number;
  total: number;
  finished: boolean;
  nodes: number;
  times: number[];
  low: [number, number, number];
  high: [number, number, number];
  triangles: number[];
  edges: number[];
  restLengths: number[];
  largestForce: number | null;
  bodies: Body[];
  report: Record<string, number[]>;
}

/** Some frames in a row. */
interface Reel {
  header: Header;
  places: Uint16Array;
  forces: Uint16Array | null;
}

/** Unpacks a reel: deflated; a length and a JSON header, then coordinates by frame and axis, each as what it is off the frame
 * before, then forces likewise. */
export async function unpack(packed: Uint8Array): Promise<Reel> {
  const stream = new Blob([packed as BlobPart]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const bytes = await new Response(stream).arrayBuffer();
  const length = new DataView(bytes).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length))) as Header;
  const { nodes, times } = header;
  const start = Math.ceil((4 + length) / 4) * 4;
  const places = new Uint16Array(bytes, start, times.length * nodes * 3);
  const after = start + places.byteLength;
  const forces = header.largestForce === null ? null : new Uint16Array(bytes, after, times.length * nodes);
  addUp(places, nodes * 3);
  if (forces) addUp(forces, nodes);
  return { header, places, forces };
}

/** A recording, frame by frame; it may grow. */
export class Film {
  private readonly reels: Reel[] = [];

  constructor(first: Reel) {
    this.reels.push(first);
  }

  /** What holds for all frames, their times, and the report of all steps. */
  get header(): Header {
    return this.reels[0]!.header;
  }

  get frames(): number {
    return this.header.times.length;
  }

  /** Adds the frames that follow. */
  append(reel: Reel): void {
    this.reels.push(reel);
    const { times, bodies, report } = this.header;
    // A body that stood still until now has one pose for all frames so far.
    bodies.forEach((body, k) => {
      const more = reel.header.bodies[k]!.poses;
      const still = body.poses.length === 1 && more.length === 1 && more[0]!.every((x, i) => x === body.poses[0]![i]);
      if (still) return;
      while (body.poses.length < times.length) body.poses.push(body.poses[0]!);
      reel.header.times.forEach((_, frame) => body.poses.push(more[Math.min(frame, more.length - 1)]!));
    });
    times.push(...reel.header.times);
    for (const [field, numbers] of Object.entries(reel.header.report)) report[field]?.push(...numbers);
  }

  /** The reel of a frame, and its number there. */
  private find(frame: number): [Reel, number] {
    const reel = this.reels.findLast(({ header }) => header.first <= frame) ?? this.reels[0]!;
    return [reel, frame - reel.header.first];
  }

  /** Writes the places of the nodes in a frame, m. */
  positions(frame: number, into: Float32Array): void {
    const [{ header, places }, k] = this.find(frame);
    const { nodes, low, high } = header;
    for (let axis = 0; axis < 3; axis++) {
      const scale = (high[axis]! - low[axis]!) / 65535;
      const start = (k * 3 + axis) * nodes;
      for (let node = 0; node < nodes; node++) {
        into[3 * node + axis] = low[axis]! + scale * places[start + node]!;
      }
    }
  }

  /** The force of all contacts on a node, N; 0 where none were recorded. */
  force(frame: number, node: number): number {
    const [{ header, forces }, k] = this.find(frame);
    return forces && header.largestForce ? (header.largestForce / 65535) * forces[k * header.nodes + node]! : 0;
  }

  get hasForces(): boolean {
    return this.reels[0]!.forces !== null;
  }
}

/** From differences of rows to rows, modulo 2¹⁶. */
function addUp(rows: Uint16Array, width: number): void {
  for (let k = width; k < rows.length; k++) {
    rows[k] = rows[k]! + rows[k - width]!;
  }
}
