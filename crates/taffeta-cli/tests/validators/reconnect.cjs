// Looks at a recording while its server goes and comes back: node reconnect.cjs BROWSER TAFFETA RECORDING. Prints what it saw as JSON.
const { spawn } = require("child_process");
const { chromium } = require("playwright-core");

const [browserPath, taffeta, recording] = process.argv.slice(2);
const flags = ["--no-sandbox", "--no-first-run", "--disable-background-networking", "--disable-component-update"];
flags.push("--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--proxy-server=127.0.0.1:9");

/** Starts a server; resolves to it and its address. */
function serve(...listen) {
  const server = spawn(taffeta, ["view", recording, "--no-open", ...listen], { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    server.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    server.stdout.once("data", (line) => resolve({ server, url: String(line).trim() }));
  });
}

async function main() {
  let { server, url } = await serve();
  const browser = await chromium.launch({ executablePath: browserPath, args: flags });
  try {
    const view = await browser.newPage();
    const errors = [];
    view.on("pageerror", (error) => errors.push(String(error)));
    await view.goto(url);
    await view.waitForFunction(() => window.taffeta, null, { timeout: 60000 });
    server.removeAllListeners("exit");
    server.kill();
    await view.locator("#lost").waitFor({ state: "visible", timeout: 20000 });
    ({ server } = await serve("--listen", new URL(url).host));
    await view.locator("#lost").waitFor({ state: "hidden", timeout: 20000 });
    console.log(JSON.stringify({ frames: await view.evaluate(() => window.taffeta.frames()), errors }));
  } finally {
    await browser.close();
    server.removeAllListeners("exit");
    server.kill();
  }
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
