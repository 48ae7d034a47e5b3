// How much slower the simulator of the page is than the native one, on swinging sheets: `cargo xtask bench-page` runs this. Both take the
// same steps in turns, and the fastest of three counts: other programs only ever make them slower.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [taffeta, wasm] = ["target/release/taffeta", "crates/taffeta-cli/tests/validators/wasm.cjs"];
const folder = mkdtempSync(join(tmpdir(), "taffeta-"));
const read = (program, args) => JSON.parse(execFileSync(program, args, { maxBuffer: 1 << 28 }));
console.log("nodes    steps   native, ms/step   page, ms/step   ratio");
try {
  for (const [nodes, steps] of [["7,9", 300], ["20,28", 300], ["40,40", 100]]) {
    const out = join(folder, nodes);
    const [native, page] = [[], []];
    for (let round = 0; round < 3; round++) {
      const settings = ["--set", `cloth.grid.nodes=[${nodes}]`, "--set", `duration_s=${steps / 100}`];
      const summary = read(taffeta, ["run", "swing", ...settings, "--out", out, "--overwrite", "--quiet", "--json"]);
      native.push(summary.wall_s / summary.steps);
      page.push(read("node", [wasm, "web/dist", join(out, "scene.toml"), String(steps)]).seconds);
    }
    const [a, b] = [native, page].map((times) => 1e3 * Math.min(...times));
    const cells = [nodes.replace(",", "×").padEnd(8), String(steps).padEnd(7), a.toFixed(3).padEnd(17), b.toFixed(3).padEnd(15)];
    console.log(...cells, (b / a).toFixed(2));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
