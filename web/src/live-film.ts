// What a live simulation has shown so far.

import type { Channel, Film, Setting } from "./film";
import { width } from "./film";
import type { Description, LiveFrame } from "./protocol";

/** Bytes of frames after which every other one is forgotten. */
const MOST = 300e6;

/** The frames of a live simulation that were shown: others were dropped. */
export class LiveFilm implements Film {
  readonly times: number[] = [];
  readonly report: Record<string, number[]> = { time_s: [], step_seconds: [] };
  private frames: LiveFrame[] = [];

  constructor(private readonly description: Description) {
    for (const field of description.fields) this.report[field] = [];
  }

  get setting(): Setting {
    return this.description;
  }

  add(frame: LiveFrame): void {
    this.frames.push(frame);
    this.times.push(frame.time);
    if (frame.report.length > 0) {
      this.description.fields.forEach((field, k) => this.report[field]!.push(frame.report[k]!));
      this.report["step_seconds"]!.push(frame.seconds);
    }
    if (this.frames.length * this.description.nodes * 44 > MOST) this.thin();
  }

  /** Forgets all. */
  clear(): void {
    this.frames.length = this.times.length = 0;
    for (const numbers of Object.values(this.report)) numbers.length = 0;
  }

  private thin(): void {
    const kept = this.frames.filter((_, k) => k % 2 === 0);
    this.clear();
    kept.forEach((frame) => this.add(frame));
  }

  positions(frame: number, into: Float32Array): void {
    into.set(this.frames[frame]!.positions);
  }

  pose(frame: number, body: number): number[] {
    return Array.from(this.frames[frame]!.poses.subarray(7 * body, 7 * body + 7));
  }

  readonly failure = null;

  has(channel: Channel): boolean {
    return channel !== "strain";
  }

  read(frame: number, channel: Channel, into: Float32Array): void {
    if (channel === "strain") into.fill(0);
    else into.set(this.frames[frame]![channel].subarray(0, width(channel) * this.description.nodes));
  }
}
