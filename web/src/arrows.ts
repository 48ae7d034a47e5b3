// Arrows for the forces on the nodes.

import * as THREE from "three";
import type { Film } from "./film";

/** The kinds of force, and what colour they are. */
const KINDS: ["contact" | "hand", number][] = [
  ["contact", 0x2e6b45],
  ["hand", 0x8a4fb0],
];

/** Forces below this part of the largest are not drawn. */
const FAINT = 0.01;

/** An arrow of length 1 along y, from the origin. */
function arrow(): THREE.BufferGeometry {
  const profile: [number, number][] = [
    [0, 0],
    [0.018, 0],
    [0.018, 0.75],
    [0.055, 0.75],
    [0, 1],
  ];
  return new THREE.LatheGeometry(profile.map(([x, y]) => new THREE.Vector2(x, y)), 8);
}

export class Arrows {
  private readonly kinds: { channel: "contact" | "hand"; mesh: THREE.InstancedMesh }[];
  private readonly forces: Float32Array;
  /** The largest force so far, N: as long as an arrow gets. */
  largest = 0;
  visible = false;
  /** Of the longest arrow, m. */
  length = 0.1;

  constructor(
    scene: THREE.Scene,
    private readonly film: Film,
  ) {
    const { nodes } = film.setting;
    this.forces = new Float32Array(3 * nodes);
    this.kinds = KINDS.filter(([channel]) => film.has(channel)).map(([channel, color]) => {
      const mesh = new THREE.InstancedMesh(arrow(), new THREE.MeshStandardMaterial({ color, roughness: 0.7 }), nodes);
      mesh.frustumCulled = false;
      mesh.count = 0;
      scene.add(mesh);
      return { channel, mesh };
    });
  }

  /** Whether the film has forces to draw. */
  get any(): boolean {
    return this.kinds.length > 0;
  }

  /** Finds the largest force of the film, as far as some frames tell. */
  survey(): void {
    const frames = this.film.times.length;
    for (let frame = 0; frame < frames; frame += Math.max(1, Math.floor(frames / 40))) this.measure(frame);
  }

  private measure(frame: number): void {
    for (const { channel } of this.kinds) {
      this.film.read(frame, channel, this.forces);
      for (let k = 0; k < this.forces.length; k += 3) {
        this.largest = Math.max(this.largest, Math.hypot(this.forces[k]!, this.forces[k + 1]!, this.forces[k + 2]!));
      }
    }
  }

  show(frame: number, positions: Float32Array): void {
    if (this.visible) this.measure(frame);
    const [up, along, matrix, turn, scale, place] = [
      new THREE.Vector3(0, 1, 0),
      new THREE.Vector3(),
      new THREE.Matrix4(),
      new THREE.Quaternion(),
      new THREE.Vector3(),
      new THREE.Vector3(),
    ];
    for (const { channel, mesh } of this.kinds) {
      mesh.count = 0;
      if (!this.visible || this.largest === 0) continue;
      this.film.read(frame, channel, this.forces);
      for (let k = 0; k < this.forces.length; k += 3) {
        const force = along.fromArray(this.forces, k).length();
        if (!(force > FAINT * this.largest)) continue;
        turn.setFromUnitVectors(up, along.divideScalar(force));
        const part = force / this.largest;
        scale.setScalar(this.length * Math.min(1, 0.2 + part)).setY(this.length * part);
        mesh.setMatrixAt(mesh.count++, matrix.compose(place.fromArray(positions, k), turn, scale));
      }
      mesh.instanceMatrix.needsUpdate = true;
    }
  }
}
