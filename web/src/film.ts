// What a page shows: a mesh, what stands around it, and frames that may grow in number.

/** A rigid body: its surface in its own frame. */
export interface Body {
  name: string;
  positions: number[];
  triangles: number[];
}

/** What holds for all frames. */
export interface Setting {
  title: string;
  nodes: number;
  triangles: number[];
  edges: number[];
  /** Of the edges, m; empty if they are not known. */
  restLengths: number[];
  /** A box about the cloth, m. */
  low: [number, number, number];
  high: [number, number, number];
  bodies: Body[];
  /** A box about all that is to be seen by now, m; by default that of the cloth. */
  stage?: [[number, number, number], [number, number, number]] | null;
}

/** A quantity at the nodes: largest strain of the edges there; forces (x, y, z for each node) of contact and of hands, N; tension of threads, N; how far a node is from
 * touching something, m; 1 for nodes that are held. */
export type Channel = "strain" | "contact" | "hand" | "tension" | "clearance" | "held";

/** Frames in the order of their times. */
export interface Film {
  readonly setting: Setting;
  /** The time of every frame, s. */
  readonly times: number[];
  /** What is told of every step, by field; `time_s` is when they end. */
  readonly report: Record<string, number[]>;
  /** Writes the places of the nodes in a frame, m. */
  positions(frame: number, into: Float32Array): void;
  /** Where a body is in a frame: x, y, z, and the quaternion x, y, z, w. */
  pose(frame: number, body: number): number[];
  /** What stopped the run before its end; null if nothing did. */
  readonly failure: string | null;
  has(channel: Channel): boolean;
  /** Writes a quantity at the nodes in a frame; zeros if the film does not have it. */
  read(frame: number, channel: Channel, into: Float32Array): void;
}

/** Numbers of a channel at a node. */
export function width(channel: Channel): number {
  return channel === "contact" || channel === "hand" ? 3 : 1;
}
