// Another recording, shown over the first, and how far they are apart.

import * as THREE from "three";
import type { Film } from "./film";
import type { Recording } from "./reels";

const COLOUR = 0x2f8f6b;

/** The frame before a time and how far it is to the next, from 0 to 1. */
export function between(times: number[], time: number): [frame: number, part: number] {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= time + 1e-9) low = middle + 1;
    else high = middle;
  }
  const frame = Math.max(low - 1, 0);
  const length = (times[frame + 1] ?? Infinity) - times[frame]!;
  return [frame, Math.min(Math.max((time - times[frame]!) / length, 0), 1) || 0];
}

/** Places of a film at any time, between frames along straight lines. */
export class Interpolated {
  private readonly next: Float32Array;

  constructor(private readonly film: Film) {
    this.next = new Float32Array(3 * film.setting.nodes);
  }

  at(time: number, into: Float32Array): void {
    const [frame, part] = between(this.film.times, time);
    this.film.positions(frame, into);
    if (part === 0 || frame + 1 >= this.film.times.length) return;
    this.film.positions(frame + 1, this.next);
    for (let k = 0; k < into.length; k++) into[k] = into[k]! * (1 - part) + this.next[k]! * part;
  }
}

/** A second cloth: its threads and nodes, seen through the first. */
export class Ghost {
  private readonly positions: THREE.BufferAttribute;
  private readonly places: Interpolated;
  private readonly objects: THREE.Object3D[];

  constructor(scene: THREE.Scene, film: Film) {
    const { nodes, edges } = film.setting;
    this.places = new Interpolated(film);
    this.positions = new THREE.BufferAttribute(new Float32Array(3 * nodes), 3);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", this.positions);
    geometry.setIndex(edges);
    const shared = { color: COLOUR, depthTest: false, transparent: true };
    const lines = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ ...shared, opacity: 0.6 }));
    const dots = new THREE.BufferGeometry();
    dots.setAttribute("position", this.positions);
    const points = new THREE.Points(dots, new THREE.PointsMaterial({ ...shared, size: 4, sizeAttenuation: false }));
    this.objects = [lines, points];
    for (const object of this.objects) {
      object.frustumCulled = false;
      object.renderOrder = 1;
      scene.add(object);
    }
  }

  show(time: number): void {
    this.places.at(time, this.positions.array as Float32Array);
    this.positions.needsUpdate = true;
  }

  /** Where a node is now, m: for tests. */
  place(node: number): number[] {
    return [0, 1, 2].map((axis) => this.positions.array[3 * node + axis]!);
  }
}

/** Distances of the nodes of another film from their partners in this one, at the frames of this one: root of the mean square, and
 * largest, m. */
export function distances(film: Film, other: Recording): { time_s: number[]; rms: number[]; largest: number[] } {
  const [here, there] = [new Float32Array(3 * film.setting.nodes), new Float32Array(3 * other.setting.nodes)];
  const places = new Interpolated(other);
  const found = { time_s: [] as number[], rms: [] as number[], largest: [] as number[] };
  const end = Math.min(film.times.at(-1) ?? 0, other.times.at(-1) ?? 0) + 1e-9;
  film.times.forEach((time, frame) => {
    if (time > end) return;
    film.positions(frame, here);
    places.at(time, there);
    let [sum, most, count] = [0, 0, 0];
    other.matches.forEach((node, own) => {
      if (node < 0) return;
      const off = Math.hypot(...[0, 1, 2].map((axis) => here[3 * node + axis]! - there[3 * own + axis]!));
      [sum, most, count] = [sum + off * off, Math.max(most, off), count + 1];
    });
    found.time_s.push(time);
    found.rms.push(Math.sqrt(sum / Math.max(count, 1)));
    found.largest.push(most);
  });
  return found;
}
