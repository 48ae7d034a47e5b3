// Looks at two recordings over each other: node compare.cjs BROWSER PAGE.html FOLDER. Prints what it saw as JSON, and leaves a screenshot
// in the folder. Playwright must be found through NODE_PATH.
const path = require("path");
const { chromium } = require("playwright-core");

const [browserPath, page, folder] = process.argv.slice(2);
const flags = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update"];
flags.push("--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--proxy-server=127.0.0.1:9");

async function main() {
  const browser = await chromium.launch({ executablePath: browserPath, args: flags });
  try {
    const view = await (await browser.newContext({ viewport: { width: 1100, height: 760 } })).newPage();
    const complaints = [];
    view.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    view.on("pageerror", (error) => complaints.push(String(error)));
    await view.goto(`file://${path.resolve(page)}`);
    await view.waitForFunction(() => window.taffeta || !document.getElementById("error").hidden, null, { timeout: 60000 });
    await view.locator("#timeline").fill("10");
    const [place, other] = await view.evaluate(() => [window.taffeta.place(0), window.taffeta.other(19)]);
    const plot = view.locator("#plots figure", { hasText: "apart, rms" }).locator("figcaption span").last();
    const rms = await plot.textContent();
    await view.screenshot({ path: path.join(folder, "compared.png") });
    console.log(JSON.stringify({ place, other, rms, complaints }));
  } finally {
    await browser.close();
  }
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
