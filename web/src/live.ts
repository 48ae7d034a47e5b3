// A live simulation: the worker that computes it, and the mouse that pulls at it.

import { Deck } from "./deck";
import { element } from "./element";
import { LiveFilm } from "./live-film";
import type { Description, LiveFrame, Scene, WorkerEvent, WorkerRequest } from "./protocol";
import { embeddedDeflated } from "./source";
import { Stage } from "./stage";

/** Simulated time over real time below which a scene is too heavy for a page. */
const HEAVY = 0.25;

/** ms without a word from the worker after which the scene is too heavy, too. */
const SILENCE = 4000;

/** What the sliders are called. */
const KNOBS: Record<string, [label: string, unit: string]> = {
  mu: ["μ, friction of the world", ""],
  self_mu: ["μ of the cloth on itself", ""],
  alpha: ["α, damping", "kg/(m²·s)"],
  delta: ["δ, virtual density", "kg/m²"],
  kappa: ["κ, bending", "N·m"],
  gravity: ["gravity", "m/s²"],
  wind_x: ["wind along x", "m/s"],
  wind_y: ["wind along y", "m/s"],
};

export class LivePage {
  stage: Stage | null = null;
  running = false;
  private film: LiveFilm | null = null;
  private deck: Deck | null = null;
  private description: Description | null = null;
  private speed = 1;
  private heard = performance.now();
  private pending: LiveFrame | null = null;
  /** The node that is dragged, where it was when it was grabbed, m, and whether the worker has it in its hand by now. */
  private dragged: { node: number; place: number[]; inHand: boolean } | null = null;
  private scenes: Record<string, string> = {};
  /** Scenes asked for so far: frames of another than the last are too late. */
  private loads = 0;
  private loading = false;

  private worker: Worker;

  private constructor(
    private readonly script: string,
    private readonly wasm: ArrayBuffer,
    private readonly first: Scene,
  ) {
    this.worker = this.start();
    element("live").hidden = false;
    document.body.classList.add("live");
    element("reset").onclick = () => this.reset();
    element("save").onclick = () => this.request({ kind: "save" });
    const picker = element<HTMLSelectElement>("scenes");
    picker.onchange = () => {
      const name = picker.value;
      const toml = this.scenes[name];
      this.load(toml === undefined ? this.first : { name, toml, files: {} });
      picker.blur();
    };
    this.watchMouse(element("view"));
    setInterval(() => this.watch(), 1000);
  }

  /** Starts the worker of this page; null if the page has no scene. */
  static async open(): Promise<LivePage | null> {
    const text = document.getElementById("scene")?.textContent;
    if (!text) return null;
    const script = document.getElementById("worker")?.textContent ?? "";
    const wasm = await embeddedDeflated("wasm");
    if (!wasm) throw new Error("the page has a scene and no simulator");
    return new LivePage(script, wasm, JSON.parse(text) as Scene);
  }

  /** Starts a worker. */
  private start(): Worker {
    const address = URL.createObjectURL(new Blob([this.script], { type: "text/javascript" }));
    const worker = new Worker(address);
    URL.revokeObjectURL(address);
    worker.onmessage = ({ data }: MessageEvent<WorkerEvent>) => this.handle(data);
    worker.onerror = (event) => this.fail(event.message || "the worker stopped");
    const begin: WorkerRequest = { kind: "begin", wasm: this.wasm };
    worker.postMessage(begin);
    return worker;
  }

  /** Replaces a worker that can do nothing more: other scenes can still be picked. */
  private replace(why: string): void {
    this.worker.terminate();
    this.worker = this.start();
    this.loads++;
    this.loading = false;
    this.fail(`the simulator ran out of memory or broke off (${why}). Pick another scene, or run this one natively:\n${this.native()}`);
  }

  private request(request: WorkerRequest): void {
    this.worker.postMessage(request);
  }

