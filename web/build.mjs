// Builds the page: the script in one piece, and a fingerprint of all that went into it. `cargo xtask web` runs this.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
import { build } from "esbuild";

mkdirSync("dist", { recursive: true });
for (const [source, script] of [["main", "viewer"], ["worker", "worker"]]) {
  await build({
    entryPoints: [`src/${source}.ts`],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    // The module is given its bytes: there is no address to find them at.
    define: { "import.meta.url": '"about:blank"' },
    legalComments: "eof",
    charset: "utf8",
    outfile: `dist/${script}.js`,
  });
}
writeFileSync("dist/live.wasm.deflate", deflateRawSync(readFileSync("live/taffeta_live_bg.wasm"), { level: 9 }));

/** All files below a folder, but for tests. */
function below(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === "tests" ? [] : below(path);
    return [path];
  });
}

// The same files, in the same order, as the test that compares them: the page's own, and the simulator's.
const sources = ["build.mjs", "package-lock.json", "package.json", "page.html", "tsconfig.json", "../Cargo.lock"];
for (const folder of ["src", "../scenes", "../crates/taffeta/src", "../crates/taffeta-io/src", "../crates/taffeta-live/src"]) {
  sources.push(...below(folder));
}
const hash = createHash("sha256");
for (const name of sources.sort()) {
  hash.update(`${name}\n`).update(readFileSync(name));
}
writeFileSync("dist/sources.sha256", `${hash.digest("hex")}\n`);
