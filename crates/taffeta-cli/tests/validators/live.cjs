// Pulls at a live scene in a real browser: node live.cjs BROWSER PAGE.html FOLDER. Prints what it saw as JSON, and leaves screenshots
// and the saved recording in the folder.
const path = require("path");
const { complaintsOf, inBrowser } = require("./browser.cjs");

const [browserPath, page, folder] = process.argv.slice(2);

/** A node in the lower part of the sheet of the default scene, and a corner that is held. */
const [HANGING, HELD] = [10, 56];

inBrowser(browserPath, async (view) => {
  const complaints = complaintsOf(view, page);
  await view.goto(/^http:/.test(page) ? page : `file://${path.resolve(page)}`);
  const shown = (frames) => view.waitForFunction((frames) => window.taffeta?.frames() > frames || !document.getElementById("error").hidden, frames, { timeout: 60000 });
  const place = (node) => view.evaluate((node) => window.taffeta.place(node), node);
  const time = async () => parseFloat(await view.locator("#clock").textContent());
  const shot = (name) => view.screenshot({ path: path.join(folder, `${name}.png`) });
  const box = await view.locator("#view").boundingBox();
  const at = async (node) => {
    const [x, y] = await view.evaluate((node) => window.taffeta.seen(node), node);
    return [box.x + x, box.y + y];
  };
  const seen = {};
  await shown(10);

  /** Stops the cloth, so that it is where it is seen. */
  const stop = async () => {
    if (await view.locator("#error").isVisible()) throw new Error(await view.locator("#error").textContent());
    await view.locator("#play", { hasText: "pause" }).click();
    // The last frames may still be on their way on a busy machine.
    let [before, now] = [NaN, await time()];
    while (before !== now) {
      await view.waitForTimeout(800);
      [before, now] = [now, await time()];
    }
  };

  // Drags a node that hangs upwards by 120 pixels: whoever grabs lets time go on.
  await stop();
  const [x, y] = await at(HANGING);
  await view.mouse.move(x, y);
  await view.mouse.down();
  // On a busy machine the cloth may have moved a little since: whichever node it is.
  const node = await view.evaluate(() => window.taffeta.dragged());
  if (node === null) throw new Error("nothing was grabbed");
  seen.before = await place(node);
  await view.mouse.move(x + 40, y - 60, { steps: 6 });
  await view.mouse.move(x + 60, y - 120, { steps: 6 });
  await view.waitForTimeout(2500);
  seen.dragged = await place(node);
  const [nowX, nowY] = await at(node);
  seen.off = Math.hypot(nowX - (x + 60), nowY - (y - 120));
  await shot("dragged");
  await view.mouse.up();
  await view.waitForTimeout(700);
  seen.released = await place(node);

  // Frees a node that the scene holds.
  await stop();
  const [heldX, heldY] = await at(HELD);
  const [byX, byY] = await at(50);
  seen.held = await place(HELD);
  await view.keyboard.down("Shift");
  await view.mouse.click(heldX + 0.25 * (byX - heldX), heldY + 0.25 * (byY - heldY));
  await view.keyboard.up("Shift");
  await view.locator("#play", { hasText: "play" }).click();
  await view.waitForTimeout(800);
  seen.freed = await place(HELD);

  // Turns off gravity, stands still, takes a step, begins anew.
  await view.locator("#knob-gravity").fill("0");
  await view.selectOption("#colouring", "tension");
  await view.locator("#arrows").check();
  await stop();
  seen.stood = await time();
  await view.waitForTimeout(300);
  seen.still = await time();
  await view.locator("#forth").click();
  await view.waitForTimeout(300);
  seen.stepped = await time();
  await view.locator("#timeline").fill("3");
  seen.scrubbed = await view.evaluate(() => window.taffeta.frame());
  await shot("paused");
  const [download] = await Promise.all([view.waitForEvent("download"), view.locator("#save").click()]);
  await download.saveAs(path.join(folder, "saved.zip"));
  await view.locator("#reset").click();
  await view.waitForFunction((before) => parseFloat(document.getElementById("clock").textContent) < before, seen.stepped - 1, { timeout: 20000 });
  seen.reset = await time();
  seen.anew = await view.evaluate(() => window.taffeta.frames());

  // Another scene.
  await view.selectOption("#scenes", "drop-sphere");
  await view.waitForFunction(() => document.getElementById("title").textContent.includes("ball"), null, { timeout: 60000 });
  await shown(20);
  await shot("picked");
  seen.picked = await view.locator("#title").textContent();
  seen.error = await view.locator("#error").isVisible();
  seen.complaints = complaints;
  return seen;
});
