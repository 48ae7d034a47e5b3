// What the page and the worker that computes tell each other.

import type { Setting } from "./film";

/** A scene: its text, and those of the files that it refers to, by their paths. */
export interface Scene {
  name: string;
  toml: string;
  files: Record<string, string>;
  /** Whether it is the one of this name that comes with taffeta, unchanged. */
  shipped?: boolean;
  /** What follows `taffeta run` to run it natively. */
  native?: string;
}

/** What the worker says of a scene once. */
export interface Description extends Setting {
  name: string;
  dt: number;
  /** Names of the numbers of a report. */
  fields: string[];
  knobs: { name: string; value: number; least: number; most: number }[];
}

/** The state after a step. */
export interface LiveFrame {
  time: number;
  /** How long the step took, s. */
  seconds: number;
  positions: Float32Array;
  contact: Float32Array;
  hand: Float32Array;
  tension: Float32Array;
  clearance: Float32Array;
  held: Uint8Array;
  poses: Float64Array;
  report: Float64Array;
  /** The node in the hand; null if it is empty. */
  grabbed: number | null;
  /** Which of the scenes that were loaded it is of. */
  load: number;
  /** Whether the recording is full: what follows is not saved. */
  full: boolean;
  /** Simulated time over wall time of late; null while that is not known. */
  pace: number | null;
}

/** To the worker. */
export type WorkerRequest =
  | { kind: "begin"; wasm: ArrayBuffer }
  | { kind: "load"; scene: Scene; load: number }
  | { kind: "run"; running: boolean; speed: number }
  /** Steps, as fast as they go. */
  | { kind: "steps"; count: number }
  | { kind: "reset" }
  | { kind: "grab"; node: number }
  | { kind: "point"; place: [number, number, number] }
  | { kind: "release" }
  | { kind: "pin"; node: number }
  | { kind: "turn"; knob: string; value: number }
  /** The last frame was shown: there may be another. */
  | { kind: "seen" }
  | { kind: "save" };

/** From the worker. */
export type WorkerEvent =
  | { kind: "scenes"; scenes: Record<string, string> }
  | { kind: "loaded"; description: Description; load: number }
  | { kind: "frame"; frame: LiveFrame }
  | { kind: "saved"; archive: Uint8Array }
  /** Something was refused, and all goes on. */
  | { kind: "refused"; why: string }
  /** A step could not be taken: the simulation stands. */
  | { kind: "failed"; why: string }
  /** The simulator itself broke off, and can do nothing more. */
  | { kind: "died"; why: string };
