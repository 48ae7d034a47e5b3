// Looks at two recordings over each other: node compare.cjs BROWSER PAGE.html FOLDER. Prints what it saw as JSON, and leaves a screenshot
// in the folder.
const path = require("path");
const { complaintsOf, inBrowser } = require("./browser.cjs");

const [browserPath, page, folder] = process.argv.slice(2);

inBrowser(browserPath, async (view) => {
  const complaints = complaintsOf(view, page);
  await view.goto(`file://${path.resolve(page)}`);
  await view.waitForFunction(() => window.taffeta || !document.getElementById("error").hidden, null, { timeout: 60000 });
  await view.locator("#timeline").fill("10");
  const [place, other] = await view.evaluate(() => [window.taffeta.place(0), window.taffeta.other(19)]);
  const plot = view.locator("#plots figure", { hasText: "apart, rms" }).locator("figcaption span").last();
  const rms = await plot.textContent();
  await view.screenshot({ path: path.join(folder, "compared.png") });
  return { place, other, rms, complaints };
});
