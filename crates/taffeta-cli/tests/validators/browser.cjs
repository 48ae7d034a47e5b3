// A real browser for the tests of the page: software rendering, and no network, as the page must need none. Playwright must be found
// through NODE_PATH.
const { chromium } = require("playwright-core");

const flags = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update"];
flags.push("--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--proxy-server=127.0.0.1:9");

/** Lets `visit` do its work in a window, and prints what it returns as JSON; whatever goes wrong ends with a status of 1. */
exports.inBrowser = async (browserPath, visit) => {
  try {
    const browser = await chromium.launch({ executablePath: browserPath, args: flags });
    try {
      const context = await browser.newContext({ viewport: { width: 1100, height: 760 }, acceptDownloads: true });
      console.log(JSON.stringify(await visit(await context.newPage())));
    } finally {
      await browser.close();
    }
  } catch (error) {
    console.error(error);
    process.exit(1);
  }
};

/** What a window complains of from now on: errors, and requests to other places than a page. */
exports.complaintsOf = (view, page) => {
  const complaints = [];
  view.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  view.on("pageerror", (error) => complaints.push(String(error)));
  view.on("request", (request) => /^https?:/.test(request.url()) && !request.url().startsWith(page) && complaints.push(`asked for ${request.url()}`));
  return complaints;
};
