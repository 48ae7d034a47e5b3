// The stage: cloth, bodies, floor and light, seen by a camera that goes around them.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Arrows } from "./arrows";
import { type Colouring, ramp } from "./colour";
import type { Film } from "./film";
import { Ghost } from "./ghost";

const [FRONT, BACK, BODY, LINE, HELD] = [0xe0705c, 0x4f7fae, 0xbdb9ad, 0x3a2420, 0x1d1d1d];

/** Length of the longest arrow, of the size of what is shown. */
const ARROW = 0.25;

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
  private readonly held: THREE.BufferAttribute;
  private readonly dots = new THREE.BufferGeometry();
  private readonly watch: ResizeObserver;
  private readonly sun = new THREE.DirectionalLight(0xffffff, 2.2);
  private readonly floor = new THREE.Group();
  /** What light, floor and camera are made for. */
  private lit = new THREE.Box3();
  /** Whether the user has chosen a view. */
  private turned = false;
  private readonly cloth: THREE.Mesh[] = [];
  private colouring: { of: Colouring; largest: number } | null = null;
  private ghost: Ghost | null = null;
  readonly arrows: Arrows;
  /** Told when values leave the range of the colours. */
  exceeded: (largest: number) => void = () => {};

  constructor(
    private readonly film: Film,
    view: HTMLElement,
  ) {
    const { nodes, triangles, edges } = film.setting;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
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
      this.cloth.push(mesh);
    }
    const wires = new THREE.BufferGeometry();
    wires.setAttribute("position", this.positions);
    wires.setIndex(edges);
    this.lines = new THREE.LineSegments(wires, new THREE.LineBasicMaterial({ color: LINE, transparent: true, opacity: 0.35 }));
    this.lines.frustumCulled = false;
    this.scene.add(this.lines);

    this.held = new THREE.BufferAttribute(new Float32Array(3 * nodes), 3);
    this.dots.setAttribute("position", this.held);
    this.dots.setDrawRange(0, 0);
    const points = new THREE.Points(this.dots, new THREE.PointsMaterial({ color: HELD, size: 7, sizeAttenuation: false }));
    points.frustumCulled = false;
    this.scene.add(points);

    this.bodies = film.setting.bodies.map((body) => {
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

    this.arrows = new Arrows(this.scene, film);
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0xb9b3a6, 1.6), this.sun, this.sun.target, this.floor);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -0.003;
    this.controls.addEventListener("start", () => (this.turned = true));
    this.enclose();

    const fit = () => {
      const { clientWidth: width, clientHeight: height } = view;
      this.renderer.setSize(width, height);
      this.camera.aspect = width / Math.max(height, 1);
      this.camera.updateProjectionMatrix();
      this.draw();
    };
    this.watch = new ResizeObserver(fit);
    this.watch.observe(view);
    fit();
    this.controls.update();
  }

  /** Sets light, floor and, unless the user has chosen a view, the camera by the box of what is to be seen by now. */
  enclose(): void {
    const { low, high, stage } = this.film.setting;
    const [lowest, highest] = (stage ?? [low, high]).map((corner) => new THREE.Vector3(...corner)) as [THREE.Vector3, THREE.Vector3];
    const box = new THREE.Box3(lowest, highest);
    // Whatever lies within what is lit already, nearly, leaves all as it is.
    if (this.lit.containsBox(box.clone().expandByScalar(-0.05 * this.lit.getSize(new THREE.Vector3()).length()))) return;
    this.lit = box;
    const [centre, size] = [box.getCenter(new THREE.Vector3()), Math.max(highest.distanceTo(lowest), 0.1)];
    this.light(centre, size);
    this.layFloor(centre, lowest.z, size);
    this.arrows.length = ARROW * size;
    this.camera.near = 0.01 * size;
    this.camera.far = 30 * size;
    if (!this.turned) {
      this.controls.target.copy(centre);
      this.camera.position.copy(centre).add(new THREE.Vector3(0.8, -1.5, 0.55).multiplyScalar(size));
      this.controls.update();
    }
    this.camera.updateProjectionMatrix();
  }

  private light(centre: THREE.Vector3, size: number): void {
    const { sun } = this;
    sun.position.copy(centre).add(new THREE.Vector3(-0.6, -0.9, 1.8).multiplyScalar(size));
    sun.target.position.copy(centre);
    // A sheet has no thickness: without these it would shade itself in stripes.
    sun.shadow.normalBias = 0.006 * size;
    Object.assign(sun.shadow.camera, { left: -size, right: size, top: size, bottom: -size, near: 0.1 * size, far: 5 * size });
    sun.shadow.camera.updateProjectionMatrix();
  }

  /** A floor below everything, unless a body is there that is as wide as a floor. */
  private layFloor(centre: THREE.Vector3, height: number, size: number): void {
    const reach = (body: THREE.Mesh) => {
      body.geometry.computeBoundingBox();
      const { min, max } = body.geometry.boundingBox!;
      return Math.min(max.x - min.x, max.y - min.y);
    };
    this.floor.clear();
    if (this.bodies.some((body) => reach(body) > 0.5 * size)) return;
    const grid = new THREE.GridHelper(8 * size, 64, 0xc9c6bd, 0xdcdad3);
    grid.rotation.x = Math.PI / 2;
    grid.position.set(centre.x, centre.y, height);
    const shadow = new THREE.Mesh(new THREE.PlaneGeometry(8 * size, 8 * size), new THREE.ShadowMaterial({ opacity: 0.25 }));
    shadow.position.copy(grid.position);
    shadow.receiveShadow = true;
    this.floor.add(grid, shadow);
  }

  /** Shows a frame. */
  show(frame: number): void {
    const places = this.positions.array as Float32Array;
    this.film.positions(frame, places);
    this.positions.needsUpdate = true;
    this.geometry.computeVertexNormals();
    this.geometry.boundingSphere = null;
    this.bodies.forEach((body, k) => {
      const pose = this.film.pose(frame, k);
      body.position.fromArray(pose);
      body.quaternion.fromArray(pose, 3);
    });
    this.mark(frame, places);
    this.arrows.show(frame, places);
    this.ghost?.show(this.film.times[frame]!);
    if (this.colouring) {
      const { of, largest } = this.colouring;
      of.values(this.film, frame, places, this.values);
      const most = this.values.reduce((most, value) => (value < 1e8 ? Math.max(most, value) : most), 0);
      if (most > 1.05 * largest) this.exceeded(most);
      // As it is now, if it was not enough.
      const scale = this.colouring.largest;
      const part = of.smallFirst ? (value: number) => 1 - value / scale : (value: number) => value / scale;
      this.values.forEach((value, node) => this.colours.setXYZ(node, ...ramp(part(value))));
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

  /** Marks the nodes that are held. */
  private mark(frame: number, places: Float32Array): void {
    this.film.read(frame, "held", this.values);
    let count = 0;
    this.values.forEach((is, node) => {
      if (is > 0.5) this.held.setXYZ(count++, places[3 * node]!, places[3 * node + 1]!, places[3 * node + 2]!);
    });
    this.held.needsUpdate = true;
    this.dots.setDrawRange(0, count);
  }

  /** Lays another film over this one. */
  compare(other: Film): Ghost {
    this.ghost = new Ghost(this.scene, other);
    return this.ghost;
  }

  get canvas(): HTMLCanvasElement {
    return this.renderer.domElement;
  }

  /** A line of sight through a point of the canvas, in pixels from its corner. */
  private sight(x: number, y: number): THREE.Raycaster {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2((2 * x) / width - 1, 1 - (2 * y) / height), this.camera);
    return ray;
  }

  /** The node of the cloth that is seen there; null if there is none, or a body is before it. */
  pick(x: number, y: number): number | null {
    const hit = this.sight(x, y).intersectObjects([...this.cloth, ...this.bodies])[0];
    if (!hit?.face || !this.cloth.includes(hit.object as THREE.Mesh)) return null;
    const { a, b, c } = hit.face;
    const away = (node: number) => new THREE.Vector3().fromBufferAttribute(this.positions, node).distanceTo(hit.point);
    return [a, b, c].reduce((near, node) => (away(node) < away(near) ? node : near));
  }

  /** What is seen there at the depth of a place, m. */
  atDepthOf(place: number[], x: number, y: number): [number, number, number] | null {
    const facing = this.camera.getWorldDirection(new THREE.Vector3());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(facing, new THREE.Vector3().fromArray(place));
    const there = this.sight(x, y).ray.intersectPlane(plane, new THREE.Vector3());
    return there && [there.x, there.y, there.z];
  }

  /** Where a node is seen on the canvas, in pixels from its corner: for tests. */
  seen(node: number): [number, number] {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const { x, y } = new THREE.Vector3().fromBufferAttribute(this.positions, node).project(this.camera);
    return [((x + 1) / 2) * width, ((1 - y) / 2) * height];
  }

  /** Whether the mouse turns the view. */
  set orbiting(on: boolean) {
    this.controls.enabled = on;
  }

  /** Frees what the browser holds for it. */
  dispose(): void {
    this.controls.dispose();
    this.watch.disconnect();
    this.renderer.dispose();
    this.canvas.remove();
  }

  /** Where a node is now, m: for tests. */
  place(node: number): number[] {
    return [0, 1, 2].map((axis) => this.positions.array[3 * node + axis]!);
  }

  draw(): void {
    this.renderer.render(this.scene, this.camera);
  }
}