  private handle(event: WorkerEvent): void {
    this.heard = performance.now();
    switch (event.kind) {
      case "scenes":
        // Of a worker that replaces another nothing is asked yet.
        if (this.loads > 0) return;
        this.scenes = event.scenes;
        this.offerScenes();
        return this.load(this.first);
      case "loaded":
        return event.load === this.loads ? this.begin(event.description) : undefined;
      case "frame":
        return event.frame.load === this.loads ? this.receive(event.frame) : this.request({ kind: "seen" });
      case "saved":
        return download(event.archive, `${this.description?.name ?? "recording"}.zip`);
      case "refused":
        return this.say(event.why);
      case "failed":
        return this.fail(event.why);
      case "died":
        return this.replace(event.why);
    }
  }

  /** The node that is dragged. */
  get draggedNode(): number | null {
    return this.dragged?.node ?? null;
  }

  private offerScenes(): void {
    const picker = element<HTMLSelectElement>("scenes");
    const { name, shipped } = this.first;
    const own = shipped ? [] : [new Option(`${name} (as given)`, "")];
    picker.replaceChildren(...own, ...Object.keys(this.scenes).map((known) => new Option(known, known)));
    picker.value = own.length > 0 ? "" : name;
  }

  private load(scene: Scene): void {
    this.drop();
    this.say("loading …");
    this.loading = true;
    this.heard = performance.now();
    this.running = false;
    this.deck?.refresh();
    element("heavy").hidden = true;
    element("error").hidden = true;
    this.request({ kind: "load", scene, load: ++this.loads });
  }

  private begin(description: Description): void {
    this.say("");
    this.loading = false;
    this.pending = null;
    this.deck?.dispose();
    this.stage?.dispose();
    this.description = description;
    this.film = new LiveFilm(description);
    this.stage = null;
    this.deck = null;
    this.offerKnobs(description);
  }

  /** Shows the newest frame when the display is ready for one, and asks for the next then. */
  private receive(frame: LiveFrame): void {
    const idle = this.pending === null;
    this.pending = frame;
    if (!idle) return;
    requestAnimationFrame(() => {
      const newest = this.pending;
      this.pending = null;
      try {
        if (newest) this.show(newest);
      } catch (error) {
        this.fail(error instanceof Error ? error.message : String(error));
      } finally {
        this.request({ kind: "seen" });
      }
    });
  }

  private show(frame: LiveFrame): void {
    const film = this.film!;
    // A simulation that began again.
    if (frame.time <= (film.times.at(-1) ?? -1)) film.clear();
    film.add(frame);
    if (!this.stage) this.raise(film);
    else this.deck!.grown(this.running || film.times.length <= 2 ? true : null);
    if (frame.full) this.say("The recording is full: what follows is not saved.");
    if (this.dragged && frame.grabbed === this.dragged.node) this.dragged.inHand = true;
    // A hand that could not hold on.
    else if (this.dragged?.inHand) this.drop();
    if (frame.pace !== null && frame.pace < HEAVY * Math.min(this.speed, 1)) this.heavy(frame.pace);
    else if (frame.pace !== null) element("heavy").hidden = true;
  }

  /** Puts up the stage once there is a frame to show on it. */
  private raise(film: LiveFilm): void {
    const page = this;
    this.stage = new Stage(film, element("view"));
    this.deck = new Deck(film, this.stage, {
      get playing() {
        return page.running;
      },
      play: (on) => this.run(on),
      step: () => this.request({ kind: "steps", count: 1 }),
      speed: (factor) => {
        this.speed = factor;
        this.request({ kind: "run", running: this.running, speed: factor });
      },
    });
    this.deck.player.go(0);
    this.run(true);
  }

  /** Lets time go on, or stand. */
  run(on: boolean): void {
    if (on && this.film && this.deck) this.deck.player.go(this.film.times.length - 1);
    this.running = on;
    this.heard = performance.now();
    this.request({ kind: "run", running: on, speed: this.speed });
    this.deck?.refresh();
  }

