// The stage: cloth, bodies, floor and light, seen by a camera that goes around them.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { type Colouring, ramp } from "./colour";
import type { Film } from "./film";

const [FRONT, BACK, BODY, LINE] = [0xe0705c, 0x4f7fae, 0xbdb9ad, 0x3a2420];

/** Drawn a little farther away than it is: cloth behind its own lines, and bodies behind the cloth that lies on them. */
function pushedBack(by: number): THREE.MeshStandardMaterialParameters {
  return { polygonOffset: true, polygonOffsetFactor: by, polygonOffsetUnits: by };
}

export class Stage {
  private readonly renderer = new THREE.WebGLRenderer({ antialias: true });
  private readonly scene = new THREE.Scene();
  private readonly camera = new THREE.PerspectiveCamera(38, 1, 0.01, 100);
  private readonly controls: OrbitControls;
  private readonly positions: THREE.BufferAttribute;
  private readonly colours: THREE.BufferAttribute;
  private readonly values: Float32Array;
  private readonly geometry = new THREE.BufferGeometry();
  private readonly sides: THREE.MeshStandardMaterial[];
  private readonly lines: THREE.LineSegments;
  private readonly bodies: THREE.Mesh[];
  private colouring: { of: Colouring; largest: number } | null = null;

  constructor(
    private readonly film: Film,
    view: HTMLElement,
  ) {
    const { nodes, triangles, edges, low, high } = film.header;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    view.append(this.renderer.domElement);
    this.scene.background = new THREE.Color(0xedece8);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.addEventListener("change", () => this.draw());

    this.positions = new THREE.BufferAttribute(new Float32Array(3 * nodes), 3);
    this.colours = new THREE.BufferAttribute(new Float32Array(3 * nodes), 3);
    this.values = new Float32Array(nodes);
    this.geometry.setAttribute("position", this.positions);
    this.geometry.setAttribute("color", this.colours);
    this.geometry.setIndex(triangles);
    const material = (side: THREE.Side, color: number) =>
      new THREE.MeshStandardMaterial({ side, color, roughness: 0.85, ...pushedBack(1) });
    this.sides = [material(THREE.FrontSide, FRONT), material(THREE.BackSide, BACK)];
    for (const side of this.sides) {
      const mesh = new THREE.Mesh(this.geometry, side);
      mesh.castShadow = mesh.receiveShadow = true;
      mesh.frustumCulled = false;
      this.scene.add(mesh);
    }
    const wires = new THREE.BufferGeometry();
    wires.setAttribute("position", this.positions);
    wires.setIndex(edges);
    this.lines = new THREE.LineSegments(wires, new THREE.LineBasicMaterial({ color: LINE, transparent: true, opacity: 0.35 }));
    this.lines.frustumCulled = false;
    this.scene.add(this.lines);

    this.bodies = film.header.bodies.map((body) => {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(body.positions), 3));
      geometry.setIndex(body.triangles);
      const flat = geometry.toNonIndexed();
      flat.computeVertexNormals();
      const mesh = new THREE.Mesh(flat, new THREE.MeshStandardMaterial({ color: BODY, roughness: 0.9, flatShading: true, ...pushedBack(4) }));
      mesh.castShadow = mesh.receiveShadow = true;
      mesh.name = body.name;
      this.scene.add(mesh);
      return mesh;
    });

    const [lowest, highest] = [new THREE.Vector3(...low), new THREE.Vector3(...high)];
    const [centre, size] = [lowest.clone().add(highest).multiplyScalar(0.5), Math.max(highest.distanceTo(lowest), 0.1)];
    this.light(centre, size);
    this.floor(centre, lowest.z, size);
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).add(new THREE.Vector3(0.8, -1.5, 0.55).multiplyScalar(size));
    this.camera.near = 0.01 * size;
    this.camera.far = 30 * size;

    const fit = () => {
      const { clientWidth: width, clientHeight: height } = view;
      this.renderer.setSize(width, height);
      this.camera.aspect = width / Math.max(height, 1);
      this.camera.updateProjectionMatrix();
      this.draw();
    };
    new ResizeObserver(fit).observe(view);
    fit();
    this.controls.update();
  }

  private light(centre: THREE.Vector3, size: number): void {
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0xb9b3a6, 1.6));
    const sun = new THREE.DirectionalLight(0xffffff, 2.2);
    sun.position.copy(centre).add(new THREE.Vector3(-0.6, -0.9, 1.8).multiplyScalar(size));
    sun.target.position.copy(centre);
    sun.castShadow = true;
    sun.shadow.mapSize.set(2048, 2048);
    // A sheet has no thickness: without these it would shade itself in stripes.
    sun.shadow.normalBias = 0.006 * size;
    sun.shadow.bias = -0.003;
    Object.assign(sun.shadow.camera, { left: -size, right: size, top: size, bottom: -size, near: 0.1 * size, far: 5 * size });
    this.scene.add(sun, sun.target);
  }

  /** A floor below everything, unless a body is there that is as wide as a floor. */
  private floor(centre: THREE.Vector3, height: number, size: number): void {
    const reach = (body: THREE.Mesh) => {
      body.geometry.computeBoundingBox();
      const { min, max } = body.geometry.boundingBox!;
      return Math.min(max.x - min.x, max.y - min.y);
    };
    if (this.bodies.some((body) => reach(body) > 0.5 * size)) return;
    const grid = new THREE.GridHelper(8 * size, 64, 0xc9c6bd, 0xdcdad3);
    grid.rotation.x = Math.PI / 2;
    grid.position.set(centre.x, centre.y, height);
    const shadow = new THREE.Mesh(new THREE.PlaneGeometry(8 * size, 8 * size), new THREE.ShadowMaterial({ opacity: 0.25 }));
    shadow.position.copy(grid.position);
    shadow.receiveShadow = true;
    this.scene.add(grid, shadow);
  }

  /** Shows a frame. */
  show(frame: number): void {
    const places = this.positions.array as Float32Array;
    this.film.positions(frame, places);
    this.positions.needsUpdate = true;
    this.geometry.computeVertexNormals();
    this.film.header.bodies.forEach((body, k) => {
      const [x, y, z, qx, qy, qz, qw] = body.poses[Math.min(frame, body.poses.length - 1)] as [number, number, number, number, number, number, number];
      this.bodies[k]!.position.set(x, y, z);
      this.bodies[k]!.quaternion.set(qx, qy, qz, qw);
    });
    if (this.colouring) {
      const { of, largest } = this.colouring;
      of.values(this.film, frame, places, this.values);
      this.values.forEach((value, node) => this.colours.setXYZ(node, ...ramp(value / largest)));
      this.colours.needsUpdate = true;
    }
    this.draw();
  }

  /** Colours the cloth by a number at every node, or by its sides. */
  colour(of: Colouring | null, largest: number): void {
    this.colouring = of && { of, largest };
    this.sides.forEach((side, k) => {
      side.vertexColors = of !== null;
      side.color.set(of ? 0xffffff : [FRONT, BACK][k]!);
      side.needsUpdate = true;
    });
  }

  showLines(shown: boolean): void {
    this.lines.visible = shown;
    this.draw();
  }

  /** Where a node is now, m: for tests. */
  place(node: number): number[] {
    return [0, 1, 2].map((axis) => this.positions.array[3 * node + axis]!);
  }

  private draw(): void {
    this.renderer.render(this.scene, this.camera);
  }
}
