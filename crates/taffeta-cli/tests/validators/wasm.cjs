// Runs scenes with the simulator of the page, as its worker does, without a browser: node wasm.cjs DIST SCENE.toml STEPS... Prints, as
// JSON, the places of all nodes after each of the numbers of steps, and the mean time of a step in seconds once all code is warm.
const fs = require("fs");
const path = require("path");
const vm = require("vm");
const zlib = require("zlib");

const [dist, scene, ...marks] = process.argv.slice(2);
const steps = marks.map(Number);

// What a worker has around it; messages go straight to the script, as no other thread is there.
const news = [];
const worker = { performance, TextDecoder, TextEncoder, WebAssembly, URL, MessageChannel, setTimeout, console, FinalizationRegistry };
worker.self = Object.assign(worker, { postMessage: (told) => news.push(told) });
vm.runInContext(fs.readFileSync(path.join(dist, "worker.js"), "utf8"), vm.createContext(worker));
const wish = (wish) => worker.onmessage({ data: wish });

wish({ kind: "begin", wasm: zlib.inflateRawSync(fs.readFileSync(path.join(dist, "live.wasm.deflate"))) });
wish({ kind: "load", scene: { name: "scene", toml: fs.readFileSync(scene, "utf8"), files: {} } });
const places = [];
let taken = 0;
for (const mark of steps) {
  wish({ kind: "steps", count: mark - taken });
  taken = mark;
  const last = news.filter((told) => told.kind === "frame").at(-1);
  places.push(Array.from(last.frame.positions));
}
// Once more for the time, after as many rounds as it takes until the browser's engine has compiled all in earnest.
let [seconds, spent] = [Infinity, 0];
while (spent < 1) {
  wish({ kind: "reset" });
  const begun = performance.now();
  wish({ kind: "steps", count: taken });
  seconds = Math.min(seconds, (performance.now() - begun) / 1000 / taken);
  spent += seconds * taken;
}
const failed = news.find((told) => told.kind === "failed" || told.kind === "refused");
console.log(JSON.stringify({ places, seconds, failed: failed?.why ?? null }));
process.exit(0);