  private reset(): void {
    element("error").hidden = true;
    element("heavy").hidden = true;
    this.say("");
    this.drop();
    this.request({ kind: "reset" });
    this.run(true);
  }

  private offerKnobs({ knobs }: Description): void {
    const rows = knobs.map(({ name, value, least, most }) => {
      const [label, unit] = KNOBS[name] ?? [name, ""];
      const [row, slider, shown] = [document.createElement("label"), document.createElement("input"), document.createElement("output")];
      Object.assign(slider, { type: "range", min: String(least), max: String(most), step: "any", value: String(value) });
      slider.id = `knob-${name}`;
      const show = () => (shown.textContent = `${Number(Number(slider.value).toPrecision(3))} ${unit}`);
      slider.oninput = () => {
        show();
        this.request({ kind: "turn", knob: name, value: Number(slider.value) });
      };
      show();
      const text = document.createElement("span");
      text.textContent = label;
      row.append(text, shown, slider);
      return row;
    });
    element("knobs").replaceChildren(...rows);
  }

  private watchMouse(view: HTMLElement): void {
    const place = (event: PointerEvent): [number, number] => {
      const { left, top } = view.getBoundingClientRect();
      return [event.clientX - left, event.clientY - top];
    };
    view.addEventListener(
      "pointerdown",
      (event) => {
        if (event.button !== 0 || !(event.target instanceof HTMLCanvasElement) || !this.stage) return;
        const node = this.stage.pick(...place(event));
        if (node === null) return;
        // What is grabbed is not to turn the view.
        event.stopPropagation();
        if (event.shiftKey) return this.request({ kind: "pin", node });
        this.grab(node);
        view.setPointerCapture(event.pointerId);
      },
      { capture: true },
    );
    view.addEventListener("pointermove", (event) => {
      if (!this.dragged || !this.stage) return;
      const there = this.stage.atDepthOf(this.dragged.place, ...place(event));
      if (there) this.request({ kind: "point", place: there });
    });
    for (const end of ["pointerup", "pointercancel"] as const) view.addEventListener(end, () => this.drop());
  }

  private grab(node: number): void {
    if (!this.running) this.run(true);
    this.dragged = { node, place: this.stage!.place(node), inHand: false };
    this.stage!.orbiting = false;
    this.request({ kind: "grab", node });
  }

  private drop(): void {
    if (!this.dragged) return;
    this.dragged = null;
    if (this.stage) this.stage.orbiting = true;
    this.request({ kind: "release" });
  }

  /** A worker that says nothing computes a step that takes too long. */
  private watch(): void {
    const silent = performance.now() - this.heard > SILENCE && document.visibilityState === "visible";
    if ((this.running || this.loading) && silent) this.heavy(0);
  }

  private heavy(pace: number): void {
    element("heavy").hidden = false;
    element("heavy").textContent =
      `This scene is too heavy for a page${pace > 0 ? `: it runs at ${pace.toPrecision(2)} of real time` : ""}. ` +
      `Natively it is faster, and can be watched while it runs:\n${this.native()}`;
  }

  /** How to run the scene natively. */
  private native(): string {
    const picked = element<HTMLSelectElement>("scenes").value;
    const [name, command] = picked === "" ? [this.first.name, this.first.native] : [picked, undefined];
    const folder = `recordings/${name.replace(/[^\w.-]/g, "-")}`;
    return `taffeta run ${command ?? name} --out ${folder}\ntaffeta view ${folder}`;
  }

  private say(text: string): void {
    element("said").textContent = text;
  }

  private fail(why: string): void {
    this.running = false;
    this.deck?.refresh();
    const box = element("error");
    box.hidden = false;
    box.textContent = `The simulation has stopped: ${why}`;
  }
}

/** Hands a file to the user. */
function download(bytes: Uint8Array, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes as BlobPart], { type: "application/zip" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
