// Builds the page: the script in one piece, and a fingerprint of all that went into it. `cargo xtask web` runs this.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

mkdirSync("dist", { recursive: true });
await build({
  entryPoints: ["src/main.ts"],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  legalComments: "eof",
  charset: "utf8",
  outfile: "dist/viewer.js",
});

// The same files, in the same order, as the test that compares them.
const sources = ["build.mjs", "package-lock.json", "package.json", "page.html", "tsconfig.json"];
sources.push(...readdirSync("src").map((name) => `src/${name}`));
const hash = createHash("sha256");
for (const name of sources.sort()) {
  hash.update(`${name}\n`).update(readFileSync(name));
}
writeFileSync("dist/sources.sha256", `${hash.digest("hex")}\n`);
