// What a page shows: the frames of a recording, unpacked from the bytes that `taffeta export --html` puts into it.

/** A rigid body: its surface in its own frame, and where it is in every frame: x, y, z, and the quaternion x, y, z, w. */
export interface Body {
  name: string;
  positions: number[];
  triangles: number[];
  poses: number[][];
}

interface Header {
  title: string;
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

/** A recording, frame by frame. */
export class Film {
  readonly frames: number;

  private constructor(
    readonly header: Header,
    private readonly places: Uint16Array,
    private readonly forces: Uint16Array | null,
  ) {
    this.frames = header.times.length;
  }

  /** Unpacks a film: deflated; a length and a JSON header, then coordinates by frame and axis, each as what it is off the frame
   * before, then forces likewise. */
  static async unpack(packed: Uint8Array): Promise<Film> {
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
    return new Film(header, places, forces);
  }

  /** Writes the places of the nodes in a frame, m. */
  positions(frame: number, into: Float32Array): void {
    const { nodes, low, high } = this.header;
    for (let axis = 0; axis < 3; axis++) {
      const scale = (high[axis]! - low[axis]!) / 65535;
      const start = (frame * 3 + axis) * nodes;
      for (let node = 0; node < nodes; node++) {
        into[3 * node + axis] = low[axis]! + scale * this.places[start + node]!;
      }
    }
  }

  /** The force of all contacts on a node, N; 0 where none were recorded. */
  force(frame: number, node: number): number {
    const { nodes, largestForce } = this.header;
    return this.forces && largestForce ? (largestForce / 65535) * this.forces[frame * nodes + node]! : 0;
  }

  get hasForces(): boolean {
    return this.forces !== null;
  }
}

/** From differences of rows to rows, modulo 2¹⁶. */
function addUp(rows: Uint16Array, width: number): void {
  for (let k = width; k < rows.length; k++) {
    rows[k] = rows[k]! + rows[k - width]!;
  }
}
