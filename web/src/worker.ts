// The worker that computes a live simulation. It keeps pace with the clock where it can, and sends a frame only when the last one was
// shown: whatever the page is too slow for is dropped.

import { Live, initSync, shippedScenes } from "../live/taffeta_live.js";
import type { Description, LiveFrame, WorkerEvent, WorkerRequest } from "./protocol";

/** s. Whoever is behind the clock by more than this does not try to catch up. */
const BEHIND = 0.1;

/** s. Over which the pace is measured. */
const LATE = 1;

let live: Live | null = null;
/** Which of the scenes that were loaded it is. */
let load = 0;
let dt = 0.01;
let [running, speed] = [false, 1];
/** Wall time and simulated time from which they are compared, s. */
let start = { wall: 0, simulated: 0 };
let [seen, fresh, scheduled] = [true, false, false];
let seconds = 0;
let lately: { wall: number; simulated: number }[] = [];

const now = () => performance.now() / 1000;
const tell = (event: WorkerEvent, transfer: Transferable[] = []) => self.postMessage(event, { transfer });

// A message to itself lets others come in between, which waiting for nothing does not do as fast.
const channel = new MessageChannel();
channel.port1.onmessage = () => {
  scheduled = false;
  advance();
};

function soon(): void {
  if (scheduled) return;
  scheduled = true;
  channel.port2.postMessage(null);
}

/** Compares with the clock from here on. */
function restart(): void {
  start = { wall: now(), simulated: live?.time() ?? 0 };
  lately = [];
}

/** Takes a step if it is time for one. */
function advance(): void {
  if (!live || !running) return;
  const due = start.simulated + (now() - start.wall) * speed;
  const left = live.time() + dt - due;
  if (left > 1e-9) {
    setTimeout(soon, (1000 * left) / speed);
    return;
  }
  if (-left > BEHIND * speed) {
    start = { wall: now() - dt / speed, simulated: live.time() };
  }
  if (step()) soon();
}

function step(): boolean {
  try {
    seconds = live!.step();
    fresh = true;
    lately.push({ wall: now(), simulated: live!.time() });
    while (lately.length > 2 && lately[0]!.wall < now() - LATE) lately.shift();
    offer();
    return true;
  } catch (error) {
    running = false;
    if (!(error instanceof WebAssembly.RuntimeError)) show();
    complain(error, "failed");
    return false;
  }
}

/** Sends a frame if there is a new one and the page has shown the last. */
function offer(): void {
  if (!live || !seen || !fresh) return;
  [seen, fresh] = [false, false];
  const told = live.frame();
  const frame: LiveFrame = {
    time: live.time(),
    seconds,
    positions: told.positions,
    contact: told.contact,
    hand: told.hand,
    tension: told.tension,
    clearance: told.clearance,
    held: told.held,
    poses: told.poses,
    report: told.report,
    grabbed: live.grabbed() ?? null,
    load,
    full: live.isFull(),
    pace: pace(),
  };
  told.free();
  const arrays = [frame.positions, frame.contact, frame.hand, frame.tension, frame.clearance, frame.held, frame.poses, frame.report];
  tell({ kind: "frame", frame }, arrays.map((array) => array.buffer as ArrayBuffer));
}

function pace(): number | null {
  const [first, last] = [lately[0], lately.at(-1)];
  if (!first || !last || !running || last.wall - first.wall < 0.5 * LATE) return null;
  return (last.simulated - first.simulated) / (last.wall - first.wall);
}

/** Says what went wrong; after a trap there is nothing to go on with. */
function complain(error: unknown, kind: "failed" | "refused"): void {
  const why = message(error);
  if (error instanceof WebAssembly.RuntimeError) {
    live = null;
    tell({ kind: "died", why });
  } else tell({ kind, why });
}

const message = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Shows the state as it is now, whether or not the last was seen. */
function show(): void {
  [seen, fresh] = [true, true];
  offer();
}

function handle(request: WorkerRequest): void {
  switch (request.kind) {
    case "begin":
      initSync({ module: request.wasm });
      return tell({ kind: "scenes", scenes: JSON.parse(shippedScenes()) as Record<string, string> });
    case "load": {
      const { name, toml, files } = request.scene;
      const next = new Live(name, toml, JSON.stringify(files));
      live?.free();
      live = next;
      const description = JSON.parse(live.description()) as Description;
      [dt, seconds, running] = [description.dt, 0, false];
      load = request.load;
      tell({ kind: "loaded", description, load });
      return show();
    }
    case "run":
      [running, speed] = [request.running, request.speed];
      restart();
      return soon();
    case "steps":
      for (let k = 0; k < request.count && step(); k++);
      return show();
    case "reset":
      live?.reset();
      restart();
      return show();
    case "grab":
      live?.grab(request.node);
      return;
    case "point":
      return live?.point(...request.place);
    case "release":
      return live?.release();
    case "pin":
      live?.togglePin(request.node);
      return show();
    case "turn":
      return live?.turn(request.knob, request.value);
    case "seen":
      seen = true;
      return offer();
    case "save": {
      if (!live) return;
      const archive = live.save();
      return tell({ kind: "saved", archive }, [archive.buffer as ArrayBuffer]);
    }
  }
}

self.onmessage = ({ data }: MessageEvent<WorkerRequest>) => {
  try {
    handle(data);
  } catch (error) {
    // A scene that cannot be loaded, or a module that cannot be started, leaves nothing to go on with.
    complain(error, data.kind === "begin" || data.kind === "load" ? "failed" : "refused");
  }
};
