// Plays a page in a real browser: node page.cjs BROWSER PAGE.html FOLDER. Prints what it saw as JSON and leaves screenshots in the
// folder.
const path = require("path");
const { complaintsOf, inBrowser } = require("./browser.cjs");

const [browserPath, page, folder] = process.argv.slice(2);

inBrowser(browserPath, async (view) => {
  const complaints = complaintsOf(view, page);
  await view.goto(/^http:/.test(page) ? page : `file://${path.resolve(page)}`);
  await view.waitForFunction(() => window.taffeta || !document.getElementById("error").hidden, null, { timeout: 60000 });
  const state = () => view.evaluate(() => ({ frame: window.taffeta.frame(), first: window.taffeta.place(0), last: window.taffeta.place(19) }));
  const shot = (name) => view.screenshot({ path: path.join(folder, `${name}.png`) });
  const seen = { frames: await view.evaluate(() => window.taffeta.frames()), start: await state() };
  await shot("start");

  await view.locator("#timeline").fill("20");
  seen.scrubbed = await state();
  await view.keyboard.press("ArrowRight");
  seen.stepped = await state();
  await view.keyboard.press("End");
  seen.end = await state();
  await view.selectOption("#colouring", "speed");
  seen.legend = await view.locator("#legend .name").textContent();
  await shot("speed");

  // Slowly and once: the recording is short, and this machine may be busy.
  await view.keyboard.press("Home");
  await view.selectOption("#speed", "0.1");
  await view.locator("#loop").uncheck();
  await view.locator("#play").click();
  await view.waitForFunction(() => window.taffeta.frame() > 3, null, { timeout: 30000 });
  const pause = view.locator("#play", { hasText: "pause" });
  if (await pause.isVisible()) await pause.click({ timeout: 1000 }).catch(() => {});
  seen.played = (await state()).frame;
  seen.plots = await view.locator("#plots figcaption").allTextContents();
  await shot("played");
  seen.complaints = complaints;
  return seen;
});
